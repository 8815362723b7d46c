"""Boards of hold'em and the hands alive on them: the infostates of card public states.

The infostates of a player are the hands of the range that share no card with the board. On the last
street they are ordered by strength, as the showdown kernel requires. The boards that follow many
boards are made together, in a few array operations for all of them.

If the ranges do not depend on the names of suits, boards that differ only in these names are made
once: one board stands for all of them, and its map says which of the parent's hands is which of the
child's under each renaming.

A *deck* makes a smaller game: only its cards are dealt, and no hand holds one of them. So a deal
has the same chance for every pair of hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.betting import BOARD_SIZES
from tacit.games.holdem.board_classes import RENAMINGS
from tacit.games.holdem.cards import HAND_CARDS, NUM_CARDS, NUM_HANDS, format_cards, hand_name
from tacit.games.holdem.hand_rank import rank_boards
from tacit.games.holdem.spot import IDENTITY, Ranges, Suits, permute_card, permute_hands
from tacit.tree.cards.terminals import CardTables

Hands = NDArray[np.int16]
Map = NDArray[np.int32]
Maps = tuple[Map, Map]

BATCH = 512
"""How many boards are made together."""
_HAND_BITS, _TIE_BITS = 11, 15
_DEAD = np.iinfo(np.int32).max
_STRENGTHS = 1 << 13
"""More than any hand's strength."""


_SUITS = (HAND_CARDS % 4).astype(np.int32)
_TIES = (4 * ((_SUITS[:, 0] - _SUITS[:, 1]) % 4) + _SUITS[:, 0] << _HAND_BITS) + np.arange(
    NUM_HANDS, dtype=np.int32
)
"""[1326] the order of hands of equal strength, with the hand's number in the lowest bits.

Neighbours share no card, so successive additions of the kernel to the sums of cards do not depend
on each other."""


@dataclass(frozen=True)
class NextDeal:
    """A possible deal: `cards` stand for all that differ from them only in suits.

    chance: of each of them; share: one over their number; sources, targets: [.] for each player,
    the hands before the deal and the same hands after it, under each renaming of suits.
    """

    cards: tuple[int, ...]
    deal: Deal
    chance: float
    share: float
    sources: Maps
    targets: Maps
    keeps: tuple[bool, bool]
    """For each player, whether every hand keeps its index."""

    @property
    def label(self) -> str:
        """The cards, such as ``2h``."""
        return format_cards(self.cards)


@dataclass(eq=False)
class Deal:
    """The hands that are possible on a board, and the boards that may follow."""

    board: tuple[int, ...]
    ranges: Ranges
    last: int
    """The number of board cards on the last street."""
    symmetries: tuple[Suits, ...]
    """The renamings of suits that change neither the cards dealt so far, street by street, nor the
    ranges."""
    hands: tuple[Hands, Hands]
    """[K_p] hand numbers in the order of infostates"""
    strengths: tuple[Map, Map] | None
    """[K_p] their strengths on the last street, None before"""
    deck: tuple[int, ...] | None = None
    """The cards that may be dealt, which no hand holds; None: all cards."""
    _following: tuple[NextDeal, ...] | None = None

    def __post_init__(self) -> None:
        self.counts = len(self.hands[0]), len(self.hands[1])

    @classmethod
    def first(
        cls,
        board: tuple[int, ...],
        ranges: Ranges,
        last: int,
        symmetries: tuple[Suits, ...],
        *,
        deck: tuple[int, ...] | None = None,
    ) -> Deal:
        """The deal with which a spot begins; GameError if a range holds cards of the deck."""
        if deck is not None:
            assert symmetries == (IDENTITY,), "a deck need not have symmetries"
            _check_deck(deck, board, ranges, last)
        showdown = len(board) == last
        one, two = _hands(np.array([board], np.int8).reshape(1, -1), ranges, showdown=showdown)
        strengths = (one.strengths, two.strengths) if showdown else None
        return cls(board, ranges, last, symmetries, (one.hands, two.hands), strengths, deck)

    @property
    def following(self) -> tuple[NextDeal, ...]:
        """The possible deals of the next street on which both players still have hands."""
        if self._following is None:
            deal_next([self])
        assert self._following is not None
        return self._following

    def orbits(self, count: int) -> list[tuple[tuple[int, ...], tuple[Suits, ...]]]:
        """The possible deals of `count` cards, one for all that differ only in suits.

        Each comes with the renamings that map it to all deals it stands for.
        """
        left = [card for card in self.deck or range(NUM_CARDS) if card not in self.board]
        if self.symmetries == (IDENTITY,):  # much faster
            return [(cards, self.symmetries) for cards in combinations(left, count)]
        orbits = []
        seen: set[tuple[int, ...]] = set()
        for cards in combinations(left, count):
            if cards in seen:
                continue
            images: dict[tuple[int, ...], Suits] = {}
            for suits in self.symmetries:
                image = tuple(sorted(permute_card(suits, card) for card in cards))
                images.setdefault(image, suits)
            seen.update(images)
            orbits.append((cards, tuple(images.values())))
        return orbits

    @property
    def unseen(self) -> int:
        """The number of cards that may be dealt when both players hold a hand."""
        if self.deck is None:
            return NUM_CARDS - len(self.board) - 4
        return len(set(self.deck) - set(self.board))

    def below(self, cards: tuple[int, ...]) -> tuple[Suits, ...]:
        """The symmetries that remain after dealing `cards`."""
        if len(self.symmetries) == 1:
            return self.symmetries
        dealt = {*cards}
        return tuple(
            s for s in self.symmetries if {permute_card(s, card) for card in dealt} == dealt
        )

    @cached_property
    def privates(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of each player's hands, such as ``AhKd``."""
        first, second = (tuple(hand_name(int(hand)) for hand in own) for own in self.hands)
        return first, second

    @cached_property
    def cards(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """[K_p, 2] the cards of each player's hands."""
        return HAND_CARDS[self.hands[0]], HAND_CARDS[self.hands[1]]

    @cached_property
    def compatibility(self) -> NDArray[np.float64]:
        """[K0, K1] one where two hands share no card; for tests and small ranges only."""
        first, second = self.cards
        apart: NDArray[np.bool_] = (first[:, None, :, None] != second[None, :, None, :]).all((2, 3))
        return apart.astype(np.float64)


def _check_deck(deck: tuple[int, ...], board: tuple[int, ...], ranges: Ranges, last: int) -> None:
    """GameError unless the board can be dealt from `deck` without a card of board or ranges."""
    if len(set(deck)) != len(deck) or set(deck) & set(board) or len(deck) < last - len(board):
        raise GameError(
            f"a deck has at least {last - len(board)} different cards that are not on the board; "
            f"this one is {format_cards(deck) or 'empty'}"
        )
    if any(held[np.isin(HAND_CARDS, deck).any(axis=1)].any() for held in ranges):
        raise GameError(f"the ranges have hands with cards of the deck {format_cards(deck)}")


def deal_next(deals: Sequence[Deal]) -> None:
    """Compute `following` of `deals`, boards of one spot and street, together."""
    waiting = [deal for deal in deals if deal._following is None]
    size = len(deals[0].board)
    count = BOARD_SIZES[BOARD_SIZES.index(size) + 1] - size
    step = max(1, BATCH // comb(NUM_CARDS - size, count))
    for start in range(0, len(waiting), step):
        _deal_batch(waiting[start : start + step], count)


def _deal_batch(deals: Sequence[Deal], count: int) -> None:
    ranges, last = deals[0].ranges, deals[0].last
    size = len(deals[0].board)
    dealt = [(n, *orbit) for n, deal in enumerate(deals) for orbit in deal.orbits(count)]
    boards = np.array([(*deals[n].board, *cards) for n, cards, _ in dealt], np.int8)
    showdown = size + count == last
    both = _hands(boards, ranges, showdown=showdown)
    maps = [_maps(deals, dealt, made, player) for player, made in enumerate(both)]
    chance = 1 / comb(deals[0].unseen, count)
    next_deals: list[list[NextDeal]] = [[] for _ in deals]
    for row, (n, cards, renamings) in enumerate(dealt):
        own = tuple(slice(*made.starts[row : row + 2]) for made in both)
        if any(part.start == part.stop for part in own):
            continue
        parent = deals[n]
        child = Deal(
            (*parent.board, *cards),
            ranges,
            last,
            parent.below(cards),
            (both[0].hands[own[0]], both[1].hands[own[1]]),
            (both[0].strengths[own[0]], both[1].strengths[own[1]]) if showdown else None,
            parent.deck,
        )
        sources = maps[0][row], maps[1][row]
        targets = _tiled(child.counts[0], len(renamings)), _tiled(child.counts[1], len(renamings))
        first, second = (
            parent.counts[p] == child.counts[p] and np.array_equal(sources[p], targets[p])
            for p in (0, 1)
        )
        share = 1 / len(renamings)
        next_deals[n].append(
            NextDeal(cards, child, chance, share, sources, targets, (first, second))
        )
    for deal, following in zip(deals, next_deals, strict=True):
        deal._following = tuple(following)


class _Hands(NamedTuple):
    """One player's hands on B boards: those of board b are hands[starts[b]:starts[b + 1]]."""

    hands: Hands
    strengths: Map
    starts: list[int]


def _hands(boards: NDArray[np.int8], ranges: Ranges, *, showdown: bool) -> tuple[_Hands, _Hands]:
    """The live hands of both players on each of `boards` [B, cards], in the order of infostates."""
    count = len(boards)
    if showdown:
        strengths = rank_boards(boards)
    else:
        dead = np.zeros((count, NUM_CARDS), np.bool_)
        np.put_along_axis(dead, boards.astype(np.int64), True, axis=1)
        blocked = dead[:, HAND_CARDS[:, 0]] | dead[:, HAND_CARDS[:, 1]]
        strengths = np.where(blocked, np.int32(-1), np.int32(0))
    made = []
    for weights in ranges:
        held = np.flatnonzero(weights > 0)
        own = strengths[:, held]
        ties = _TIES[held] if showdown else held.astype(np.int32)
        keys = np.where(own < 0, np.int32(_DEAD), (own << _TIE_BITS) + ties)
        keys.sort(axis=1)
        alive = keys < _DEAD
        keys = keys[alive]
        starts = [0, *np.cumsum(alive.sum(axis=1)).tolist()]
        hands = (keys & ((1 << _HAND_BITS) - 1)).astype(np.int16)
        made.append(_Hands(hands, keys >> _TIE_BITS, starts))
    return made[0], made[1]


def _maps(
    deals: Sequence[Deal],
    dealt: Sequence[tuple[int, tuple[int, ...], tuple[Suits, ...]]],
    made: _Hands,
    player: int,
) -> list[Map]:
    """For each new board [.] the indices of its hands on the board before, by renaming."""
    place = np.full((len(deals), NUM_HANDS), -1, np.int32)
    for n, deal in enumerate(deals):
        place[n, deal.hands[player]] = np.arange(deal.counts[player], dtype=np.int32)
    rows = [(n, row, s) for row, (n, _, renamings) in enumerate(dealt) for s in renamings]
    number = {suits: index for index, suits in enumerate(RENAMINGS)}
    parents = np.array([n for n, _, _ in rows])
    boards = np.array([row for _, row, _ in rows])
    suits = np.array([number[s] for _, _, s in rows])
    starts = np.array(made.starts)
    lengths = np.diff(starts)[boards]
    ends = np.cumsum(lengths)
    inside = np.arange(int(ends[-1])) - np.repeat(ends - lengths, lengths)
    hands = made.hands[np.repeat(starts[boards], lengths) + inside]
    renamed = _renamed()[np.repeat(suits, lengths), hands]
    flat = place[np.repeat(parents, lengths), renamed]
    counts = np.array([len(renamings) for _, _, renamings in dealt]) * np.diff(starts)
    cuts = [0, *np.cumsum(counts).tolist()]
    return [flat[cuts[row] : cuts[row + 1]] for row in range(len(dealt))]


@cache
def _renamed() -> NDArray[np.int16]:
    """[24, 1326] the image of each hand under each of `RENAMINGS`."""
    return np.stack([permute_hands(suits) for suits in RENAMINGS])


@cache
def numbers(count: int, block: int = 0) -> Map:
    """`count` consecutive numbers from `block * count` on; one shared array."""
    made = np.arange(block * count, (block + 1) * count, dtype=np.int32)
    made.flags.writeable = False
    return made


@cache
def _tiled(count: int, times: int) -> Map:
    """The first `count` numbers, `times` times."""
    made = np.tile(numbers(count), times)
    made.flags.writeable = False
    return made


def card_tables(
    deals: Sequence[Deal],
    kinds: NDArray[np.int8],
    boards: NDArray[np.int32],
    starts: NDArray[np.int64],
    nodes: NDArray[np.int32],
) -> CardTables:
    """The hands of `deals` for the kernels, with batches of terminals: see `CardTables`."""
    counts = np.array([deal.counts for deal in deals], dtype=np.int64)
    before = np.cumsum(counts.sum(axis=1)) - counts.sum(axis=1)
    hand_start = np.stack([before, before + counts[:, 0]])
    hands = np.concatenate([own for deal in deals for own in deal.hands])
    same = np.empty(len(hands), np.int32)
    group_count = np.zeros(len(deals), np.int32)
    ends: list[NDArray[np.int32]] = []
    for first in range(0, len(deals), BATCH):
        part = slice(first, min(first + BATCH, len(deals)))
        _fill_same(counts[part], hands, hand_start[:, part], same)
        group_count[part], group_ends = _groups(deals[part])
        ends.append(group_ends)
    return CardTables(
        hand_start=hand_start,
        low=HAND_CARDS[hands, 0].astype(np.int32),
        high=HAND_CARDS[hands, 1].astype(np.int32),
        same=same,
        group_start=np.cumsum(group_count, dtype=np.int64) - group_count,
        group_count=group_count,
        group_end=np.concatenate(ends, axis=1),
        batch_kind=kinds,
        batch_board=boards,
        batch_start=starts,
        batch_node=nodes,
    )


def _fill_same(
    counts: NDArray[np.int64],
    hands: Hands,
    hand_start: NDArray[np.int64],
    same: NDArray[np.int32],
) -> None:
    """Set `CardTables.same` for some boards: counts [B, 2], hand_start [2, B]."""
    for player in (0, 1):
        place = np.repeat(counts[:, 1 - player].astype(np.int32)[:, None], NUM_HANDS, axis=1)
        board, inside = _each(counts[:, 1 - player])
        place[board, hands[hand_start[1 - player, board] + inside]] = inside
        board, inside = _each(counts[:, player])
        where = hand_start[player, board] + inside
        same[where] = place[board, hands[where]]


def _each(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each of the `counts` [B] items of each board: the board, and the item's number there."""
    board = np.repeat(np.arange(len(counts)), counts)
    return board, np.arange(len(board)) - np.repeat(np.cumsum(counts) - counts, counts)


def _groups(deals: Sequence[Deal]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """[B] the number of groups of equal strength on each board, and [2, .] where they end."""
    count = np.zeros(len(deals), np.int32)
    shown = [n for n, deal in enumerate(deals) if deal.strengths is not None]
    if not shown:
        return count, np.zeros((2, 0), np.int32)
    held = np.zeros(len(shown) * _STRENGTHS, np.bool_)
    keys, starts = [], []
    for player in (0, 1):
        own = [deals[n].strengths for n in shown]
        lengths = np.array([deals[n].counts[player] for n in shown])
        board = np.repeat(np.arange(len(shown)), lengths)
        flat = np.concatenate([pair[player] for pair in own if pair is not None])
        keys.append(board * _STRENGTHS + flat)
        starts.append(np.cumsum(lengths) - lengths)
        held[keys[-1]] = True
    groups = np.flatnonzero(held)
    board = groups // _STRENGTHS
    count[shown] = np.bincount(board, minlength=len(shown))
    ends = [
        np.searchsorted(key, groups, side="right") - start[board]
        for key, start in zip(keys, starts, strict=True)
    ]
    return count, np.stack(ends).astype(np.int32)
