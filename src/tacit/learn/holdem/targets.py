"""Targets by exact solving: what PBSs are worth when they are played to the end of the game.

A target is a hand's best-response value against the solution, so it is defined for hands of no
reach. The values of both players are shifted by the same amount so that they are zero-sum.

At a PBS before a card some of the next cards are drawn and solved, `cards` of them. The mean over
these is noisy, but most of the noise is in equity, which is known exactly for every card and for
all of them: what is averaged is the difference between value and equity. Each card that was solved
is an example of its own, at the start of the street. A network that has learnt these answers for
all cards at once (`average_by_network`), which is much faster than solving them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, GameError
from tacit.games.holdem.cards import NUM_CARDS, NUM_HANDS
from tacit.learn.checked_settings import Checked, number
from tacit.learn.holdem.equity_table import Float32
from tacit.learn.holdem.knots import (
    PBSArrays,
    Positions,
    card_state,
    locate,
    locate_ranges,
    pbs_arrays,
    zero_sum,
)
from tacit.learn.holdem.network import KnotEvaluator
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.oracle import SubgameSolver
from tacit.tree.cards.builder import CardBuilder
from tacit.tree.pbs import PBS

Values = list[tuple[NDArray[Any], NDArray[Any]]]
GROWTH = 1.05
"""How much later each correction of a `CorrectedEvaluator` is than the one before."""
FOREST = 4
"""Number of PBSs that are solved together: larger forests leave the processor's cache."""


@dataclass(frozen=True, kw_only=True)
class TargetSettings(Checked):
    """How PBSs are solved."""

    algorithm: str = "dcfr"
    """The algorithm, one of those of `tacit solve`."""
    iterations: int = number(250, least=1)
    """Number of its iterations: rivers of self-play are then 0.4 % of the pot from exact values."""
    cards: int = number(1, least=1)
    """Number of next cards that are solved at a PBS before a card."""

    def __post_init__(self) -> None:
        super().__post_init__()
        find_algorithm(self.algorithm)


@dataclass(frozen=True, eq=False)
class Solved:
    """PBSs in coordinates with their values [n, 2, 1326] in shares of the pot, zero-sum.

    known: [n, 2, 1326] the hands whose values are known, None: all that are live.
    """

    positions: Positions
    shares: Float32
    known: NDArray[np.bool_] | None = None


def together(parts: Sequence[Solved]) -> Solved:
    """All PBSs of the parts, whose values are known for all live hands."""
    names = [entry.name for entry in fields(Positions)]
    joined = (np.concatenate([getattr(part.positions, name) for part in parts]) for name in names)
    return Solved(Positions(*joined), np.concatenate([part.shares for part in parts]))


def solve_starts(pbss: Sequence[PBS], settings: TargetSettings) -> Solved:
    """PBSs at the start of a street's betting, solved to the end of the game in small forests."""
    values: Values = []
    for first in range(0, len(pbss), FOREST):
        part = pbss[first : first + FOREST]
        solver = SubgameSolver(
            CardBuilder(), algorithm=settings.algorithm, iterations=settings.iterations
        )
        values += solver.best_values([pbs.state for pbs in part], [pbs.beliefs for pbs in part])
    positions = locate(pbss)
    return Solved(positions, zero_sum(as_shares(pbss, positions, values), positions.weight))


def solve_before_card(
    pbss: Sequence[PBS], settings: TargetSettings, random: np.random.Generator
) -> tuple[Solved, Solved]:
    """PBSs before a card, and the PBSs after each card that was drawn."""
    after, counts = list[PBS](), list[int]()
    for pbs in pbss:
        dealt = next_pbss(pbs, settings.cards, random)
        after += dealt
        counts.append(len(dealt))
    solved = solve_starts(after, settings)
    positions = locate(pbss)
    return average_over_cards(positions, solved, counts), solved


def average_over_cards(positions: Positions, after: Solved, counts: Sequence[int]) -> Solved:
    """Values before the card: exact equity, and the mean of the rest over cards.

    after: the PBSs after some cards, `counts[n]` of each of the n `positions`. A card's weight for
    a hand is the opponent's reach that hand and card leave possible. Of hands that hold a card of
    every deal nothing is known.
    """
    rest = after.shares - (after.positions.equity - np.float32(0.5))
    shares = positions.equity - np.float32(0.5)
    known = np.zeros(shares.shape, np.bool_)
    first = 0
    for which, count in enumerate(counts):
        part = slice(first, first + count)
        first += count
        met = after.positions.met[part]
        total = met.sum(axis=0)
        mean = (met * rest[part]).sum(axis=0)
        known[which] = total > 0
        shares[which] += np.divide(mean, total, out=np.zeros_like(mean), where=known[which])
    return Solved(positions, zero_sum(shares, positions.weight * known), known)


def next_pbss(pbs: PBS, most: int, random: np.random.Generator) -> list[PBS]:
    """The PBSs after `most` random next cards, or after all; impossible ones are left out."""
    state = pbs.state
    if state.mover != CHANCE:
        raise GameError("no card is due at this PBS; expected one before a card")
    transitions = state.expand().transitions
    made = []
    for which in random.permutation(len(transitions)).tolist():
        transition = transitions[which]
        if transition.share != 1:
            raise GameError(
                "the public state renames suits; make it with CardState.of(spot, isomorphism=False)"
            )
        first, second = (pbs.beliefs[p][transition.sources[p]] for p in (0, 1))
        child = transition.child
        if first @ child.compatible_reach(0, second) > 0:
            made.append(PBS(child, (first, second)))
        if len(made) == most:
            break
    return made


def average_by_network(
    evaluator: KnotEvaluator,
    pbss: Sequence[PBS] | PBSArrays,
    *,
    deals: Sequence[tuple[int, ...]] | None = None,
) -> Solved:
    """PBSs before a card, valued by an evaluator for the street after it.

    The next cards are all that may come, or `deals`, such as a sample of flops before the flop.
    Deals must be of as many cards as the street has. Boards are taken one after the other, so PBSs
    of one board are fastest together.
    """
    arrays = pbss if isinstance(pbss, PBSArrays) else pbs_arrays(pbss)
    positions = arrays.locate()
    shares = positions.equity - np.float32(0.5)
    for board, numbers in arrays.by_board().items():
        rows = np.array([number for number in numbers if positions.scale[number] > 0], np.int64)
        if not len(rows):
            continue
        ranges = arrays.ranges[rows]
        left = [card for card in range(NUM_CARDS) if card not in board]
        situation = positions.situation[rows] + 1
        total, mean = (np.zeros(ranges.shape, np.float32) for _ in range(2))
        for dealt in deals or [(card,) for card in left]:
            if set(dealt) & set(board):
                continue
            boards = [(*board, *dealt)] * len(rows)
            chips = positions.pot[rows], positions.ratio[rows]
            after = locate_ranges(boards, ranges, *chips, situation)
            rest = evaluator.shares(after) - (after.equity - np.float32(0.5))
            mean += after.met * rest
            total += after.met
        shares[rows] += np.divide(mean, total, out=np.zeros_like(mean), where=total > 0)
    return Solved(positions, zero_sum(shares, positions.weight))


def corrected_average(
    evaluator: KnotEvaluator,
    pbss: Sequence[PBS],
    after: Solved,
    counts: Sequence[int],
    *,
    deals: Sequence[tuple[int, ...]] | None = None,
) -> Solved:
    """PBSs before a card: the evaluator's mean over cards less its mean error on solved ones.

    after: the PBSs after some cards, `counts[n]` of each of the n PBSs, solved; deals: as in
    `average_by_network`. In the mean over the cards that were drawn this is the mean of solutions
    over all cards, with the noise of the evaluator's errors instead of that of the values.
    """
    there = after.positions
    wrong = after.shares - evaluator.shares(there) + (there.equity - np.float32(0.5))
    rest = average_over_cards(locate(pbss), Solved(there, wrong), counts)
    mean = average_by_network(evaluator, pbss, deals=deals)
    shares = mean.shares + rest.shares - (rest.positions.equity - np.float32(0.5))
    known = rest.known if rest.known is not None else np.ones(shares.shape, np.bool_)
    return Solved(mean.positions, zero_sum(shares, mean.positions.weight * known), known)


class CardAverage:
    """The evaluator before a card that averages another one over all next cards.

    It is as accurate as the network after the card, and about ten times as slow as one before it.
    """

    def __init__(self, after: KnotEvaluator) -> None:
        self.after = after

    def values(self, pbss: Sequence[PBS]) -> Values:
        """For each PBS the expected chips [K_0] and [K_1]; equity where nothing is behind."""
        found = average_by_network(self.after, pbss)
        answers = []
        for which, pbs in enumerate(pbss):
            chips = found.positions.pot[which] * found.shares[which].astype(np.float64)
            first, second = card_state(pbs).deal.hands
            answers.append((chips[0][first], chips[1][second]))
        return answers


class CorrectedEvaluator:
    """A network before a card, corrected now and then by its own mean over all next cards.

    At some calls, closer together at first, the mean over cards is asked for too. Its difference
    to the network's answer before the card is added, at the same public state, until the next such
    call. The beliefs of an average policy move less and less, so the difference stays good, and a
    long search does not settle where the network before the card errs. An evaluator belongs to one
    search, whose calls it counts.
    """

    def __init__(self, network: KnotEvaluator, *, growth: float = GROWTH) -> None:
        if growth < 1:
            raise GameError(f"calls between corrections cannot grow by {growth}; give 1 or more")
        self.network, self.growth = network, growth
        self.calls = self.corrections = 0
        self._due = 1.0
        self._differences: dict[Any, tuple[NDArray[Any], NDArray[Any]]] = {}

    def values(self, pbss: Sequence[PBS]) -> Values:
        """For each PBS the expected chips [K_0] and [K_1]."""
        self.calls += 1
        answers = self.network.values(pbss)
        keys = [pbs.state.key for pbs in pbss]
        if self.calls >= self._due or not self._differences.keys() >= set(keys):
            self.corrections += 1
            self._due = max(self.calls + 1, self.calls * self.growth)
            means = CardAverage(self.network).values(pbss)
            for key, (first, second), mean in zip(keys, answers, means, strict=True):
                self._differences[key] = mean[0] - first, mean[1] - second
        found: Values = []
        for key, (first, second) in zip(keys, answers, strict=True):
            more, other = self._differences[key]
            found.append((first + more, second + other))
        return found


def as_shares(pbss: Sequence[PBS], positions: Positions, values: Values) -> Float32:
    """[n, 2, 1326] the values of hands [K_0] and [K_1] in chips as shares of the pot."""
    shares = np.zeros((len(pbss), 2, NUM_HANDS), np.float32)
    for which, (pbs, pair) in enumerate(zip(pbss, values, strict=True)):
        for player in (0, 1):
            own = card_state(pbs).deal.hands[player]
            shares[which, player, own] = pair[player] / positions.pot[which]
    return shares
