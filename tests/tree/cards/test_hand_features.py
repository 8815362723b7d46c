"""Features of hands against counting by hand, one opponent at a time."""

from __future__ import annotations

import numpy as np

from tacit.games.holdem.betting import FLOP, RIVER, TURN
from tacit.games.holdem.cards import HAND_CARDS, NUM_CARDS, live_hands, parse_board, parse_hand
from tacit.games.holdem.hand_rank import rank_boards
from tacit.games.holdem.spot import Suits, permute_card, permute_hands
from tacit.tree.cards.equity import range_equity
from tacit.tree.cards.hand_features import (
    BINS,
    GROUPS,
    group_equities,
    hand_features,
    opponent_groups,
)

BOARD = parse_board("Ah7h2d")
HANDS = [parse_hand(name) for name in ("AsAd", "KhQh", "3c2c", "7s7d", "KsQd", "6h5h")]


def counted(board: tuple[int, ...], hand: int, group: np.ndarray, number: int) -> float:
    """The equity of a hand against the live hands of one group."""
    strengths = rank_boards([board])[0]
    wins = met = 0.0
    for other in range(1326):
        if group[other] != number or strengths[other] < 0:
            continue
        if set(HAND_CARDS[hand].tolist()) & set(HAND_CARDS[other].tolist()):
            continue
        met += 1
        wins += 0.5 * (1 + np.sign(strengths[hand] - strengths[other]))
    return wins / met if met else 0.5


def test_equities_against_groups_are_those_counted() -> None:
    groups = opponent_groups(FLOP)
    assert groups.min() == 0
    assert groups.max() == GROUPS - 1
    found = hand_features(BOARD, FLOP)
    assert found.shape == (1326, GROUPS)
    for hand in HANDS:
        for number in range(GROUPS):
            assert abs(found[hand, number] - counted(BOARD, hand, groups, number)) < 1e-6


def test_one_group_is_the_equity_against_a_random_hand() -> None:
    board = parse_board("Ah7h2d3c9s")
    found = group_equities(rank_boards([board]))[0, :, 0]
    live = live_hands(board)
    known = range_equity(board, (live.astype(np.float64), live.astype(np.float64))).hands[0]
    assert np.abs(found[live] - known[live]).max() < 1e-6
    assert not found[~live].any()


def test_aces_are_in_the_strongest_group_and_a_weak_offsuit_hand_in_the_weakest() -> None:
    groups = opponent_groups(FLOP)
    assert groups[parse_hand("AsAd")] == GROUPS - 1
    assert groups[parse_hand("3c2d")] == 0


def test_a_histogram_is_over_the_cards_to_come() -> None:
    found = hand_features(BOARD, TURN)
    for hand in HANDS[1:4]:
        equities = [
            group_equities(rank_boards([(*BOARD, card)]))[0, hand, 0]
            for card in range(NUM_CARDS)
            if card not in BOARD and card not in HAND_CARDS[hand]
        ]
        bins = np.minimum((np.array(equities) * BINS).astype(int), BINS - 1)
        expected = np.cumsum(np.bincount(bins, minlength=BINS)) / len(equities)
        assert len(equities) == 47
        assert np.abs(found[hand] - expected).max() < 1e-6


def test_a_draw_and_a_made_hand_of_the_same_equity_are_far_apart() -> None:
    found = hand_features(parse_board("9h8h2d"), RIVER)
    draw, pair = found[parse_hand("QhJh")], found[parse_hand("AsAd")]
    assert np.abs(draw - pair).mean() > 0.05


def test_features_do_not_know_the_names_of_suits() -> None:
    suits: Suits = (2, 0, 3, 1)
    moved = tuple(permute_card(suits, card) for card in BOARD)
    for last in (FLOP, TURN):
        here, there = hand_features(BOARD, last), hand_features(moved, last)
        assert np.abs(here - there[permute_hands(suits)]).max() < 1e-6
