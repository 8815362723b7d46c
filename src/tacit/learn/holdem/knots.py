"""Equity knots: what a network sees of two ranges and answers for all hands.

Each hand has two coordinates against the opponent's range: its equity over all runouts, and its
potential (`equity_table`). Equities have `KNOTS` knots; a hand belongs to the two knots around its
equity, in linear interpolation. For each player the network sees the density of the range over
knots, the cumulated density, and the density times potential. It answers three numbers at each
knot, a curve over equity for each power of the potential: a hand's value in shares of the pot is

    equity - 1/2 + scale * (c0(equity) + c1(equity) * s + c2(equity) * s**2)

with s its potential and c the interpolated curves, a correction to exact equity. The scale is the
stack-to-pot ratio, at most one: with nothing behind, the value is exact.

Cards appear in no other way, so all of this is the same for positions that differ only in the names
of suits, and no suit is renamed.
"""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, GameError
from tacit.games.holdem.betting import STREETS
from tacit.games.holdem.cards import NUM_HANDS
from tacit.kernel import kernel
from tacit.learn.holdem.equity_table import Float32, equity_table
from tacit.tree.cards.states import CardState
from tacit.tree.pbs import PBS

KNOTS = 65
POWERS = 3
"""The powers of a hand's potential: 1, s and s squared."""


class Situation(IntEnum):
    """Where in a hand a PBS is: before the cards of a street, or at the start of its betting."""

    BEFORE_FLOP = 0
    FLOP = 1
    BEFORE_TURN = 2
    TURN = 3
    BEFORE_RIVER = 4
    RIVER = 5

    @property
    def label(self) -> str:
        """The name in messages and files, such as ``before the river``."""
        street = STREETS[1 + self // 2]
        return street if self % 2 else f"before the {street}"


SCALARS = 4
"""Two functions of the stack-to-pot ratio, the scale, and whether the player acts first."""
INPUTS = SCALARS + len(Situation) + 6 * KNOTS
OUTPUTS = POWERS * KNOTS


@dataclass(frozen=True, eq=False)
class Positions:
    """n PBSs in coordinates. Hands are all 1,326; those that the board blocks weigh nothing.

    live: [n, 1326] whether the board leaves a hand possible; equity: [n, 2, 1326] for each player;
    potential: [n, 1326]; weight: [n, 2, 1326] the chance of
    each hand given both ranges, which sums to one; met: [n, 2, 1326] the part of the opponent's
    range, whose reach is as given, that a hand does not block; pot, ratio, scale: [n] in chips, the
    stack-to-pot ratio, and the correction's factor; situation: [n].
    """

    live: NDArray[np.bool_]
    equity: Float32
    potential: Float32
    weight: Float32
    met: Float32
    pot: NDArray[np.float64]
    ratio: Float32
    scale: Float32
    situation: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.pot)

    def rows(self) -> Float32:
        """[n, 2, INPUTS] what the network sees, for the values of each player."""
        count = len(self)
        rows = np.zeros((count, 2, INPUTS), np.float32)
        logarithm = np.log1p(self.ratio)
        rows[:, :, 0] = (logarithm / 2)[:, None]
        rows[:, :, 1] = (self.ratio / (1 + self.ratio))[:, None]
        rows[:, :, 2] = self.scale[:, None]
        rows[:, 0, 3] = 1
        rows[np.arange(count), :, SCALARS + self.situation] = 1
        _densities(self.equity, self.potential, self.weight, rows[:, :, SCALARS + len(Situation) :])
        return rows

    def values(self, curves: Float32) -> Float32:
        """[n, 2, 1326] values in shares of the pot, zero-sum, from curves [n, 2, OUTPUTS]."""
        values = self.equity - np.float32(0.5)
        _add_curves(self.equity, self.potential, self.scale, curves, values)
        return zero_sum(values, self.weight)


def zero_sum(values: Float32, weight: Float32) -> Float32:
    """Values [n, 2, 1326] shifted by the same for all hands, so that the players' means cancel.

    weight: [n, 2, 1326] the chance of each hand, which sums to one.
    """
    gap = np.einsum("nph,nph->n", values, weight, dtype=np.float64)
    shifted: Float32 = values - (gap / 2).astype(np.float32)[:, None, None]
    return shifted


def situation_of(state: CardState) -> Situation:
    """Where the public state is; GameError in the middle of a street's betting."""
    betting = state.betting
    if betting.player == CHANCE:
        return Situation(2 * betting.street)
    if betting.player in (0, 1) and betting.street > 0 and not any(betting.acted):
        return Situation(2 * betting.street - 1)
    raise GameError(
        "a hold'em network answers before the cards of a street and at the start of its betting, "
        f"not after {state.history!r}; search to the end of the street"
    )


def card_state(pbs: PBS) -> CardState:
    """The public state of a PBS of hold'em; GameError for other games."""
    if not isinstance(pbs.state, CardState):
        raise GameError("a hold'em network answers for public states of hold'em only")
    return pbs.state


@dataclass(frozen=True, eq=False)
class PBSArrays:
    """n PBSs as plain arrays, to be kept and valued later.

    boards: n boards; ranges: [n, 2, 1326], dead hands are ignored; pot, ratio, situation: [n], see
    `Positions`.
    """

    boards: Sequence[tuple[int, ...]]
    ranges: Float32
    pot: NDArray[np.float64]
    ratio: Float32
    situation: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.pot)

    def at(self, numbers: Sequence[int]) -> PBSArrays:
        """The PBSs with these numbers."""
        rows = np.array(numbers, np.int64)
        boards = [self.boards[number] for number in numbers]
        return PBSArrays(
            boards, self.ranges[rows], self.pot[rows], self.ratio[rows], self.situation[rows]
        )

    def by_board(self) -> dict[tuple[int, ...], list[int]]:
        """The numbers of the PBSs of each board."""
        groups: dict[tuple[int, ...], list[int]] = {}
        for number, board in enumerate(self.boards):
            groups.setdefault(board, []).append(number)
        return groups

    def locate(self) -> Positions:
        """Their coordinates."""
        return locate_ranges(self.boards, self.ranges, self.pot, self.ratio, self.situation)


def locate(pbss: Sequence[PBS]) -> Positions:
    """The coordinates of PBSs of `CardState`s, board by board."""
    return pbs_arrays(pbss).locate()


def pbs_arrays(pbss: Sequence[PBS]) -> PBSArrays:
    """PBSs of `CardState`s as arrays."""
    count = len(pbss)
    ranges = np.zeros((count, 2, NUM_HANDS), np.float32)
    pot, behind = np.zeros(count), np.zeros(count)
    situation = np.zeros(count, np.int64)
    boards = []
    for number, pbs in enumerate(pbss):
        state = card_state(pbs)
        for player in (0, 1):
            ranges[number, player, state.deal.hands[player]] = pbs.beliefs[player]
        betting = state.betting
        pot[number] = 2 * min(betting.committed) + betting.rules.dead
        behind[number] = max(0, min(betting.rules.stacks) - min(betting.committed))
        situation[number] = situation_of(state)
        boards.append(state.board)
    ratio = (behind / pot).astype(np.float32)
    return PBSArrays(boards, ranges, pot, ratio, situation)


def locate_ranges(
    boards: Sequence[tuple[int, ...]],
    ranges: Float32,
    pot: NDArray[np.float64],
    ratio: Float32,
    situation: NDArray[np.int64],
) -> Positions:
    """The coordinates of n boards with ranges [n, 2, 1326], whose dead hands are ignored.

    Others: see `Positions`.
    """
    count = len(boards)
    live = np.zeros((count, NUM_HANDS), np.bool_)
    equity = np.full((count, 2, NUM_HANDS), 0.5, np.float32)
    weight, met = (np.zeros((count, 2, NUM_HANDS), np.float32) for _ in range(2))
    potential = np.zeros((count, NUM_HANDS), np.float32)
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, board in enumerate(boards):
        groups.setdefault(board, []).append(number)
    for board, numbers in groups.items():
        table = equity_table(board)
        rows = np.array(numbers)
        own = np.empty((len(rows), 2, len(table.hands)), np.float32)
        against = np.empty_like(own)
        _live_ranges(rows, table.hands, ranges, own, against)
        flat = against.reshape(-1, len(table.hands))
        margins, reach = (each.reshape(own.shape) for each in table.against(flat))
        _put_hands(rows, table.hands, own, margins, reach, equity, weight, met)
        for number in numbers:
            potential[number, table.hands] = table.potential
            live[number, table.hands] = True
    scale = np.minimum(ratio, np.float32(1))
    return Positions(live, equity, potential, weight, met, pot, ratio, scale, situation)


@kernel
def _live_ranges(rows, hands, ranges, own, against):
    """Copy the `rows` of ranges [n, 2, 1326] at hands [K] to own, the opponent's to against.

    own, against: [len(rows), 2, K].
    """
    for which in range(len(rows)):
        for player in range(2):
            for place in range(len(hands)):
                weight = ranges[rows[which], player, hands[place]]
                own[which, player, place] = weight
                against[which, 1 - player, place] = weight


@kernel
def _put_hands(rows, hands, own, margins, reach, equity, weight, met):
    """Write equity, weight and met [n, 2, 1326] of hands [K] at `rows`: see `Positions`.

    own, margins, reach: [len(rows), 2, K] the player's range, and the margin against the opponent's
    and its reach that a hand does not block.
    """
    for which in range(len(rows)):
        for player in range(2):
            total = 0.0
            for place in range(len(hands)):
                total += own[which, player, place] * reach[which, player, place]
            total = max(total, 1e-30)
            for place in range(len(hands)):
                left = reach[which, player, place]
                half = (1 + margins[which, player, place]) / 2
                at = rows[which], player, hands[place]
                equity[at] = min(max(half, 0.0), 1.0)
                weight[at] = own[which, player, place] * left / total
                met[at] = left


@kernel
def _densities(equity, potential, weight, rows):
    """Add both ranges to rows [n, 2, 6 * KNOTS]: own, then the opponent's, three parts each.

    The parts are the density over knots (one where it is uniform), the cumulated density at the
    knot, and the density times potential. Others: see `Positions`.
    """
    last = KNOTS - 1
    part = np.empty((2, 3, KNOTS))
    for n in range(equity.shape[0]):
        part[:] = 0
        for player in range(2):
            for hand in range(equity.shape[2]):
                share = weight[n, player, hand]
                if share > 0:
                    place = equity[n, player, hand] * last
                    low = min(int(place), last - 1)
                    over = place - low
                    s = potential[n, hand]
                    part[player, 0, low] += share * (1 - over)
                    part[player, 0, low + 1] += share * over
                    part[player, 2, low] += share * (1 - over) * s
                    part[player, 2, low + 1] += share * over * s
            total = 0.0
            for knot in range(KNOTS):
                part[player, 1, knot] = total + part[player, 0, knot] / 2
                total += part[player, 0, knot]
                part[player, 0, knot] *= KNOTS
                part[player, 2, knot] *= KNOTS
        for player in range(2):
            for side in range(2):
                of = player if side == 0 else 1 - player
                for kind in range(3):
                    first = (3 * side + kind) * KNOTS
                    for knot in range(KNOTS):
                        rows[n, player, first + knot] = part[of, kind, knot]


@kernel
def _add_curves(equity, potential, scale, curves, values):
    """Add the interpolated curves [n, 2, POWERS * KNOTS] to values [n, 2, 1326]."""
    last = KNOTS - 1
    for n in range(equity.shape[0]):
        if scale[n] == 0:
            continue
        for player in range(2):
            curve = curves[n, player]
            for hand in range(equity.shape[2]):
                place = equity[n, player, hand] * last
                low = min(int(place), last - 1)
                over = place - low
                s = potential[n, hand]
                total = 0.0
                power = 1.0
                for degree in range(POWERS):
                    at = degree * KNOTS + low
                    total += power * (curve[at] + over * (curve[at + 1] - curve[at]))
                    power *= s
                values[n, player, hand] += scale[n] * total
