"""Boards and terminals of hold'em in a tree that grows: new ones are appended to its tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.tree.cards.deals import Deal, card_tables
from tacit.tree.cards.states import CardState
from tacit.tree.cards.terminals import FOLD, SHOWDOWN, CardTables, work_size


class GrowingCards:
    """Extends `tables` in place; the cost depends on what is added only."""

    def __init__(self, tables: CardTables) -> None:
        self.tables = tables
        self.scratch = 0
        """Entries that the kernels need for the largest board."""
        self._deals: list[Deal] = []
        self._number: dict[int, int] = {}
        tables.extend(("batch_start",), 1)

    def add_boards(self, deals: Sequence[Deal]) -> None:
        """Add the boards that are not in the tables yet."""
        new = list({id(deal): deal for deal in deals if id(deal) not in self._number}.values())
        if not new:
            return
        for deal in new:
            self._number[id(deal)] = len(self._deals)
            self._deals.append(deal)
            self.scratch = max(self.scratch, work_size(max(deal.counts)))
        none = np.zeros(0, np.int32)
        more = card_tables(new, none.astype(np.int8), none, np.zeros(1, np.int64), none)
        hands, groups = len(self.tables.low), self.tables.group_end.shape[-1]
        self._append(more, ("low", "high", "same", "group_end", "group_count"))
        self._append(more, ("hand_start",), hands)
        self._append(more, ("group_start",), groups)

    def _append(self, more: CardTables, names: Sequence[str], offset: int = 0) -> None:
        for name in names:
            first, new = getattr(self.tables, name).shape[-1], getattr(more, name)
            self.tables.extend((name,), first + new.shape[-1])
            getattr(self.tables, name)[..., first:] = new + new.dtype.type(offset)

    def add_terminals(self, nodes: Sequence[int], states: Sequence[CardState]) -> None:
        """Add terminals; those of one kind and board that come together are evaluated together."""
        self.add_boards([state.deal for state in states])
        batches: dict[tuple[int, int], list[int]] = {}
        for node, state in zip(nodes, states, strict=True):
            kind = SHOWDOWN if state.betting.folded is None else FOLD
            batches.setdefault((kind, self._number[id(state.deal)]), []).append(node)
        tables, batch, entry = self.tables, len(self.tables.batch_kind), len(self.tables.batch_node)
        tables.extend(("batch_kind", "batch_board"), batch + len(batches))
        tables.extend(("batch_start",), batch + len(batches) + 1)
        tables.extend(("batch_node",), entry + len(nodes))
        for number, ((kind, board), together) in enumerate(batches.items(), start=batch):
            tables.batch_kind[number], tables.batch_board[number] = kind, board
            tables.batch_node[entry : entry + len(together)] = together
            entry += len(together)
            tables.batch_start[number + 1] = entry
