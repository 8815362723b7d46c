"""PREFLOP43: the paper's facts, showdowns by PokerKit, and its trees solved to their end."""

from __future__ import annotations

import numpy as np
import pytest
from pokerkit import StandardHighHand

from tacit.games import TERMINAL, GameError, load_game
from tacit.games.holdem.cards import format_cards
from tacit.games.holdem.preflop43 import DEALS, HANDS, UNKNOWN, Preflop43, Preflop43State
from tacit.solvers import Limits, solve_tree
from tacit.solvers.linear_program import solve_exactly
from tacit.tree import build_tree

CARDS = "AsKsQhJdTc9c5h5d2s"


def points(stack: int) -> list[Preflop43State]:
    """Every point of the betting, with one deal."""
    left = [Preflop43(CARDS, stack).initial().child(0)]
    found = []
    while left:
        state = left.pop()
        found.append(state)
        left += [state.child(action) for action in state.actions()]
    return found


def test_nine_cards_make_36_hands_and_756_deals() -> None:
    assert UNKNOWN == 52 - 43
    assert len(HANDS) == 36
    assert len(DEALS) == 36 * 21


@pytest.mark.parametrize("stack", [10, 37, 100])
def test_raises_are_at_least_half_the_pot_and_never_rounded(stack: int) -> None:
    for state in points(stack):
        betting = state.betting
        if betting.player == TERMINAL:
            continue
        called, level = betting.pot + betting.to_call, max(betting.committed)
        raises = [action for action in state.actions() if action > 1]
        allowed = {level + round(called * x) for x in (0.5, 1, 2, 4, 8)}
        expected = {total for total in allowed if total < 100 * stack} | {100 * stack}
        assert set(raises) == (expected if betting.raise_bounds() else set())
        assert all(total % 100 == 0 for total in raises)
        assert (0 in state.actions()) == (betting.to_call > 0)


def test_the_small_blind_acts_first() -> None:
    state = Preflop43(CARDS, 20).initial().child(0)
    assert state.player == 1
    assert state.betting.committed == (100, 50)
    assert [state.label(action) for action in state.actions()] == [
        "f", "c", "r200", "r300", "r500", "r900", "r1700", "r2000",
    ]  # fmt: skip
    assert state.child(0).payoff() == 0.5
    limped = state.child(1)
    assert limped.player == 0
    assert limped.label(1) == "k"
    assert limped.child(1).player == TERMINAL


@pytest.mark.parametrize("cards", [CARDS, "2c2d2h2s3c3d3h3s4c", "AhKhQhJhTh9h8h7h6h"])
def test_showdowns_agree_with_pokerkit(cards: str) -> None:
    game = load_game(f"preflop43-{cards}-10")
    random = np.random.default_rng(0)
    for number in random.choice(len(DEALS), 60, replace=False).tolist():
        state = game.initial().child(number)
        assert isinstance(state, Preflop43State)
        state = state.child(1000).child(1)
        held = [HANDS[hand] for hand in DEALS[number]]
        board = format_cards(
            state.cards[n] for n in range(UNKNOWN) if n not in (*held[0], *held[1])
        )
        mine, other = (
            StandardHighHand.from_game(format_cards(state.cards[n] for n in hand), board)
            for hand in held
        )
        assert state.payoff() == (0 if mine == other else 10 if mine > other else -10)


def test_a_tree_is_solved_to_its_end() -> None:
    tree = build_tree(load_game(f"preflop43-{CARDS}-10"))
    solution = solve_tree(tree, Limits(iterations=250), algorithm="dcfr")
    assert solution.history[-1].exploitability < 0.003
    assert solution.history[-1].value == pytest.approx(-0.048576388, abs=1e-3)


@pytest.mark.slow
def test_the_solution_agrees_with_the_linear_program() -> None:
    tree = build_tree(load_game(f"preflop43-{CARDS}-10"))
    assert solve_exactly(tree).value == pytest.approx(-0.048576388, abs=1e-8)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (f"preflop43-{CARDS}-9", "10 to 100 big blinds, not 9"),
        (f"preflop43-{CARDS}-101", "10 to 100 big blinds, not 101"),
        ("preflop43-AsKs-10", "9 cards that are not shown; 'AsKs' has 2"),
        ("preflop43-AsAsQhJdTc9c5h5d2s-10", "twice"),
        ("preflop43-XsAsQhJdTc9c5h5d2s-10", "is not a card"),
    ],
)
def test_a_wrong_name_says_what_is_possible(name: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        load_game(name)
