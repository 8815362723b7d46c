"""Games played on infostates go as the rules say."""

from __future__ import annotations

import numpy as np
import pytest

from support.drawn_games import DrawnGame, chance, end, move
from support.faulty_games import FaultyGame
from tacit.games import CHANCE, TERMINAL, GameError, load_game
from tacit.tree import Builder, derived
from tacit.tree.playing import check_public_states, deal, draw, follow, payoff, world


def test_draws_follow_their_weights() -> None:
    random = np.random.default_rng(0)
    counts = np.bincount([draw(np.array([1.0, 0, 3]), random) for _ in range(4000)], minlength=3)
    assert counts[1] == 0
    assert counts[2] / 4000 == pytest.approx(0.75, abs=0.03)


@pytest.mark.parametrize(
    "name", ["kuhn", "leduc", "rock-paper-scissors", "pursuit-glasses", "liars-dice-2x2"]
)
def test_a_game_on_infostates_pays_as_the_game_of_the_rules(name: str) -> None:
    game = load_game(name)
    builder = Builder(game)
    random = np.random.default_rng(1)
    ones = np.ones(builder.root.counts[0]), np.ones(builder.root.counts[1])
    here, rules = [], []
    for _ in range(3000):
        state, pair = builder.root, deal(builder.root, ones, random)
        while state.mover != TERMINAL:
            assert state.compatibility[pair] > 0
            action = None
            if state.mover != CHANCE:
                action = draw(state.expansion.legal[:, pair[state.mover]], random)
            transition, pair = follow(state, pair, action, random)
            state = state.expansion.transitions[transition].child
        here.append(payoff(state, pair))
        rules.append(game.playout(random)[0].payoff())
    error = np.hypot(np.std(here), np.std(rules)) / np.sqrt(3000)
    assert abs(np.mean(here) - np.mean(rules)) < 4 * error + 1e-12


def test_beliefs_decide_what_is_dealt() -> None:
    root = Builder(load_game("kuhn")).root
    random = np.random.default_rng(2)
    reach = np.array([0.0, 1, 0]), np.ones(3)
    dealt = {deal(root, reach, random) for _ in range(50)}
    held = {(root.privates[0][i], root.privates[1][j]) for i, j in dealt}
    card = root.privates[0][1]
    assert held == {(card, other) for other in root.privates[1] if other != card}


def test_a_world_state_of_a_pair_is_one_that_both_players_may_be_in() -> None:
    root = Builder(load_game("leduc")).root
    random = np.random.default_rng(0)
    for first, second in zip(*np.nonzero(root.compatibility), strict=True):
        found = world(root, (int(first), int(second)), random)
        assert found.private(0) == root.privates[0][first]
        assert found.private(1) == root.privates[1][second]


def test_a_merge_that_loses_something_is_found_below_the_start() -> None:
    check_public_states(FaultyGame())
    with pytest.raises(GameError, match="infostates merge that differ"):
        check_public_states(FaultyGame("forgets-move"))


def test_payoffs_are_looked_at() -> None:
    with pytest.raises(GameError, match="the payoff is nan"):
        check_public_states(FaultyGame("payoff-nan"), playouts=1)


def test_a_public_state_that_is_too_large_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "MAX_CELLS", 10)
    hands = (move(0, "move", end(n, "end", (n, None)), known=(n, None)) for n in range(20))
    check_public_states(DrawnGame(chance("deal", *hands)))
