"""Playthroughs of search over a whole game, many in one forest.

A level of the game is searched at a time: the subgames of all playthroughs there are `Samples`, and
each forest of them gives the samples of the level below. A sample stands for `times` playthroughs
of `weight` each. Where both players' mean reaches are below `SHARE`, fewer are searched, with
a weight that makes up for it: below that, weight times reach is the same for all samples.

Leaves are drawn by systematic sampling over the iterations, from starting points that are
stratified over the subgames that lead to one public state. In the `sampled` form the iterations are
drawn first, independently.

Noise on beliefs (`SearchSettings.tremble`) is drawn in pairs of opposite signs, from Sobol's
sequence over the samples in the order of their public states. A policy that jumps
where beliefs cross a point then plays both sides equally often. Independent noise, of which a few
hundred playthroughs are a small sample, was most of the spread between seeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats.qmc import Sobol

from tacit.evaluation.playthrough_kernels import (
    add_plans,
    copy_reach,
    draw_leaves,
    order_by_cells,
)
from tacit.learn.settings import SearchSettings
from tacit.solvers.engine import Solver, Workspace
from tacit.solvers.leaves import Evaluator
from tacit.tree import PLAYERS, PublicTree
from tacit.tree.kernels.passes import descend

Array = NDArray[Any]
Form = Literal["exact", "sampled", "unsafe"]
SHARE = 1.0
"""Where a player's mean reach is at least this, all playthroughs are searched."""


CANDIDATES = 8
"""How many leaves are drawn for each that is searched; it stands for others with like beliefs."""


class Samples(NamedTuple):
    """S subgames to be searched, with K the largest number of infostates of a player.

    node, copy: [S] their public states in the whole tree; played: for each player [S, K] the reach
    by the policies that are played; believed: that by which the subgame is searched; times: [S] how
    many playthroughs are the same; weight: [S] the weight of each.
    """

    node: NDArray[np.int64]
    copy: NDArray[np.int64]
    played: tuple[Array, Array]
    believed: tuple[Array, Array]
    times: NDArray[np.int64]
    weight: NDArray[np.float64]

    def take(self, chosen: Any) -> Samples:
        """The samples with these numbers, or in this slice."""
        played, believed = (
            (pair[0][chosen], pair[1][chosen]) for pair in (self.played, self.believed)
        )
        return Samples(
            self.node[chosen], self.copy[chosen], played, believed, self.times[chosen],
            self.weight[chosen],
        )  # fmt: skip


def first_samples(tree: PublicTree, times: int) -> Samples:
    """The start of the game, `times` times."""
    root, widths = tree.roots[0], tree.arrays.info_count.max(axis=1)
    ones = np.zeros((1, widths[0]), np.float32), np.zeros((1, widths[1]), np.float32)
    for player, count in enumerate(tree.state(root.node).counts):
        ones[player][0, :count] = 1
    return Samples(
        np.array([root.node]), np.array([root.copy]), ones, ones, np.array([times]), np.ones(1)
    )


def joined(parts: list[Samples]) -> Samples:
    """All samples of these parts, in the order of their public states."""
    node, copy, times, weight = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("node", "copy", "times", "weight")
    )
    played, believed = (
        tuple(np.concatenate([getattr(part, name)[p] for part in parts]) for p in PLAYERS)
        for name in ("played", "believed")
    )
    whole = Samples(node, copy, played, believed, times, weight)  # type: ignore[arg-type]
    return whole.take(np.lexsort((copy, node)))


class Playthroughs:
    """A forest of samples, and where its public states are in the whole tree.

    C: the copies of all its nodes; L: its leaves.
    """

    def __init__(self, tree: PublicTree, settings: SearchSettings, samples: Samples) -> None:
        self.tree, self.settings, self.samples = tree, settings, samples
        states = [tree.state(node) for node in samples.node.tolist()]
        self.counts = [state.counts for state in states]
        forest = self.forest = settings.forest(tree.game_builder, states)
        arrays = forest.arrays
        self.start = np.cumsum(arrays.copies, dtype=np.int64) - arrays.copies
        self.subgame, self.node, self.copy = self._match()
        mover = np.minimum(tree.arrays.player[self.node], 1)
        count = tree.arrays.info_count[mover, self.node].astype(np.int64)
        self.slot = tree.arrays.slot_start[self.node] + self.copy * count
        self.stride = tree.arrays.copies[self.node] * count
        copies = arrays.copies[forest.leaves]
        self.leaf_node = np.repeat(forest.leaves, copies)
        starts = np.repeat(self.start[forest.leaves], copies)
        self.leaf_copy = np.arange(len(starts)) - np.repeat(np.cumsum(copies) - copies, copies)
        leaf = starts + self.leaf_copy
        self.leaf_subgame = self.subgame[leaf]
        self.leaf_place = self.node[leaf], self.copy[leaf]
        self.played = Workspace(forest, self._pairs(samples.played), np.float32).reach

    def _pairs(self, reach: tuple[Array, Array]) -> list[tuple[Array, Array]]:
        """For each subgame the reaches [K_0] and [K_1]."""
        return [
            (first[:own], second[:other])
            for first, second, (own, other) in zip(*reach, self.counts, strict=True)
        ]

    def _match(self) -> tuple[Array, Array, Array]:
        """[C] the subgame of each copy, and its node and copy in the whole tree."""
        arrays, there = self.forest.arrays, self.tree.arrays
        subgame, node, copy = (np.zeros(int(arrays.copies.sum()), np.int64) for _ in range(3))
        roots = np.array(self.forest.roots)
        first = self.start[roots[:, 0]] + roots[:, 1]
        subgame[first], node[first], copy[first] = (
            np.arange(len(roots)), self.samples.node, self.samples.copy,
        )  # fmt: skip
        for parent in range(self.forest.nodes):
            here = np.arange(arrays.copies[parent]) + self.start[parent]
            for number, edge in enumerate(self.forest.edges(parent)):
                below = self.start[arrays.edge_child[edge]] + arrays.edge_copy[edge]
                below = below + np.arange(len(here))
                same = there.edge_start[node[here]] + number
                subgame[below] = subgame[here]
                node[below], copy[below] = (
                    there.edge_child[same],
                    there.edge_copy[same] + copy[here],
                )
        return subgame, node, copy

    def begin(self, evaluator: Evaluator) -> Solver:
        """The search of all subgames; beliefs that are zero everywhere become uniform."""
        believed = [np.where(b.any(axis=1, keepdims=True), b, 1) for b in self.samples.believed]
        return self.settings.begin(self.forest, evaluator, self._pairs((believed[0], believed[1])))

    def add(self, factor: Array, plans: Array, sums: NDArray[np.float64]) -> None:
        """Add the plans, times the `factor` [S] of each subgame, to those of the whole tree."""
        add_plans(
            self.forest.arrays,
            self.start,
            self.subgame,
            self.slot,
            self.stride,
            factor,
            plans,
            sums,
        )


def search_samples(
    tree: PublicTree,
    evaluator: Evaluator,
    settings: SearchSettings,
    samples: Samples,
    random: np.random.Generator,
    form: Form,
    sums: NDArray[np.float64],
) -> list[Samples]:
    """Search the subgames of these samples, add their plans to `sums`; returns those below."""
    forest = Playthroughs(tree, settings, samples)
    search = forest.begin(evaluator)
    draw = Draw(forest, random, form)
    plans = np.zeros_like(search.sums)
    passed = samples.times * samples.weight
    due = _due(samples, settings, random) if form == "sampled" else {}
    last = settings.iterations
    weights = settings.weights()

    def play(policy: Array, share: float) -> None:
        """Carry the played reaches down by `policy`, and add its `share` to the plans."""
        for player in PLAYERS:
            arrays, reach = forest.forest.arrays, forest.played[player]
            descend(arrays, player, policy, reach, plans, np.float32(share))

    def each(iteration: int) -> None:
        if form == "exact":
            play(search.policy, weights[iteration - 1])
            rate = CANDIDATES * passed * weights[iteration - 1]
            draw.leaves(rate, np.ones(len(passed)), search)
        elif form == "unsafe" and iteration == last:
            play(search.average_policy().astype(np.float32), 1)
            draw.leaves(samples.times.astype(np.float64), samples.weight, search)
        elif iteration in due:
            times = np.zeros(len(passed))
            times[due[iteration][0]] = due[iteration][1]
            plans[:] = 0
            play(search.policy, 1)
            forest.add(times * samples.weight, plans, sums)
            draw.leaves(times, samples.weight, search)

    search.run(last, each=each)
    if form != "sampled":
        forest.add(passed, plans, sums)
    return draw.samples()


def _due(
    samples: Samples, settings: SearchSettings, random: np.random.Generator
) -> dict[int, tuple[Array, Array]]:
    """For each drawn iteration the samples that drew it, and how often: one draw a playthrough."""
    numbers = np.repeat(np.arange(len(samples.times)), samples.times)
    drawn = settings.iterations_at(random.random(len(numbers)))
    pairs, times = np.unique(np.stack([drawn, numbers]), axis=1, return_counts=True)
    first = np.flatnonzero(np.diff(pairs[0], prepend=0))
    parts = (np.split(row, first[1:]) for row in (pairs[1], times))
    return dict(zip(pairs[0][first].tolist(), zip(*parts, strict=True), strict=True))


class Draw:
    """The leaves that are drawn while a forest is searched."""

    def __init__(self, forest: Playthroughs, random: np.random.Generator, form: Form) -> None:
        self.forest, self.random, self.form = forest, random, form
        self.parts: list[Samples] = []
        leaves = len(forest.leaf_node)
        self.waiting = np.zeros(leaves)
        if form == "exact":
            self.waiting = _stratified(forest.leaf_place, random)
        elif form == "sampled":
            self.waiting = random.random(leaves)
        self._drawn = np.zeros(leaves, np.int64), np.zeros(leaves, np.int64), np.zeros(leaves)

    def leaves(self, rate: Array, weight: Array, search: Solver) -> None:
        """Draw leaves at this iteration; rate, weight: as of `draw_leaves`."""
        forest = self.forest
        arrays = forest.forest.arrays
        share = 0.0 if self.form == "unsafe" else SHARE
        drawn = draw_leaves(
            arrays, forest.leaf_node, forest.leaf_copy, forest.leaf_subgame, share, rate, weight,
            *forest.played, self.waiting, *self._drawn,
        )  # fmt: skip
        if drawn == 0:
            return
        number, times = (array[:drawn].copy() for array in self._drawn[:2])
        weights = self._drawn[2][:drawn].copy()
        unsafe = self.form == "unsafe"
        believed = search.average_reach() if unsafe else search.believed_reach()
        here = forest.leaf_node[number], forest.leaf_copy[number]
        widths = [rows.shape[1] for rows in forest.samples.played]

        def rows(player: int, reach: Array) -> Array:
            copied = np.zeros((drawn, widths[player]), np.float32)
            copy_reach(arrays, player, *here, reach, copied)
            return copied

        played, thought = (
            (rows(0, reach[0]), rows(1, reach[1])) for reach in (forest.played, believed)
        )
        node, copy = (place[number] for place in forest.leaf_place)
        self.parts.append(Samples(node, copy, played, thought, times, weights))

    def samples(self) -> list[Samples]:
        """The samples of the level below; with noise on their beliefs each counts once."""
        if not self.parts:
            return []
        below, tremble = joined(self.parts), self.forest.settings.tremble
        if self.form == "exact":
            below = _chosen(below, self.random)
        if tremble == 0 or self.form == "unsafe":
            return [below]
        below = below.take(np.repeat(np.arange(len(below.times)), below.times))
        below.times[:] = 1
        widths = [rows.shape[1] for rows in below.believed]
        noise = np.exp(tremble * opposite_normals(len(below.times), sum(widths), self.random))
        first, second = np.split(noise.astype(np.float32), widths[:1], axis=1)
        believed = below.believed[0] * first, below.believed[1] * second
        return [below._replace(believed=believed)]


def _chosen(candidates: Samples, random: np.random.Generator) -> Samples:
    """One of `CANDIDATES` samples each, by systematic sampling in an order of like beliefs."""
    count = len(candidates.times)
    first, second = (b / np.maximum(b.sum(1, keepdims=True), 1e-30) for b in candidates.believed)
    rows = np.concatenate([first, second], axis=1)
    order, half = np.arange(count), np.zeros(count, rows.dtype)
    begins = np.flatnonzero(np.diff(candidates.node) | np.diff(candidates.copy)) + 1
    for low, high in zip([0, *begins.tolist()], [*begins.tolist(), count], strict=True):
        order_by_cells(rows, order, low, high, half, np.zeros(rows.shape[1]))
    ends = np.cumsum(candidates.times[order]) + random.integers(CANDIDATES)
    times = np.diff(ends // CANDIDATES, prepend=0)
    kept = np.flatnonzero(times)
    return candidates.take(order[kept])._replace(times=times[kept])


def _stratified(places: tuple[Array, Array], random: np.random.Generator) -> NDArray[np.float64]:
    """[L] points in [0, 1), stratified over the entries with equal places."""
    count = len(places[0])
    order = np.lexsort((random.random(count), *places))
    begins = np.ones(count, dtype=bool)
    for place in places:
        begins[1:] &= place[order][1:] == place[order][:-1]
    begins[1:] = ~begins[1:]
    group = np.cumsum(begins) - 1
    sizes = np.bincount(group, minlength=1)
    rank = np.arange(count) - np.flatnonzero(begins)[group]
    points = np.empty(count)
    points[order] = (rank + random.random(count)) / sizes[group]
    return points


def opposite_normals(count: int, width: int, random: np.random.Generator) -> NDArray[np.float64]:
    """[count, width] standard normal variates in pairs of opposite rows, by Sobol's sequence."""
    power = max(1, (count - 1).bit_length()) - 1
    points = Sobol(width, scramble=True, seed=random).random_base2(power)
    normals = ndtri(np.clip(points, 1e-9, 1 - 1e-9))
    both: NDArray[np.float64] = np.stack([normals, -normals], axis=1).reshape(-1, width)
    return both[:count]


def levels(
    tree: PublicTree,
    evaluator: Evaluator,
    settings: SearchSettings,
    samples: Samples,
    random: np.random.Generator,
    form: Form,
    sums: NDArray[np.float64],
    *,
    largest: int,
) -> Iterator[int]:
    """Search all levels from `samples` down, at most `largest` subgames in one forest.

    Yields how many subgames were searched, forest by forest.
    """
    while len(samples.node):
        below: list[Samples] = []
        for first in range(0, len(samples.node), largest):
            part = samples.take(slice(first, first + largest))
            below += search_samples(tree, evaluator, settings, part, random, form, sums)
            yield len(part.node)
        if not below:
            return
        samples = joined(below)
