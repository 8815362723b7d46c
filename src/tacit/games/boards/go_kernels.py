"""Compiled rules of Go on small boards: stones and captures, legal moves, area score, planes.

`tacit.games.boards.go_layout` describes the arrays `cells` and `hashes` of a position. `neighbours`
int64 [P, 4] has the points beside each point, P for those outside the board. `zobrist` uint64
[3, P] has a random number for each stone; those of `EMPTY` are not used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games.boards.go_layout import BLACK, EDGE, EMPTY, LEGAL, LIBERTIES, STONES, WHITE
from tacit.kernel import inner_kernel, kernel

Array = NDArray[Any]


@kernel
def advance(
    cells: Array, hashes: Array, action: int, colour: int, neighbours: Array, zobrist: Array
) -> tuple[Array, Array]:
    """The position after `colour` has played `action`; the other colour is to move."""
    points = neighbours.shape[0]
    after = np.empty_like(cells)
    after[STONES] = cells[STONES]
    if action < points:
        seen = np.empty(len(hashes) + 1, dtype=np.uint64)
        seen[:-1] = hashes
        seen[-1] = hashes[-1] ^ _place(after[STONES], action, colour, neighbours, zobrist)
    else:
        seen = hashes
    _analyse(after, seen, EDGE - colour, neighbours, zobrist)
    return after, seen


@kernel
def begin(points: int, neighbours: Array, zobrist: Array) -> tuple[Array, Array]:
    """The empty board, Black to move."""
    cells = np.zeros((3, points + 1), dtype=np.uint8)
    cells[STONES, points] = EDGE
    hashes = np.zeros(1, dtype=np.uint64)
    _analyse(cells, hashes, BLACK, neighbours, zobrist)
    return cells, hashes


@inner_kernel
def _fill_region(stones: Array, first: int, neighbours: Array, region: Array, seen: Array) -> Any:
    """Find the points that are connected with `first` and have what it has: a group or empty ones.

    region: [P] gets these points; seen: [P + 1] gets `first` at each of them. Returns their number,
    and the set of what is beside them: bit `colour` is 1 if that is.
    """
    own = stones[first]
    size, done, beside = 1, 0, 0
    region[0] = first
    seen[first] = first
    while done < size:
        here = region[done]
        done += 1
        for way in range(4):
            point = neighbours[here, way]
            if stones[point] != own:
                beside |= 1 << stones[point]
            elif seen[point] != first:
                seen[point] = first
                region[size] = point
                size += 1
    return size, beside


@inner_kernel
def _place(stones: Array, point: int, colour: int, neighbours: Array, zobrist: Array) -> Any:
    """Put a stone down and take captured ones off; returns the change of the hash."""
    points = len(neighbours)
    change = zobrist[colour, point]
    stones[point] = colour
    other = EDGE - colour
    region = np.empty(points, dtype=np.int64)
    seen = np.full(points + 1, -1, dtype=np.int64)
    for side in range(4):
        first = neighbours[point, side]
        if stones[first] != other or seen[first] >= 0:
            continue
        size, beside = _fill_region(stones, first, neighbours, region, seen)
        if not beside & 1 << EMPTY:
            for number in range(size):
                stones[region[number]] = EMPTY
                change ^= zobrist[other, region[number]]
    return change


@inner_kernel
def _analyse(cells: Array, hashes: Array, colour: int, neighbours: Array, zobrist: Array) -> None:
    """Fill in the liberties and the legal actions of `colour`."""
    points = neighbours.shape[0]
    stones, liberties, legal = cells[STONES], cells[LIBERTIES], cells[LEGAL]
    group = np.full(points + 1, -1, dtype=np.int64)  # by point: the first point of its group
    marked = np.full(points + 1, -1, dtype=np.int64)  # by liberty: the last group that had it
    region = np.empty(points, dtype=np.int64)
    total = np.zeros(points, dtype=np.uint64)  # by first point: the hash of the group's stones
    count = 0
    liberties[:] = 0
    for point in range(points):
        if stones[point] == EMPTY or group[point] >= 0:
            continue
        size, _ = _fill_region(stones, point, neighbours, region, group)
        free = 0
        for number in range(size):
            total[point] ^= zobrist[stones[point], region[number]]
            for way in range(4):
                beside = neighbours[region[number], way]
                if stones[beside] == EMPTY and marked[beside] != point:
                    marked[beside] = point
                    free += 1
        count += size
        for number in range(size):
            liberties[region[number]] = free
    # Without a capture so far, a move that captures nothing makes a position that is new.
    captured_before = len(hashes) - 1 != count
    moves = 0
    for point in range(points):
        if stones[point] != EMPTY:
            continue
        allowed, captures = False, False
        after = hashes[-1] ^ zobrist[colour, point]
        for side in range(4):
            beside = neighbours[point, side]
            if stones[beside] == EMPTY:
                allowed = True
            elif stones[beside] == colour:
                allowed = allowed or liberties[beside] > 1
            elif stones[beside] != EDGE and liberties[beside] == 1:
                allowed = captures = True
                again = False
                for earlier in range(side):
                    again |= group[neighbours[point, earlier]] == group[beside]
                if not again:
                    after ^= total[group[beside]]
        if allowed and (captures or captured_before):
            repeated = False
            for number in range(len(hashes)):
                repeated |= hashes[number] == after
            allowed = not repeated
        if allowed:
            legal[moves] = point
            moves += 1
    legal[points] = moves


@kernel
def area_score(cells: Array, neighbours: Array) -> int:
    """Black's points less White's: stones, and empty regions that touch one colour only."""
    points = neighbours.shape[0]
    stones = cells[STONES]
    seen = np.full(points + 1, -1, dtype=np.int64)
    region = np.empty(points, dtype=np.int64)
    score = 0
    for point in range(points):
        if stones[point] == BLACK:
            score += 1
        elif stones[point] == WHITE:
            score -= 1
        elif seen[point] < 0:
            size, beside = _fill_region(stones, point, neighbours, region, seen)
            black, white = beside >> BLACK & 1, beside >> WHITE & 1
            score += size * (black - white)
    return score


@kernel
def fill_planes(
    cells: Array, colour: int, last: int, before: int, share: float, planes: Array
) -> None:
    """Fill `planes` float32 [PLANES, P]; `last` and `before` are the last two actions, or -1."""
    points = planes.shape[1]
    stones, liberties = cells[STONES], cells[LIBERTIES]
    for point in range(points):
        own, other = stones[point] == colour, stones[point] == EDGE - colour
        free = liberties[point]
        planes[0, point] = own
        planes[1, point] = other
        planes[2, point] = 0
        planes[3, point] = point == last
        planes[4, point] = point == before
        planes[5, point] = own and free == 1
        planes[6, point] = other and free == 1
        planes[7, point] = own and free == 2
        planes[8, point] = other and free == 2
        planes[9, point] = colour == BLACK
        planes[10, point] = last == points
        planes[11, point] = share
    for number in range(cells[LEGAL, points]):
        planes[2, cells[LEGAL, number]] = 1
