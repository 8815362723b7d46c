"""Kernels of gadgets: the opponent's values at the roots become its reach there.

gadgets: `GadgetArrays`; values, reach: flat, of the opponent; step: [4] as in `passes.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, log, sqrt

import numpy as np

from tacit.array_record import ArrayRecord, Float64, Float64Rows, Int64
from tacit.kernel import inlined_kernel, inner_kernel, kernel
from tacit.tree.kernels.passes import (
    FLOOR,
    LEAST_TOTAL,
    NEGATIVE,
    POSITIVE,
    PREDICTION,
    next_regret,
)

GIVEN, RESOLVE, MAXMARGIN, NORMAL, HEDGE = range(5)
"""Kinds of gadgets; see `tacit.solvers.gadgets`."""


@dataclass(frozen=True, eq=False)
class GadgetArrays(ArrayRecord):
    """The gadgets of R roots; the opponent has F infostates at all roots together."""

    opponent: Int64
    """[1] the player whose reach is set"""
    kind: Int64
    """[R]"""
    start: Int64
    """[R + 1] the first entry of each root"""
    value_at: Int64
    """[R] the opponent's first entry at the root in the flat values"""
    reach_at: Int64
    """[R] likewise in the flat reaches"""
    share: Float64
    """[R] the gadget's share of the range; the rest is `previous`"""
    weights: Float64
    """[F] the compatible reach of the other player; zero where the infostate is impossible"""
    inverse: Float64
    """[F] 1 / `weights`, or zero"""
    offered: Float64
    """[F] expected alternative payoffs"""
    deviations: Float64
    """[F] standard deviations of drawn alternative payoffs"""
    previous: Float64
    """[F] the given range, as a reach"""
    regrets: Float64Rows
    """[2, F] of entering and of not entering; of choosing an infostate in the first row"""
    sums: Float64Rows
    """[2, F] Hedge: sums of the values of entering, and of their squares"""
    seen: Float64
    """[R] Hedge: the (discounted) number of iterations in `sums`"""
    chosen: Float64
    """[F] the probability of entering, or of choosing the infostate"""
    entering: Float64
    """[F] the opponent's current reach"""
    total: Float64
    """[F] the weighted sum of `entering` over the iterations"""
    weight: Float64
    """[1] the sum of the iterations' weights"""


@kernel
def match_gadgets(gadgets, step, weight, values, reach):
    """Set the opponent's next reach after its update by regret matching; add it to the average."""
    for root in range(len(gadgets.kind)):
        kind, begin, end = _extent(gadgets, root)
        cfv = values[gadgets.value_at[root] : gadgets.value_at[root] + end - begin]
        if kind == RESOLVE:
            _match_entering(gadgets, begin, end, step, cfv)
        elif kind == MAXMARGIN:
            _match_choice(gadgets, begin, end, step, cfv)
        elif kind == NORMAL:
            _draw(gadgets, begin, end, cfv)
        elif kind == HEDGE:
            _hedge(gadgets, root, begin, end, step, cfv)
    set_entering(gadgets)
    _add(gadgets, weight)
    write_reach(gadgets, reach)


@kernel
def respond_gadgets(gadgets, values, reach):
    """Set the reach of the opponent's best response to the values."""
    for root in range(len(gadgets.kind)):
        kind, begin, end = _extent(gadgets, root)
        cfv = values[gadgets.value_at[root] : gadgets.value_at[root] + end - begin]
        if kind == RESOLVE:
            for s in range(begin, end):
                better = cfv[s - begin] > gadgets.offered[s] * gadgets.weights[s]
                gadgets.chosen[s] = 1.0 if better else 0.0
        elif kind == MAXMARGIN:
            best, most = begin, -np.inf
            for s in range(begin, end):
                gadgets.chosen[s] = 0.0
                gain = cfv[s - begin] * gadgets.inverse[s] - gadgets.offered[s]
                if gadgets.inverse[s] > 0 and gain > most:
                    best, most = s, gain
            gadgets.chosen[best] = 1.0
        elif kind in (NORMAL, HEDGE):
            _draw(gadgets, begin, end, cfv)
    set_entering(gadgets)
    write_reach(gadgets, reach)


@kernel
def mix_gadgets(gadgets, weight, again, reach):
    """Mix the opponent's response into its average; the average's reach counts it `again`."""
    _add(gadgets, weight)
    total = gadgets.weight[0] + again
    for root in range(len(gadgets.kind)):
        _, begin, end = _extent(gadgets, root)
        shift = gadgets.reach_at[root] - begin
        for s in range(begin, end):
            reach[shift + s] = (gadgets.total[s] + again * gadgets.entering[s]) / total


@kernel
def write_reach(gadgets, reach):
    """Write the opponent's current reach to the roots."""
    for root in range(len(gadgets.kind)):
        _, begin, end = _extent(gadgets, root)
        shift = gadgets.reach_at[root] - begin
        for s in range(begin, end):
            reach[shift + s] = gadgets.entering[s]


@inlined_kernel
def _extent(gadgets, root):
    """The kind of a root's gadget, its first entry and one past its last."""
    return gadgets.kind[root], gadgets.start[root], gadgets.start[root + 1]


@inner_kernel
def _add(gadgets, weight):
    gadgets.weight[0] += weight
    for s in range(len(gadgets.total)):
        gadgets.total[s] += weight * gadgets.entering[s]


@kernel
def set_entering(gadgets):
    """Turn choices into reaches, mixed with the given ranges.

    A chosen infostate is dealt in proportion to the weights below it, so choosing it with
    probability x is a reach of x / weight. The total is scaled to that of entering everywhere, and
    so is a mixed range.
    """
    entering = gadgets.entering
    for root in range(len(gadgets.kind)):
        kind, begin, end = _extent(gadgets, root)
        share = 0.0 if kind == GIVEN else gadgets.share[root]
        mass, all_mass = 0.0, 0.0
        for s in range(begin, end):
            possible = gadgets.inverse[s] if kind == MAXMARGIN else gadgets.inverse[s] > 0
            entering[s] = gadgets.chosen[s] * possible
            mass += entering[s] * gadgets.weights[s]
            all_mass += gadgets.weights[s]
        scale = all_mass if kind == MAXMARGIN else 1.0
        if share < 1:
            scale = share * all_mass / mass if mass > 0 else 0.0
        for s in range(begin, end):
            entering[s] = scale * entering[s] + (1 - share) * gadgets.previous[s]


@inner_kernel
def _match_entering(gadgets, begin, end, step, cfv):
    """Two regrets at each infostate: of entering, and of taking the alternative payoff."""
    chosen, weights = gadgets.chosen, gadgets.weights
    enter, take = gadgets.regrets[0], gadgets.regrets[1]
    for s in range(begin, end):
        value, other = cfv[s - begin], gadgets.offered[s] * weights[s]
        mean = chosen[s] * value + (1 - chosen[s]) * other
        enter[s], first = _matched(enter[s], value - mean, step)
        take[s], second = _matched(take[s], other - mean, step)
        total = first + second
        chosen[s] = first / total if total > LEAST_TOTAL else 0.5


@inlined_kernel
def _matched(regret, gain, step):
    """A regret after an iteration, and its weight in the next policy."""
    kept = next_regret(
        regret, gain, float(step[POSITIVE]), float(step[NEGATIVE]), float(step[FLOOR])
    )
    return kept, max(kept + float(step[PREDICTION]) * gain, 0.0)


@inner_kernel
def _match_choice(gadgets, begin, end, step, cfv):
    """One regret per infostate: of choosing it."""
    regrets, chosen, inverse = gadgets.regrets[0], gadgets.chosen, gadgets.inverse
    mean, possible = 0.0, 0
    for s in range(begin, end):
        if inverse[s] > 0:
            mean += chosen[s] * (cfv[s - begin] * inverse[s] - gadgets.offered[s])
            possible += 1
    total = 0.0
    for s in range(begin, end):
        if inverse[s] > 0:
            gain = cfv[s - begin] * inverse[s] - gadgets.offered[s] - mean
            regrets[s], chosen[s] = _matched(regrets[s], gain, step)
            total += chosen[s]
    for s in range(begin, end):
        if total > LEAST_TOTAL:
            chosen[s] = chosen[s] / total
        else:
            chosen[s] = 1 / possible if inverse[s] > 0 else 0.0


@inner_kernel
def _draw(gadgets, begin, end, cfv):
    """Enter if the draw, N(offered, deviation²), is at most the current value of entering."""
    for s in range(begin, end):
        ahead = cfv[s - begin] * gadgets.inverse[s] - gadgets.offered[s]
        if gadgets.deviations[s] > 0:
            gadgets.chosen[s] = _normal(ahead / gadgets.deviations[s])
        else:
            gadgets.chosen[s] = 1.0 if ahead >= 0 else 0.0


SHARE_0, SHARE_1, SHARE_2 = 0.25220157, 0.58522507, 0.16257336
WIDTH_0, WIDTH_1, WIDTH_2 = 1 / 0.90793080**2, 1 / 0.57778732**2, 1 / 0.36403772**2
"""The logistic function as a mixture of three normal distribution functions, to 6e-4 (Monahan and
Stefanski 1992): their shares and variances."""


@inner_kernel
def _hedge(gadgets, root, begin, end, step, cfv):
    """Hedge between entering and each draw, integrated over the draws; see `Hedged`."""
    positive = float(step[POSITIVE])
    gadgets.seen[root] = positive * gadgets.seen[root] + 1
    count = gadgets.seen[root]
    rate = sqrt(log(2) * count) / 3
    for s in range(begin, end):
        value = cfv[s - begin] * gadgets.inverse[s]
        gadgets.sums[0, s] = positive * gadgets.sums[0, s] + value
        gadgets.sums[1, s] = positive * gadgets.sums[1, s] + value * value
        mean = gadgets.sums[0, s] / count
        variance = gadgets.sums[1, s] / count - mean * mean
        ahead = mean - gadgets.offered[s]
        spread = gadgets.deviations[s] * gadgets.deviations[s]
        if variance <= 0:
            gadgets.chosen[s] = 0.5
            continue
        # The probability that a logistic variable around `mean` exceeds a normal draw.
        width = variance / (rate * rate)
        gadgets.chosen[s] = (
            SHARE_0 * _normal(ahead / sqrt(width * WIDTH_0 + spread))
            + SHARE_1 * _normal(ahead / sqrt(width * WIDTH_1 + spread))
            + SHARE_2 * _normal(ahead / sqrt(width * WIDTH_2 + spread))
        )


@inner_kernel
def _normal(bound):
    """The probability that a standard normal draw is at most `bound`, to 1e-6."""
    place = min(max(bound, -FARTHEST), FARTHEST) * PER_UNIT + FARTHEST * PER_UNIT
    below = min(int(place), len(NORMAL_TABLE) - 2)
    part = place - below
    return NORMAL_TABLE[below] + part * (NORMAL_TABLE[below + 1] - NORMAL_TABLE[below])


FARTHEST, PER_UNIT = 6, 512
NORMAL_TABLE = np.array(
    [
        (1 + erf(number / PER_UNIT / sqrt(2))) / 2
        for number in range(-FARTHEST * PER_UNIT, FARTHEST * PER_UNIT + 1)
    ]
)
"""The normal distribution function from -FARTHEST to FARTHEST; erf itself is ten times slower."""
