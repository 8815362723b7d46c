"""Subgames behind a deal, board by board, against the same on the whole tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.buckets import ByEquity, bucketed, two_streets
from tacit.games import CHANCE, GameError
from tacit.games.holdem.betting import RIVER
from tacit.solvers import evaluate
from tacit.solvers.engine import Solver
from tacit.solvers.sharing.layout import share_buckets
from tacit.subgame.blueprint import Blueprint, BlueprintValues
from tacit.subgame.deal_subgames import DealSubgames
from tacit.subgame.methods import METHODS, SolveBudget, improve
from tacit.tree import Place
from tacit.tree.cards.builder import build_spot

EFFORT = SolveBudget(iterations=40, algorithm="dcfr", double=True)


@pytest.fixture(scope="module")
def solver() -> Solver:
    found = bucketed(build_spot(two_streets()), "dcfr", ByEquity())
    found.run(12)
    return found


@pytest.fixture(scope="module")
def subgames(solver: Solver) -> DealSubgames:
    return DealSubgames(solver.sharing, solver.average_buckets(), solver.policy, ByEquity())


@pytest.fixture(scope="module")
def blueprint(solver: Solver) -> Blueprint:
    return Blueprint(solver.tree, solver.average_policy(), solver.current_policy())


def places(blueprint: Blueprint, subgames: DealSubgames, number: int) -> list[Place]:
    """The public states of a board, one for each line."""
    tree = blueprint.tree
    return [tree.children(Place(line, 0))[number][1] for line in subgames.lines]


def test_all_boards_add_up_to_the_blueprint(subgames: DealSubgames, blueprint: Blueprint) -> None:
    sums = sum(subgames.solve(number, [], EFFORT)[0] for number in range(len(subgames.boards)))
    assert np.abs(sums - subgames.blueprint_sums()).max() < 1e-9
    known = evaluate(blueprint.tree, blueprint.policy).best_response
    assert subgames.best_responses(sums) == pytest.approx(known, abs=1e-9)


def test_lines_are_those_after_which_players_act(subgames: DealSubgames) -> None:
    assert [subgames.tree.cards.state(line).history for line in subgames.lines] == [
        "kk",
        "kr600c",
        "r600c",
    ]
    for line in subgames.lines:
        state = subgames.tree.state(line)
        assert state.mover == CHANCE
        below = subgames.tree.children(Place(line, 0))
        assert all(subgames.tree.state(place.node).mover == 0 for _, place in below)


@pytest.mark.parametrize("player", [0, 1])
def test_views_are_those_of_the_whole_tree(
    subgames: DealSubgames, blueprint: Blueprint, player: int
) -> None:
    blueprint_values = BlueprintValues(blueprint, player)
    for number in (0, 7):
        views = subgames.roots(subgames.board(number), player)
        for place, view in zip(places(blueprint, subgames, number), views, strict=True):
            known = blueprint_values.at(place)
            for name in ("weights", "best", "estimate", "gifts", "whole_gifts"):
                ours, theirs = getattr(view, name), getattr(known, name)
                assert np.allclose(ours, theirs, rtol=1e-6, atol=1e-6, equal_nan=True), name
            for p in (0, 1):
                assert np.allclose(view.reach[p], known.reach[p], atol=1e-9)
    assert max(view.gifts.max() for view in views) > 0


@pytest.mark.parametrize("name", ["unsafe", "reach-maxmargin", "estimated"])
def test_boards_solved_again_are_worth_what_they_are_on_the_whole_tree(
    subgames: DealSubgames, blueprint: Blueprint, name: str
) -> None:
    policy = blueprint.policy
    for player in (0, 1):
        blueprint_values = BlueprintValues(blueprint, player)
        for number in range(len(subgames.boards)):
            there = places(blueprint, subgames, number)
            [found] = improve(blueprint_values, there, name, EFFORT)
            policy = found.written_into(blueprint.tree, policy)
    known = evaluate(blueprint.tree, policy).best_response
    sums = sum(
        subgames.solve(number, [METHODS[name]], EFFORT)[1] for number in range(len(subgames.boards))
    )
    assert subgames.best_responses(sums) == pytest.approx(known, rel=2e-3, abs=0.05)
    assert sum(known) < sum(evaluate(blueprint.tree, blueprint.policy).best_response)


def test_only_spots_of_two_streets_fall_apart() -> None:
    spot = two_streets()
    rules = replace(spot.rules, last_street=RIVER, stacks=(300, 300))
    longer = replace(spot, rules=rules)
    sharing = share_buckets(build_spot(longer), ByEquity())
    with pytest.raises(GameError, match=r"spots of two streets .* 3 streets"):
        DealSubgames(sharing, np.zeros(sharing.slots), np.zeros(sharing.slots), ByEquity())
