"""Spots: the papers' variants of hold'em are what the papers state about them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from pokerkit import StandardHighHand

from support.hands import cards_of, pairs, share_no_card, winner
from tacit.formats.spot_file import load_spot_file
from tacit.games import CHANCE, TERMINAL
from tacit.games.holdem.betting import CALL, FLOP, TURN, replay
from tacit.games.holdem.cards import NUM_CARDS, format_cards
from tacit.games.holdem.ranges import parse_range
from tacit.games.holdem.spot import Spot
from tacit.solvers import evaluate
from tacit.tree import GameTooLargeError
from tacit.tree.cards.builder import build_spot
from tacit.tree.cards.states import CardState

HUNL = Spot.from_the_blinds("50%,100%,200%,a", stack=20_000)
FLOP_HOLDEM = Spot.from_the_blinds("100%", stack=20_000, last_street=FLOP)
TURN_HOLDEM = Spot.from_the_blinds("50%,100%", stack=20_000, last_street=TURN)


def check_down(spot: Spot) -> list[int]:
    """The streets of a hand in which everybody calls or checks."""
    betting = spot.rules.start()
    streets = [betting.street]
    while betting.player != TERMINAL:
        if betting.player == CHANCE:
            betting = betting.deal()
            streets.append(betting.street)
        else:
            betting = betting.act(CALL)
    return streets


@pytest.mark.parametrize(("spot", "rounds"), [(HUNL, 4), (FLOP_HOLDEM, 2), (TURN_HOLDEM, 3)])
def test_blinds_stacks_and_rounds(spot: Spot, rounds: int) -> None:
    start = spot.rules.start()
    assert spot.board == ()
    assert start.committed == (100, 50)
    assert start.player == 1
    assert spot.rules.stacks == (20_000, 20_000)
    assert check_down(spot) == list(range(rounds))
    assert start.raise_bounds() == (200, 20_000)
    flop = replay(spot.rules, "ck/")
    assert flop.player == 0
    assert [(weights > 0).sum() for weights in spot.ranges] == [1326, 1326]


def test_hunl_has_the_sizes_of_rl_cfr() -> None:
    spot = HUNL
    start = spot.rules.start()
    # Before the flop these are the 2, 3, 5 big blinds and all in of the paper's example.
    assert spot.actions(start, "") == (0, 1, 200, 300, 500, 20_000)
    flop = replay(spot.rules, "r200c/")
    assert spot.actions(flop, "r200c/") == (1, 400, 600, 1_000, 20_000)


def test_turn_holdem_may_have_two_sizes() -> None:
    spot = TURN_HOLDEM
    assert spot.actions(spot.rules.start(), "") == (0, 1, 200, 300)


def test_the_turn_endgame_is_the_one_of_the_paper() -> None:
    spot = load_spot_file("turn-bench").spot()
    start = spot.rules.start()
    assert format_cards(spot.board) == "3s7hTdKs"
    assert spot.pot == 2_000
    assert start.behind == (19_000, 19_000)
    assert check_down(spot) == [2, 3]
    assert spot.actions(start, "") == (1, 2_000, 3_000, 20_000)
    # After a bet of the pot, 6,000 are in it once it is called: 0.75 of that, or all in.
    assert spot.actions(start.act(3_000), "r3000") == (0, 1, 7_500, 20_000)
    assert [(weights > 0).sum() for weights in spot.ranges] == [1128, 1128]


@pytest.mark.parametrize("cards", [3, 4])
def test_hands_of_five_and_six_cards_are_shown_down(cards: int) -> None:
    short = Spot.from_the_blinds("", stack=1_000, last_street=cards - 2)
    board = tuple(range(0, 13 * cards, 13))
    rules = type(short.rules)(
        stacks=(1_000, 1_000), first_street=cards - 2, last_street=cards - 2, committed=100
    )
    state = CardState.of(Spot(board=board, rules=rules, ranges=short.ranges, bets=short.bets))
    while state.mover != TERMINAL:
        below = state.expand().transitions[0].child
        assert isinstance(below, CardState)
        state = below
    random = np.random.default_rng(0)
    assert state.deal.strengths is not None
    for first, second in random.integers(0, state.counts[0], (60, 2)).tolist():
        hands = [int(state.deal.hands[p][h]) for p, h in enumerate((first, second))]
        if not share_no_card(*hands):
            continue
        mine, other = (
            StandardHighHand.from_game(format_cards(cards_of(hand)), format_cards(board))
            for hand in hands
        )
        won = int(mine > other) - int(mine < other)
        strengths = state.deal.strengths
        assert np.sign(int(strengths[0][first]) - int(strengths[1][second])) == won


def test_whole_games_with_all_hands_are_refused_where_they_do_not_fit() -> None:
    for spot in (HUNL, TURN_HOLDEM):
        with pytest.raises(GameTooLargeError, match=r"more than the 8\.59 GB allowed"):
            build_spot(spot)


@pytest.mark.slow
def test_a_tree_from_the_blinds_on_agrees_with_brute_force() -> None:
    spot = replace(
        Spot.from_the_blinds({"preflop": "a"}, stack=400, last_street=FLOP),
        ranges=(parse_range("AcAd,KsQs"), parse_range("AsAh,7h7d:0.5")),
    )
    tree = build_spot(spot)
    total = met = 0.0
    for first, second, weight in pairs(spot):
        held = {*cards_of(first), *cards_of(second)}
        left = [card for card in range(NUM_CARDS) if card not in held]
        results = {0: 1, 1: -1, None: 0}
        ahead = np.mean([results[winner(first, second, b)] for b in combinations(left, 3)])
        limped = (100 * ahead + (100 + 400 * ahead) / 2) / 2
        pushed = (-100 + 400 * ahead) / 2
        total += weight * (50 + limped + pushed) / 3
        met += weight
    assert evaluate(tree, tree.uniform_policy()).value == pytest.approx(total / met, abs=1e-6)
