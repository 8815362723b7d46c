"""Building public trees: subgames are built once for each subgame key, then copied into place.

A *chunk* is a finished subtree in node-local numbers. A tree is its root's chunk, a forest the
concatenation of many. Because chunks are cached by (subgame key, depth), a forest of thousands of
subgames costs a few array concatenations.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL, Game, State
from tacit.tree.arrays import IDENTITY, LEAF, Float, Int8, Int32
from tacit.tree.public_state import GameTooLargeError, PublicState, PublicStateSpace, Transition

StopRule = Callable[[State], bool]
"""Says of a world state whether its public state is to be a leaf; it may read only public facts."""


@dataclass(frozen=True)
class Chunk:
    """A subtree of n nodes and e edges in local numbers; node 0 is its root.

    The fields are those of `TreeArrays`, node by node and edge by edge in the same order, so that
    starts are running sums. `maps[p]` int32 [2, .] are (source, target); `state` [n] numbers the
    node's public state in the builder's list.
    """

    player: Int8
    parent: Int32
    edge_count: Int32
    action_count: Int32
    info_count: Int32
    simple: Int8
    legal_count: Int32
    legal: Int8
    state: Int32
    terminal_matrix: Int32
    terminal_scale: NDArray[np.float64]
    edge_child: Int32
    map_count: Int32
    maps: tuple[Int32, Int32]

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.player)


class Size(NamedTuple):
    """What a tree holds: nodes, slots (action, infostate) and infostate vector entries."""

    nodes: int
    slots: int
    entries: int

    def bytes(self) -> int:
        """Memory of the tree with a solver on it: arrays, policy, regrets, sums, vectors."""
        return 100 * self.nodes + 12 * self.slots + 12 * self.entries


def concatenate(chunks: Sequence[Chunk]) -> Chunk:
    """Chunks side by side, renumbered; each keeps its own root."""
    nodes = np.array([chunk.nodes for chunk in chunks])
    edges = np.array([len(chunk.edge_child) for chunk in chunks])
    offset = np.cumsum(nodes) - nodes
    parent = np.concatenate([chunk.parent for chunk in chunks])
    shift = np.repeat(offset, nodes).astype(np.int32)
    np.add(parent, shift, out=parent, where=parent >= 0)
    return Chunk(
        player=np.concatenate([chunk.player for chunk in chunks]),
        parent=parent,
        edge_count=np.concatenate([chunk.edge_count for chunk in chunks]),
        action_count=np.concatenate([chunk.action_count for chunk in chunks]),
        info_count=np.concatenate([chunk.info_count for chunk in chunks], axis=1),
        simple=np.concatenate([chunk.simple for chunk in chunks]),
        legal_count=np.concatenate([chunk.legal_count for chunk in chunks]),
        legal=np.concatenate([chunk.legal for chunk in chunks]),
        state=np.concatenate([chunk.state for chunk in chunks]),
        terminal_matrix=np.concatenate([chunk.terminal_matrix for chunk in chunks]),
        terminal_scale=np.concatenate([chunk.terminal_scale for chunk in chunks]),
        edge_child=np.concatenate([chunk.edge_child for chunk in chunks])
        + np.repeat(offset, edges).astype(np.int32),
        map_count=np.concatenate([chunk.map_count for chunk in chunks], axis=1),
        maps=(
            np.concatenate([chunk.maps[0] for chunk in chunks], axis=1),
            np.concatenate([chunk.maps[1] for chunk in chunks], axis=1),
        ),
    )


class MatrixStore:
    """Terminal matrices, shared between nodes up to a factor."""

    def __init__(self) -> None:
        self.matrices: list[NDArray[np.float64]] = []
        self._known: dict[Hashable, int] = {}
        self._packed: tuple[NDArray[np.int64], NDArray[np.float64]] | None = None

    def add(self, matrix: NDArray[np.float64]) -> tuple[int, float]:
        """The number of a stored matrix and the factor that makes it `matrix`."""
        flat = matrix.ravel()
        peak = int(np.argmax(np.abs(flat)))
        scale = float(flat[peak])
        unit = matrix / scale if scale != 0.0 else np.zeros_like(matrix)
        key = (matrix.shape, np.round(unit, 12).tobytes())
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self.matrices)
            self.matrices.append(unit)
            self._packed = None
        return number, scale

    def packed(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Starts [M] and the matrices one after the other, row-major [K0, K1]."""
        if self._packed is None:
            sizes = np.array([matrix.size for matrix in self.matrices], dtype=np.int64)
            data: Float = np.concatenate([matrix.ravel() for matrix in self.matrices] or [[]])
            self._packed = (np.cumsum(sizes) - sizes, np.ascontiguousarray(data, dtype=np.float64))
        return self._packed


class Builder:
    """Builds the public trees of one game; keep it, its caches make later trees cheap."""

    def __init__(self, game: Game, *, max_bytes: int = 8 << 30) -> None:
        self.game = game
        self.max_bytes = max_bytes
        self.space = PublicStateSpace(game)
        self.states: list[PublicState] = []
        self.matrices = MatrixStore()
        self._number: dict[int, int] = {}
        self._chunks: dict[tuple[int, int | None, StopRule | None], Chunk] = {}
        self._sizes: dict[tuple[int, int | None, StopRule | None], Size] = {}

    @property
    def root(self) -> PublicState:
        """The game's first public state."""
        return self.space.root

    def number(self, state: PublicState) -> int:
        """The number of `state` in `states`."""
        found = self._number.get(id(state))
        if found is None:
            found = self._number[id(state)] = len(self.states)
            self.states.append(state)
        return found

    def size(
        self, state: PublicState, depth: int | None = None, stop: StopRule | None = None
    ) -> Size:
        """How large the tree at `state` is, without building it."""
        return self._size(state, depth, stop, top=True)

    def chunk(
        self, state: PublicState, depth: int | None = None, stop: StopRule | None = None
    ) -> Chunk:
        """The subtree at `state`, to `depth` public moves or to where `stop` says; None: whole."""
        size = self.size(state, depth, stop)
        if size.bytes() > self.max_bytes:
            raise GameTooLargeError(
                f"{self.game.name} needs about {readable_bytes(size.bytes())} "
                f"({size.nodes:,} public states), more than the "
                f"{readable_bytes(self.max_bytes)} allowed; solve a smaller game, limit the depth, "
                "or raise the limit with --memory"
            )
        return self._chunk(state, depth, stop, top=True)

    def _ends(
        self, state: PublicState, depth: int | None, stop: StopRule | None, top: bool
    ) -> bool:
        if state.mover == TERMINAL or top:
            return False
        return depth == 0 or (stop is not None and stop(state.sample))

    def _size(
        self, state: PublicState, depth: int | None, stop: StopRule | None, top: bool
    ) -> Size:
        counts = state.counts
        entries = counts[0] + counts[1]
        if state.mover == TERMINAL or self._ends(state, depth, stop, top):
            return Size(1, 0, entries)
        # A root is never a leaf; below it the key (state, depth) decides.
        key = (self.number(state), depth, stop)
        found = self._sizes.get(key)
        if found is None:
            expansion = state.expansion
            slots = 0 if state.mover == CHANCE else len(expansion.actions) * counts[state.mover]
            below = [
                self._size(t.child, _less(depth, state.mover), stop, False)
                for t in expansion.transitions
            ]
            found = Size(
                1 + sum(size.nodes for size in below),
                slots + sum(size.slots for size in below),
                entries + sum(size.entries for size in below),
            )
            self._sizes[key] = found
        return found

    def _chunk(
        self, state: PublicState, depth: int | None, stop: StopRule | None, top: bool
    ) -> Chunk:
        if self._ends(state, depth, stop, top):
            return self._single(state, LEAF)
        if state.mover == TERMINAL:
            return self._single(state, TERMINAL)
        key = (self.number(state), depth, stop)
        found = self._chunks.get(key)
        if found is None:
            below = []
            for transition in state.expansion.transitions:
                chunk = self._chunk(
                    transition.child, _less(depth, state.mover), stop, False
                )
                below.append((chunk, transition.factor))
            found = self._chunks[key] = self._join(state, below)
        return found

    def _single(self, state: PublicState, player: int) -> Chunk:
        matrix, scale = self.matrices.add(state.payoffs) if player == TERMINAL else (-1, 0.0)
        empty = np.zeros(0, dtype=np.int32)
        return Chunk(
            player=np.array([player], dtype=np.int8),
            parent=np.array([-1], dtype=np.int32),
            edge_count=np.zeros(1, dtype=np.int32),
            action_count=np.zeros(1, dtype=np.int32),
            info_count=np.array(state.counts, dtype=np.int32)[:, None],
            simple=np.zeros(1, dtype=np.int8),
            legal_count=np.zeros(1, dtype=np.int32),
            legal=np.zeros(0, dtype=np.int8),
            state=np.array([self.number(state)], dtype=np.int32),
            terminal_matrix=np.array([matrix], dtype=np.int32),
            terminal_scale=np.array([scale]),
            edge_child=empty,
            map_count=np.zeros((2, 0), dtype=np.int32),
            maps=(np.zeros((2, 0), dtype=np.int32), np.zeros((2, 0), dtype=np.int32)),
        )

    def _join(self, state: PublicState, below: Sequence[tuple[Chunk, float]]) -> Chunk:
        """A node over its children's chunks."""
        expansion = state.expansion
        transitions = expansion.transitions
        mover, counts = state.mover, state.counts
        actions = len(expansion.actions) if mover != CHANCE else 0
        keeps = np.array(
            [
                [_keeps(t, p, counts[p], number if p == mover else 0) for p in (0, 1)]
                for number, t in enumerate(transitions)
            ]
        )
        simple = (
            mover != CHANCE
            and actions == len(transitions)
            and bool(expansion.legal.all())
            and bool(keeps.all())
        )
        map_count = np.full((2, len(transitions)), IDENTITY, dtype=np.int32)
        maps: tuple[list[Int32], list[Int32]] = ([], [])
        for number, transition in enumerate(transitions):
            for p in (0, 1):
                if simple or (keeps[number, p] and p != mover):
                    continue
                map_count[p, number] = len(transition.sources[p])
                maps[p].append(np.stack([transition.sources[p], transition.targets[p]]))
        empty = np.zeros((2, 0), dtype=np.int32)
        legal = expansion.legal.ravel().astype(np.int8)
        if mover == CHANCE or expansion.legal.all():
            legal = legal[:0]
        root = Chunk(
            player=np.array([mover], dtype=np.int8),
            parent=np.array([-1], dtype=np.int32),
            edge_count=np.array([len(transitions)], dtype=np.int32),
            action_count=np.array([actions], dtype=np.int32),
            info_count=np.array(counts, dtype=np.int32)[:, None],
            simple=np.array([simple], dtype=np.int8),
            legal_count=np.array([len(legal)], dtype=np.int32),
            legal=legal,
            state=np.array([self.number(state)], dtype=np.int32),
            terminal_matrix=np.array([-1], dtype=np.int32),
            terminal_scale=np.zeros(1),
            edge_child=np.zeros(0, dtype=np.int32),
            map_count=np.zeros((2, 0), dtype=np.int32),
            maps=(empty, empty),
        )
        joined = concatenate([root, *(chunk for chunk, _ in below)])
        nodes = np.array([chunk.nodes for chunk, _ in below])
        children = (1 + np.cumsum(nodes) - nodes).astype(np.int32)
        joined.parent[children] = 0
        joined.terminal_scale[1:] *= np.repeat([factor for _, factor in below], nodes)
        return Chunk(
            player=joined.player,
            parent=joined.parent,
            edge_count=joined.edge_count,
            action_count=joined.action_count,
            info_count=joined.info_count,
            simple=joined.simple,
            legal_count=joined.legal_count,
            legal=joined.legal,
            state=joined.state,
            terminal_matrix=joined.terminal_matrix,
            terminal_scale=joined.terminal_scale,
            edge_child=np.concatenate([children, joined.edge_child]),
            map_count=np.concatenate([map_count, joined.map_count], axis=1),
            maps=(
                np.concatenate([*maps[0], joined.maps[0]], axis=1),
                np.concatenate([*maps[1], joined.maps[1]], axis=1),
            ),
        )


def _keeps(transition: Transition, player: int, count: int, number: int) -> bool:
    """Whether every infostate of `player` keeps its index when the `number`th action is taken."""
    source, target = transition.sources[player], transition.targets[player]
    return (
        transition.child.counts[player] == count == len(source)
        and np.array_equal(source, np.arange(number * count, (number + 1) * count))
        and np.array_equal(target, np.arange(count))
    )


def _less(depth: int | None, mover: int) -> int | None:
    """Depth left below a move; chance's moves are free."""
    return depth if depth is None or mover == CHANCE else depth - 1


def readable_bytes(count: float) -> str:
    """`count` bytes in a unit that people read."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            return f"{count:.3g} {unit}" if count < 1e6 else f"{count:.2e} {unit}"
        count /= 1000
    raise AssertionError("unreachable")
