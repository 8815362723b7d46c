"""Folds and showdowns of card games in linear time, sixteen terminals of one board at a time.

A hand's value at a terminal is a sum over the opponent's hands that share no card with it. With the
opponent's reach summed over all hands (total) and over the hands with each card (sum), a fold is

    value[h] = total - sum[low card of h] - sum[high card of h] + reach[h]

because the hand itself is in both sums. A showdown needs the same sums over weaker hands, less
those over stronger hands. Hands are ordered by strength, so running sums are read before and after
a hand's group of equal strength: weaker, and not stronger. Their sum less the sum over all hands is
the required difference.

All terminals of a board share its order, so sixteen are evaluated at once: their reaches are
transposed to [hand, terminal] and every step is one vector operation.
"""

from __future__ import annotations

from dataclasses import dataclass

from tacit.array_record import (
    ArrayRecord,
    Int8,
    Int32,
    Int32Rows,
    Int64,
    Int64Rows,
)
from tacit.kernel import inner_kernel, kernel
from tacit.simd import LANES, ROWS, gather, load, scatter, store

FOLD, SHOWDOWN = 0, 1
"""Kinds of batches."""

DECK = 64
"""Entries for the sums of each card; card numbers are below it."""


@dataclass(frozen=True, eq=False)
class CardTables(ArrayRecord):
    """The cards of all hands on each of B boards, for the kernels.

    Hand i of player p on board b is entry `hand_start[p, b] + i` of the flat arrays over hands.
    """

    hand_start: Int64Rows
    """[2, B] where a player's hands on a board begin"""
    low: Int32
    """[.] one card of each hand"""
    high: Int32
    """[.] the other"""
    same: Int32
    """[.] the opponent's hand with the same cards, or the number of its hands if it has none"""
    group_start: Int64
    """[B] where a board's groups of equal strength, weakest first, begin"""
    group_count: Int32
    """[B] how many there are; 0 where no showdown takes place"""
    group_end: Int32Rows
    """[2, .] one past the last hand of each group, for each player"""
    batch_kind: Int8
    """[Q] FOLD or SHOWDOWN; a batch is the terminals of one kind and board in a range of nodes"""
    batch_board: Int32
    """[Q] its board"""
    batch_start: Int64
    """[Q + 1] where its terminals begin in `batch_node`; those of a range are consecutive"""
    batch_node: Int32
    """[.] terminal nodes"""


def work_size(hands: int) -> int:
    """Entries that `card_terminals` needs for `hands`, the most of one player on a board."""
    return LANES * (2 * (hands + ROWS + 1) + DECK)


@kernel
def card_terminals(
    kind, cards, board, player, counts, reach, sources, values, targets, scales, work
):  # fmt: skip
    """Set the values of `player` at LANES terminals of one kind and board.

    cards: CardTables; counts: the numbers of hands of `player` and of the opponent; reach: the
    opponent's, that of terminal l from `sources[l]` on; values: from `targets[l]` on; scales
    [LANES]: what `player` wins when ahead (a showdown) or gets (a fold); work: [work_size]. With
    fewer than LANES terminals, the other targets may be unused memory.
    """
    mine, others = counts
    out = LANES * (others + ROWS + 1)
    sums = out + LANES * (mine + ROWS + 1)
    _turn(others, reach, sources, work)
    for entry in range(sums, sums + LANES * DECK):
        work[entry] = 0
    for entry in range(LANES * others, LANES * (others + 1)):
        work[entry] = 0
    own, other = cards.hand_start[player, board], cards.hand_start[1 - player, board]
    low, high = cards.low, cards.high
    total = load(work, LANES * others)
    if kind == FOLD:
        for j in range(others):
            weight = load(work, LANES * j)
            total = total + weight
            one, two = sums + LANES * low[other + j], sums + LANES * high[other + j]
            store(work, one, load(work, one) + weight)
            store(work, two, load(work, two) + weight)
        same = cards.same
        for i in range(mine):
            one, two = sums + LANES * low[own + i], sums + LANES * high[own + i]
            itself = load(work, LANES * same[own + i])
            store(work, out + LANES * i, total - load(work, one) - load(work, two) + itself)
    else:
        first = cards.group_start[board]
        i = j = 0
        for group in range(first, first + cards.group_count[board]):
            end, other_end = cards.group_end[player, group], cards.group_end[1 - player, group]
            for k in range(i, end):
                one, two = sums + LANES * low[own + k], sums + LANES * high[own + k]
                store(work, out + LANES * k, total - load(work, one) - load(work, two))
            while j < other_end:
                weight = load(work, LANES * j)
                total = total + weight
                one, two = sums + LANES * low[other + j], sums + LANES * high[other + j]
                store(work, one, load(work, one) + weight)
                store(work, two, load(work, two) + weight)
                j += 1
            while i < end:
                one, two = sums + LANES * low[own + i], sums + LANES * high[own + i]
                before = load(work, out + LANES * i)
                store(work, out + LANES * i, before + total - load(work, one) - load(work, two))
                i += 1
        for k in range(mine):
            one, two = sums + LANES * low[own + k], sums + LANES * high[own + k]
            less = total - load(work, one) - load(work, two)
            store(work, out + LANES * k, load(work, out + LANES * k) - less)
    _turn_back(mine, work, out, values, targets, scales)


@inner_kernel
def _turn(count, reach, sources, work):
    """work[j * LANES + l] = reach[sources[l] + j]."""
    whole = count - count % ROWS
    for j in range(0, whole, ROWS):
        gather(reach, sources, j, work, LANES * j)
    for lane in range(LANES):
        for j in range(whole, count):
            work[LANES * j + lane] = reach[sources[lane] + j]


@inner_kernel
def _turn_back(count, work, out, values, targets, scales):
    """values[targets[l] + i] = scales[l] * work[out + i * LANES + l]."""
    whole = count - count % ROWS
    for i in range(0, whole, ROWS):
        scatter(work, out + LANES * i, values, targets, scales, i)
    for lane in range(LANES):
        for i in range(whole, count):
            values[targets[lane] + i] = scales[lane] * work[out + LANES * i + lane]
