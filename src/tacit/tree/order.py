"""The order in which the passes visit a tree, chosen so that their data stays in the cache.

A pass goes down from the roots and up again. A small tree is one range of nodes: down through all
of it, then up. In a large tree the nodes after a public chance event are a range of their own. It
is visited, down and up, between its parent's way down and its parent's way up. Ranges below one
parent are independent and may be visited by several threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DOWN, UP = 0, 1
"""Ways through a range."""

Steps = NDArray[np.int64]
"""[S, 7]: DOWN or UP, the first node and one past the last, likewise batches of cards, and likewise
the edges that enter the range, in `TreeArrays.entry_edge`."""


class Range(NamedTuple):
    """Nodes that the passes visit together, from `first` up to `last`.

    They are below nodes of one `parent` range (-1: none). Ranges of one level are never visited at
    the same time by one thread, so their vectors may share a place.
    """

    first: int
    last: int
    level: int
    parent: int


@dataclass(frozen=True)
class Order:
    """The steps of one visit: `head`, then `parts` in any order or in parallel, then `tail`."""

    head: Steps
    parts: tuple[Steps, ...]
    tail: Steps
    whole: Steps
    """All steps in sequence."""

    def path_to(self, node: int) -> Steps:
        """Down to the range of `node`, then that range and all ranges below it."""
        open_ranges: list[int] = []
        for row in range(len(self.whole)):
            way, first, last = self.whole[row, :3]
            if way == DOWN:
                open_ranges.append(row)
                if first <= node < last:
                    break
            else:
                open_ranges.pop()
        begin = open_ranges[-1]
        end = begin
        while not (self.whole[end, 0] == UP and self.whole[end, 1] == self.whole[begin, 1]):
            end += 1
        return np.concatenate([self.whole[open_ranges[:-1]], self.whole[begin : end + 1]])


def visiting_order(
    ranges: Sequence[Range], batch_starts: Sequence[int], entry_starts: Sequence[int]
) -> Order:
    """The order of visits to `ranges`, which are given parents first."""
    children: list[list[int]] = [[] for _ in ranges]
    for number, part in enumerate(ranges):
        if part.parent >= 0:
            children[part.parent].append(number)
    starts = batch_starts or [0] * (len(ranges) + 1)

    def step(way: int, number: int) -> list[int]:
        part = ranges[number]
        batches = starts[number : number + 2]
        return [way, part.first, part.last, *batches, *entry_starts[number : number + 2]]

    def visit(number: int) -> list[list[int]]:
        inner = [row for child in children[number] for row in visit(child)]
        return [step(DOWN, number), *inner, step(UP, number)]

    parts = [visit(child) for child in children[0]]
    head, tail = [step(DOWN, 0)], [step(UP, 0)]
    whole = [*head, *(row for part in parts for row in part), *tail]
    return Order(_steps(head), tuple(map(_steps, parts)), _steps(tail), _steps(whole))


def _steps(rows: list[list[int]]) -> Steps:
    return np.array(rows, dtype=np.int64).reshape(-1, 7)
