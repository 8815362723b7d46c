"""Draws the trees of hold'em: street by street, everything on one board side by side.

What follows a deal is one range of nodes for all lines of betting that lead to it, so that their
folds and showdowns, which share the board, are evaluated together (`tacit.tree.cards.terminals`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.array_record import Float64
from tacit.games import CHANCE, TERMINAL
from tacit.games.holdem.spot import Spot
from tacit.tree.arrays import LEAF
from tacit.tree.builder import (
    Builder,
    Drawing,
    Edge,
    MatrixStore,
    Node,
    Range,
    Root,
    StopRule,
)
from tacit.tree.cards.size import spot_size
from tacit.tree.cards.states import Deal, HoldemSpace, HoldemState
from tacit.tree.cards.terminals import FOLD, SHOWDOWN, CardTables
from tacit.tree.public_state import PublicState
from tacit.tree.public_tree import PublicTree


@dataclass
class _Frontier:
    """A chance node whose edges are reserved: its children are drawn with their boards."""

    node: int
    state: HoldemState
    first_edge: int


class HoldemBuilder(Builder):
    """Draws the public trees below one spot."""

    def __init__(self, spot: Spot, *, isomorphism: bool = True, max_bytes: int = 8 << 30) -> None:
        self.spot = spot
        self.max_bytes = max_bytes
        self.holdem = HoldemSpace(spot, isomorphism=isomorphism)
        self.matrices = MatrixStore()
        self._batch_starts: list[int] = []

    @property
    def root(self) -> HoldemState:
        """The spot itself."""
        return self.holdem.root

    def beliefs(self, drawing: Drawing) -> list[tuple[Float64, Float64]]:
        """The ranges, at every root."""
        first, second = self.holdem.beliefs()[0]
        return [(first.astype(np.float64), second.astype(np.float64))] * len(drawing.roots)

    @property
    def batch_starts(self) -> list[int]:
        """[ranges + 1] where the batches of each range begin."""
        return self._batch_starts

    def draw(
        self,
        states: Sequence[PublicState],
        *,
        depth: int | None = None,
        stop: StopRule | None = None,
        fold: bool = True,
    ) -> Drawing:
        """The subgames at `states`; `stop` may end them where chance is to move."""
        if depth is not None:
            raise ValueError("hold'em trees end where `stop` says, not at a depth")
        drawing = Drawing()
        frontier: list[_Frontier] = []
        deals: set[int] = set()
        for state in states:
            assert isinstance(state, HoldemState)
            deals.add(state.deal.number)
            drawing.roots.append(Root(len(drawing.nodes), 0))
            frontier += self._draw_street(drawing, state, None, stop)
        if len(deals) > 1:
            raise ValueError("the roots of a hold'em forest share one board")
        drawing.parts.append(Range(0, len(drawing.nodes), 0, -1))
        self._draw_boards(drawing, frontier, 0, stop)
        return drawing

    def _draw_boards(
        self, drawing: Drawing, frontier: list[_Frontier], parent: int, stop: StopRule | None
    ) -> None:
        """A range for each board that may follow the chance nodes of one range."""
        if not frontier:
            return
        level = drawing.parts[parent].level + 1
        for number in range(len(frontier[0].state.expansion.transitions)):
            first = len(drawing.nodes)
            below: list[_Frontier] = []
            for chance in frontier:
                edge = chance.first_edge + number
                transition = chance.state.expansion.transitions[number]
                drawing.edges[edge] = Edge(chance.node, len(drawing.nodes), 0, transition)
                assert isinstance(transition.child, HoldemState)
                below += self._draw_street(drawing, transition.child, edge, stop)
            drawing.parts.append(Range(first, len(drawing.nodes), level, parent))
            self._draw_boards(drawing, below, len(drawing.parts) - 1, stop)

    def _draw_street(
        self, drawing: Drawing, state: HoldemState, come: int | None, stop: StopRule | None
    ) -> list[_Frontier]:
        """The nodes from `state` to the end of its street, parents first."""
        number = len(drawing.nodes)
        mover = state.mover
        ends = come is not None and mover != TERMINAL and stop is not None and stop(state.sample)
        drawing.nodes.append(Node(state, LEAF if ends else mover, 1, only_edge=come))
        if ends or mover == TERMINAL:
            return []
        node = drawing.nodes[number]
        drawing.decisions.append(number)
        transitions = state.expansion.transitions
        first = len(drawing.edges)
        node.edges = list(range(first, first + len(transitions)))
        drawing.edges += [Edge(number, -1, 0, t) for t in transitions]
        if mover == CHANCE:
            return [_Frontier(number, state, first)]
        node.simple = True
        frontier: list[_Frontier] = []
        for edge, transition in zip(node.edges, transitions, strict=True):
            drawing.edges[edge] = Edge(number, len(drawing.nodes), 0, transition)
            assert isinstance(transition.child, HoldemState)
            frontier += self._draw_street(drawing, transition.child, edge, stop)
        return frontier

    def lay_out_cards(self, drawing: Drawing, scale: Float64) -> CardTables:
        """Hands, boards and terminals for the kernels; sets `scale` [N] at terminals."""
        deals = self.holdem.deals
        kinds: list[int] = []
        boards: list[int] = []
        starts: list[int] = [0]
        nodes: list[int] = []
        self._batch_starts = [0]
        for part in drawing.ranges:
            batches: dict[tuple[int, int], list[int]] = {}
            for number in range(part.first, part.last):
                node = drawing.nodes[number]
                if node.player != TERMINAL:
                    continue
                state = node.state
                assert isinstance(state, HoldemState)
                folded = state.betting.folded
                scale[number] = -state.amount if folded == 0 else state.amount
                kind = SHOWDOWN if folded is None else FOLD
                batches.setdefault((kind, state.deal.number), []).append(number)
            for (kind, board), members in sorted(batches.items()):
                kinds.append(kind)
                boards.append(board)
                nodes += members
                starts.append(len(nodes))
            self._batch_starts.append(len(kinds))
        tables = [_deal_tables(deal) for deal in deals]
        sizes = np.array([deal.counts for deal in deals], dtype=np.int64)
        before = np.cumsum(sizes.sum(axis=1)) - sizes.sum(axis=1)
        groups = np.array([table.ends.shape[1] for table in tables], dtype=np.int32)
        return CardTables(
            hand_start=np.stack([before, before + sizes[:, 0]]),
            low=np.concatenate([table.low for table in tables]),
            high=np.concatenate([table.high for table in tables]),
            same=np.concatenate([table.same for table in tables]),
            group_start=np.cumsum(groups, dtype=np.int64) - groups,
            group_count=groups,
            group_end=np.concatenate([table.ends for table in tables], axis=1),
            batch_kind=np.array(kinds, dtype=np.int8),
            batch_board=np.array(boards, dtype=np.int32),
            batch_start=np.array(starts, dtype=np.int64),
            batch_node=np.array(nodes, dtype=np.int32),
        )


@dataclass(frozen=True)
class _DealTables:
    """A board's part of `CardTables`; player 0's hands before player 1's."""

    low: np.ndarray
    high: np.ndarray
    same: np.ndarray
    ends: np.ndarray


def _deal_tables(deal: Deal) -> _DealTables:
    cards = np.concatenate(deal.cards).astype(np.int32)
    same = []
    for player in (0, 1):
        place = np.full(1326, deal.counts[1 - player], dtype=np.int32)
        place[deal.hands[1 - player]] = np.arange(deal.counts[1 - player])
        same.append(place[deal.hands[player]])
    ends = np.zeros((2, 0), dtype=np.int32)
    if deal.strengths is not None:
        groups = np.unique(np.concatenate(deal.strengths))
        ends = np.stack([np.searchsorted(s, groups, side="right") for s in deal.strengths])
    return _DealTables(
        cards[:, 0].copy(), cards[:, 1].copy(), np.concatenate(same), ends.astype(np.int32)
    )


def build_spot(
    spot: Spot,
    *,
    isomorphism: bool = True,
    stop: StopRule | None = None,
    storage: int = 32,
    max_bytes: int = 8 << 30,
) -> PublicTree:
    """The public tree of a spot, to the end of the game or to where `stop` says.

    GameTooLargeError states the estimate if solving it, with `storage` bits a number, would take
    more than `max_bytes`.
    """
    if stop is None:
        size = spot_size(spot, isomorphism=isomorphism, storage=storage, max_bytes=max_bytes)
        size.check(max_bytes, spot.name)
    builder = HoldemBuilder(spot, isomorphism=isomorphism, max_bytes=max_bytes)
    return PublicTree(builder, builder.draw([builder.root], stop=stop))
