"""Boards, live hands and maps made together, against one board at a time."""

from __future__ import annotations

from itertools import permutations, product
from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tacit.games import GameError
from tacit.games.holdem.cards import HAND_CARDS, live_hands, parse_board, parse_cards
from tacit.games.holdem.hand_rank import rank_boards
from tacit.games.holdem.ranges import parse_range
from tacit.games.holdem.spot import IDENTITY, Spot, permute_card, permute_hands
from tacit.solvers.best_response import BestResponse
from tacit.tree import build_forest
from tacit.tree.cards.builder import CardBuilder
from tacit.tree.cards.deals import Deal, card_tables
from tacit.tree.cards.states import CardState
from tacit.tree.kernels.passes import EXPECT

RANGES = ("22+,A2s+,KTo+", "55+,K9s+,AJo+,T9s")


def deal_of(board: str, ranges: tuple[str, str] = RANGES, *, isomorphism: bool = True) -> Deal:
    spot = Spot.of(board, ranges=ranges, pot=100, behind=100, bets="a")
    return CardState.of(spot, isomorphism=isomorphism).deal


def slow_hands(deal: Deal, player: int) -> list[int]:
    """The live hands of the range; on the last street weakest first, equals by their suits."""
    held = np.flatnonzero(live_hands(deal.board) & (deal.ranges[player] > 0)).tolist()
    if len(deal.board) < deal.last:
        return held
    strength = rank_boards([deal.board])[0]

    def order(hand: int) -> tuple[int, int, int, int]:
        low, high = (int(card) % 4 for card in HAND_CARDS[hand])
        return int(strength[hand]), (low - high) % 4, low, hand

    return sorted(held, key=order)


@pytest.mark.parametrize("board", ["2c7dJh", "7s8s9s", "7s7h8s8h", "2c7dJhQs", "2c7dJhQsKs"])
@pytest.mark.parametrize("isomorphism", [True, False])
def test_boards_have_the_hands_that_share_no_card_with_them(board: str, isomorphism: bool) -> None:
    deal = deal_of(board, isomorphism=isomorphism)
    following = [dealt.deal for dealt in deal.following] if len(deal.board) < 5 else []
    for each in [deal, *following]:
        for player in (0, 1):
            assert each.hands[player].tolist() == slow_hands(each, player)
            if each.strengths is None:
                assert len(each.board) < 5
            else:
                strengths = rank_boards([each.board])[0][each.hands[player]]
                assert_array_equal(each.strengths[player], strengths)


@pytest.mark.parametrize("board", ["7s8s9s", "7s7h8s8h", "2c7dJhQs"])
def test_every_deal_stands_for_those_that_differ_in_suits(board: str) -> None:
    deal = deal_of(board)
    stood = []
    for dealt in deal.following:
        images = {
            tuple(sorted(permute_card(suits, card) for card in dealt.cards))
            for suits in deal.symmetries
        }
        assert dealt.share == 1 / len(images)
        assert dealt.chance == 1 / comb(52 - len(deal.board) - 4, len(dealt.cards))
        stood += sorted(images)
    left = [(card,) for card in range(52) if card not in parse_board(board)]
    assert sorted(stood) == left


@pytest.mark.parametrize("board", ["7s8s9s", "7s7h8s8h", "2c7dJhQs"])
def test_maps_say_which_hand_becomes_which(board: str) -> None:
    deal = deal_of(board)
    for dealt in deal.following:
        for player in (0, 1):
            before = {int(hand): number for number, hand in enumerate(deal.hands[player])}
            after, sources = dealt.deal.hands[player], []
            seen: list[tuple[int, ...]] = []
            for suits in deal.symmetries:
                image = tuple(sorted(permute_card(suits, card) for card in dealt.cards))
                if image not in seen:
                    seen.append(image)
                    sources += [before[int(hand)] for hand in permute_hands(suits)[after]]
            assert dealt.sources[player].tolist() == sources
            assert dealt.targets[player].tolist() == list(range(len(after))) * len(seen)
            kept = sources == list(range(len(before))) and len(after) == len(before)
            assert dealt.keeps[player] == kept


def test_boards_on_which_a_player_has_no_hand_do_not_follow() -> None:
    deal = deal_of("2c7dJhQs", ("AsAh", "KK"))
    cards = {dealt.label for dealt in deal.following}
    assert {"As", "Ah"}.isdisjoint(cards)
    assert {"Ac", "Ad", "Ks"} <= cards
    assert min(min(dealt.deal.counts) for dealt in deal.following) > 0


def test_a_range_that_no_card_touches_keeps_its_hands() -> None:
    dealt = {each.label: each for each in deal_of("2c7dJh", ("AA", "KK")).following}
    assert dealt["3d"].keeps == (True, True)
    assert dealt["Ac"].keeps == (False, True)


@pytest.mark.parametrize("board", ["7s7h8s8h", "2c7dJhQs"])
def test_tables_hold_the_same_hands_and_groups_of_equals(board: str) -> None:
    root = deal_of(board)
    deals = [root, *(dealt.deal for dealt in root.following)]
    none = np.zeros(0, np.int32)
    tables = card_tables(
        deals,
        kinds=none.astype(np.int8),
        boards=none,
        starts=np.zeros(1, np.int64),
        nodes=none,
    )
    for number, deal in enumerate(deals):
        for player in (0, 1):
            start = int(tables.hand_start[player, number])
            other = deal.hands[1 - player].tolist()
            for index, hand in enumerate(deal.hands[player].tolist()):
                same = other.index(hand) if hand in other else len(other)
                assert tables.same[start + index] == same
                cards = tables.low[start + index], tables.high[start + index]
                assert cards == tuple(HAND_CARDS[hand])
        groups = [] if deal.strengths is None else sorted({*deal.strengths[0], *deal.strengths[1]})
        assert tables.group_count[number] == len(groups)
        first = int(tables.group_start[number])
        for index, strength in enumerate(groups):
            assert deal.strengths is not None
            for player in (0, 1):
                end = int((deal.strengths[player] <= strength).sum())
                assert tables.group_end[player, first + index] == end


def test_ranges_before_the_flop_lose_nothing() -> None:
    ranges = parse_range("AA"), parse_range("KK")
    deal = Deal.first((), ranges, 5, ((0, 1, 2, 3),))
    assert deal.counts == (6, 6)


FEW = ("AhAd,KhKd,QdJd", "AsKs,9h9d,8h7h")


def few_cards(deck: str, ranges: tuple[str, str] = FEW) -> Deal:
    spot = Spot.of("2c7dJh", ranges=ranges, pot=100, behind=100, bets="a")
    return Deal.first(spot.board, spot.ranges, 5, (IDENTITY,), deck=parse_cards(deck))


def test_only_cards_of_a_deck_are_dealt_and_all_are_equally_likely() -> None:
    turns = few_cards("3s5c9cTh").following
    assert sorted(dealt.label for dealt in turns) == ["3s", "5c", "9c", "Th"]
    assert [dealt.chance for dealt in turns] == [1 / 4] * 4
    for turn in turns:
        rivers = turn.deal.following
        assert len(rivers) == 3
        assert {dealt.chance for dealt in rivers} == {1 / 3}
        assert all(dealt.deal.counts == (3, 3) for dealt in rivers), "no hand is blocked"


def test_equity_with_a_deck_is_the_mean_over_its_runouts() -> None:
    deck = "3s5c9cTh"
    spot = Spot.of("2c7dJh", ranges=FEW, pot=100, behind=100, bets="a")
    cards = parse_cards(deck)
    state = CardState(spot, spot.rules.start(), few_cards(deck), "")

    def actions(node: Any) -> frozenset[str]:
        return frozenset(["k"])

    tree = build_forest(CardBuilder(), [state], actions=actions)
    checked = BestResponse(tree, np.ones(tree.sizes.slots)).value(0, EXPECT)
    won = met = 0.0
    for first, second in product(*(np.flatnonzero(held) for held in spot.ranges)):
        if set(HAND_CARDS[first]) & set(HAND_CARDS[second]):
            continue
        for turn, river in permutations(cards, 2):
            ranks = rank_boards([(*spot.board, turn, river)])[0]
            won += 50 * np.sign(ranks[first] - ranks[second])
            met += 1
    assert checked == pytest.approx(won / met)


@pytest.mark.parametrize(
    ("deck", "error"),
    [("3s", "at least 2 different cards"), ("2c3s", "not on the board"), ("Ah3s", "of the deck")],
)
def test_a_deck_that_does_not_fit_is_refused(deck: str, error: str) -> None:
    with pytest.raises(GameError, match=error):
        few_cards(deck)
