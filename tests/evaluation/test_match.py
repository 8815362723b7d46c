"""Matches of agents that play many games at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacit.agents.agent import PolicyAgent, RuleAgent
from tacit.agents.search_agent import SearchAgent
from tacit.agents.simple import baselines, uniform
from tacit.evaluation.match import play_match
from tacit.games import GameError, load_game
from tacit.learn.settings import SearchSettings
from tacit.solvers import Solver, best_response, evaluate, find_algorithm
from tacit.solvers.leaves import Zero
from tacit.solvers.oracle import Oracle
from tacit.tree import Builder, build_forest


@pytest.mark.parametrize("name", ["kuhn", "leduc", "pursuit-glasses"])
def test_a_match_measures_what_the_policies_are_worth(name: str) -> None:
    builder = Builder(load_game(name))
    tree = build_forest(builder, [builder.root])
    weak = tree.uniform_policy()
    strong, answer = (best_response(tree, weak, player)[0] for player in (0, 1))
    found = play_match(
        builder,
        _BestInBothSeats(tree, weak),
        PolicyAgent(tree, weak),
        games=4000,
        seed=1,
    )
    spread = 6 * max(found.error, 1e-9)
    assert found.mean == pytest.approx((strong + answer) / 2, abs=4 * found.error + 1e-9)
    assert found.seats == pytest.approx((strong, answer), abs=spread)


class _BestInBothSeats(PolicyAgent):
    """The best responses to a policy, as one policy for both players."""

    def __init__(self, tree, policy) -> None:  # type: ignore[no-untyped-def]
        both = best_response(tree, policy, 0)[1]
        second = best_response(tree, policy, 1)[1]
        for node in np.flatnonzero(tree.arrays.player == 1).tolist():
            tree.block(both, node)[:] = tree.block(second, node)
        super().__init__(tree, both)


def test_the_same_seed_gives_the_same_match_and_progress_is_told() -> None:
    builder = Builder(load_game("kuhn"))
    settings = SearchSettings(iterations=10, depth=1)
    agent = SearchAgent(builder, Oracle(builder, iterations=10), settings)
    told: list[int] = []
    once = play_match(
        builder, agent, RuleAgent(builder, uniform), games=60, seed=3, each=told.append
    )
    again = play_match(builder, agent, RuleAgent(builder, uniform), games=60, seed=3)
    assert once == again
    assert told == sorted(told)
    assert told[-1] == once.games == 60


def test_search_beats_random_play_and_the_heuristic() -> None:
    builder = Builder(load_game("liars-dice-1x3"))
    agent = SearchAgent(builder, Zero(), SearchSettings(iterations=32, depth=99))
    for opponent in baselines(builder).values():
        found = play_match(builder, agent, opponent, games=600, seed=0)
        assert found.mean > 2 * found.error


def test_an_equal_pair_of_players_comes_out_even() -> None:
    builder = Builder(load_game("leduc"))
    tree = build_forest(builder, [builder.root])
    solver = Solver(tree, find_algorithm("dcfr"))
    solver.run(200)
    policy = solver.average_policy()
    agent = PolicyAgent(tree, policy)
    found = play_match(builder, agent, agent, games=6000, seed=2)
    assert abs(found.mean) < 4 * found.error
    value = evaluate(tree, policy).value
    assert found.seats == pytest.approx((value, -value), abs=8 * found.error)


@pytest.mark.parametrize("games", [0, 1, 7])
def test_games_come_in_pairs(games: int) -> None:
    builder = Builder(load_game("kuhn"))
    agent = RuleAgent(builder, uniform)
    with pytest.raises(GameError, match="even number of games"):
        play_match(builder, agent, agent, games=games, seed=0)


def test_agents_may_be_named() -> None:
    named = play_match("kuhn", "uniform", "uniform", games=40, seed=5)
    builder = Builder(load_game("kuhn"))
    agent = RuleAgent(builder, uniform)
    assert named == play_match(builder, agent, agent, games=40, seed=5)
    with pytest.raises(GameError, match="unknown agent"):
        play_match("kuhn", "unifrom", "uniform", games=2)


def test_a_recorded_match_is_resumed_where_it_was(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    play_match("leduc", "uniform", "uniform", games=10, seed=1, at_once=4, record=file)
    told: list[int] = []
    longer = play_match(
        "leduc", "uniform", "uniform", games=20, seed=1, at_once=4, record=file, each=told.append
    )
    assert min(told) >= 8
    assert longer == play_match("leduc", "uniform", "uniform", games=20, seed=1, at_once=4)
    told.clear()
    play_match(
        "leduc", "uniform", "uniform", games=20, seed=1, at_once=4, record=file, each=told.append
    )
    assert told == []


def test_a_record_of_another_match_or_of_nothing_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    play_match("kuhn", "uniform", "uniform", games=2, record=file)
    before = file.read_text()
    with pytest.raises(GameError, match="record of another match"):
        play_match("kuhn", "uniform", "uniform", games=2, seed=1, record=file)
    assert file.read_text() == before
    for text in ("", "[]", "{}", '{"match": 1, "won": ["x"]}', "null"):
        file.write_text(text)
        with pytest.raises(GameError, match="is not the record of a match"):
            play_match("kuhn", "uniform", "uniform", games=2, record=file)
    with pytest.raises(GameError, match="there is no folder"):
        play_match("kuhn", "uniform", "uniform", games=2, record=tmp_path / "no" / "file")


def test_random_openings_differ_between_pairs_and_are_the_same_within_one() -> None:
    """Deterministic equal agents draw every pair: a win in one seat is a loss in the other."""
    builder = Builder(load_game("tic-tac-toe"))
    first = RuleAgent(builder, lambda state: np.eye(len(state.expansion.actions))[:, :1])
    plain = play_match(builder, first, first, games=40, seed=0)
    opened = play_match(builder, first, first, games=40, seed=0, opening=2)
    assert (plain.mean, opened.mean) == (0, 0)
    assert plain.seats == (1, -1)
    assert opened.seats[0] == -opened.seats[1]
    assert abs(opened.seats[0]) < 1
    with pytest.raises(GameError, match="random openings need a game with nothing hidden"):
        play_match("kuhn", "uniform", "uniform", games=2, opening=1)
