"""Lays out trees of hold'em, street by street; the nodes of one board are adjacent.

The betting of a street is the same on every board, so it is walked once (`betting_template`) and
copied to every board by array operations. All lines of betting that lead to a deal share one range
of nodes after it, so that their folds and showdowns, which share the board, are evaluated together
(`tacit.tree.cards.terminals`). Public states become objects only when they are accessed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.array_record import Int8, Int32, Int64
from tacit.games import CHANCE, TERMINAL, GameError
from tacit.tree.arrays import IDENTITY, LEAF, Order, Range, Sizes, TreeArrays, visiting_order
from tacit.tree.builder import Limit
from tacit.tree.cards.betting_template import Entry, StreetTemplate, walk_street
from tacit.tree.cards.deals import Deal, NextDeal, card_tables, deal_next
from tacit.tree.cards.states import CardState
from tacit.tree.cards.terminals import FOLD, SHOWDOWN, CardTables, work_size
from tacit.tree.layout import EDGE_FIELDS, NODE_FIELDS, Place, no_arrays
from tacit.tree.public_state import NO_MOVES, ActionSet, Expansion

Progress = Callable[[float], None]
"""Called from time to time with the share of the work that is done."""


class _Block(NamedTuple):
    """A street template on a board: nodes from `first` on, in the range number `part`."""

    template: StreetTemplate
    root: CardState
    """A root above it; all boards of a spot share its betting."""
    deal: Deal
    first: int
    part: int
    dealt: NextDeal | None = None
    number: int = -1
    """The number of the deal among those after the previous board."""
    frontier: Int64 = np.zeros(0, np.int64)
    """[entries] the nodes whose deal leads to the entries; [0] at a root."""


class CardLayout:
    """A public tree or forest of hold'em, laid out for the kernels.

    The roots may differ in board, pot and ranges. actions: the actions of a public state, by label,
    and where `limit` stops: both are called once for all boards of a street; the default actions
    are the bet sizes of the spot.
    """

    def __init__(
        self,
        roots: Sequence[CardState],
        limit: Limit,
        *,
        actions: ActionSet | None = None,
        progress: Progress | None = None,
    ) -> None:
        if not roots:
            raise GameError("no public state is given; name at least one root")
        limit.check()
        report = progress or (lambda share: None)
        self._blocks: list[_Block] = []
        self._first: list[int] = []
        self._nodes = 0
        walked: dict[tuple[int, Entry], StreetTemplate] = {}
        for state in roots:
            entry = Entry(state.betting, state.history, limit, root=True)
            key = id(state.spot), entry
            if key not in walked:
                walked[key] = walk_street(state, [entry], actions)
            self._add(_Block(walked[key], state, state.deal, self._nodes, 0))
        self.roots = [Place(first, 0) for first in self._first]
        self._states = {root.node: state for root, state in zip(self.roots, roots, strict=True)}
        self.beliefs = [root.beliefs() for root in roots]
        self.matrices = np.zeros(0)  # no terminal needs one
        self.ranges = [Range(0, self._nodes, 0, -1)]
        groups: dict[tuple[int, int], list[_Block]] = {}
        for block in self._blocks:
            groups.setdefault((id(block.root.spot), id(block.deal)), []).append(block)
        for done, group in enumerate(groups.values()):
            templates, deals = [], [group[0].deal]
            entries = [entry for block in group for entry in block.template.following]
            while entries:  # a street and all of its boards at a time
                templates.append(walk_street(group[0].root, entries, actions))
                entries = list(templates[-1].following)
                deal_next(deals)
                deals = [dealt.deal for deal in deals for dealt in deal.following]
            report(0.5 * (done + 1) / len(groups))
            self._add_boards(group, templates, 0)
        self.arrays, self.sizes, self.order = _Arrays(self._blocks, self.ranges).finish()
        report(1.0)

    def _add(self, block: _Block) -> None:
        self._blocks.append(block)
        self._first.append(block.first)
        self._nodes += len(block.template)

    def _add_boards(
        self, above: Sequence[_Block], templates: Sequence[StreetTemplate], parent: int
    ) -> None:
        """Add a range for each board that may follow the blocks of one board, and those below."""
        if not templates:
            return
        level = self.ranges[parent].level + 1
        frontier = np.concatenate([block.first + block.template.deals for block in above])
        for number, dealt in enumerate(above[0].deal.following):
            first, part = self._nodes, len(self.ranges)
            root, deal = above[0].root, dealt.deal
            block = _Block(templates[0], root, deal, first, part, dealt, number, frontier)
            self._add(block)
            self.ranges.append(Range(first, self._nodes, level, parent))
            self._add_boards([block], templates[1:], part)

    def state(self, node: int) -> CardState:
        """The public state of a node."""
        state = self._states.get(node)
        if state is None:
            block, number = self._find(node)
            betting, history = block.template.betting[number], block.template.history[number]
            state = CardState(block.root.spot, betting, block.deal, history)
            self._states[node] = state
        return state

    def labels(self, node: int) -> tuple[str, ...]:
        """The labels of a node's edges."""
        block, number = self._find(node)
        if block.template.player[number] == CHANCE:
            return tuple(dealt.label for dealt in block.deal.following)
        return block.template.labels[number]

    def expansion(self, node: int) -> Expansion:
        """The moves of a node; its children are the states of this tree."""
        state, arrays = self.state(node), self.arrays
        if not arrays.edge_count[node]:
            return NO_MOVES  # a leaf may have moves in the game
        first = int(arrays.edge_start[node])
        children = arrays.edge_child[first : first + int(arrays.edge_count[node])].tolist()
        made = state.expand(frozenset(self.labels(node)) if state.mover < CHANCE else None)
        ways = zip(made.transitions, children, strict=True)
        transitions = tuple(replace(way, child=self.state(child)) for way, child in ways)
        return Expansion(state, made.actions, made.labels, made.legal, transitions)

    @cached_property
    def street(self) -> Int8:
        """[N] the street of each node."""
        streets = [
            np.array([b.street for b in block.template.betting], np.int8) for block in self._blocks
        ]
        return np.concatenate(streets)

    def _find(self, node: int) -> tuple[_Block, int]:
        block = self._blocks[bisect_right(self._first, node) - 1]
        return block, node - block.first


class _Arrays:
    """Fills the arrays of a tree. N nodes, E edges, R ranges, D deals."""

    def __init__(self, blocks: Sequence[_Block], ranges: Sequence[Range]) -> None:
        self.ranges = ranges
        self.count = ranges[-1].last
        lengths = [part.last - part.first for part in ranges]
        self.part = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        """[N] the range of each node"""
        levels = sorted(blocks, key=lambda block: ranges[block.part].level)
        self.deals = list({id(block.deal): block.deal for block in levels}.values())
        groups: dict[int, list[_Block]] = {}
        for block in blocks:
            groups.setdefault(id(block.template), []).append(block)
        self.tree = no_arrays()
        self.fold = np.zeros(self.count, np.int8)
        self.deal = np.zeros(self.count, np.int32)
        """[N] the number of each node's deal"""
        self._set_nodes(groups.values())
        self.entering = np.full(self.count, -1, np.int32)
        """[N] the edge that leads to a node, -1 at a root"""
        self._set_edges(groups.values())

    def _set_nodes(self, groups: Iterable[list[_Block]]) -> None:
        """Set each node's kind, slots and edges; groups: blocks with the same template."""
        tree, number = self.tree, {id(deal): n for n, deal in enumerate(self.deals)}
        tree.extend(NODE_FIELDS, self.count)
        tree.copies[:] = 1
        tree.legal_start[:] = tree.terminal_matrix[:] = -1
        for group in groups:
            template = group[0].template
            nodes = _nodes(group, np.arange(len(template)))
            tree.player[nodes] = template.player
            self.fold[nodes] = template.fold
            tree.terminal_scale[nodes] = template.scale
            tree.action_count[nodes] = tree.edge_count[nodes] = template.moves
            self.deal[nodes] = np.array([number[id(block.deal)] for block in group])[:, None]
            if len(template.deals):
                boards = np.array([len(block.deal.following) for block in group])
                tree.edge_count[_nodes(group, template.deals)] = boards[:, None]
        counts = np.array([deal.counts for deal in self.deals], dtype=np.int32)
        tree.info_count[:] = counts[self.deal].T
        tree.simple[:] = tree.action_count > 0
        tree.edge_start[:] = np.where(tree.edge_count > 0, _starts(tree.edge_count), 0)
        hands = np.where(tree.player == 1, tree.info_count[1], tree.info_count[0])
        self.widths = tree.action_count.astype(np.int64) * hands
        tree.slot_start[:] = np.where(tree.action_count > 0, _starts(self.widths), 0)

    def _set_edges(self, groups: Iterable[list[_Block]]) -> None:
        """Set each edge's child, and the maps of hands along deals, one for each board."""
        tree = self.tree
        parents = np.repeat(np.arange(self.count, dtype=np.int32), tree.edge_count)
        tree.extend(EDGE_FIELDS, len(parents))
        tree.edge_parent[:] = parents
        tree.edge_factor[:] = tree.edge_share[:] = 1
        tree.map_count[:] = IDENTITY
        tree.cross_value[:] = -1
        sources: list[Int32] = []
        targets: list[Int32] = []
        mapped = 0
        for group in groups:
            template = group[0].template
            inner = np.flatnonzero(template.parent >= 0)
            above = _nodes(group, template.parent[inner])
            self._connect(tree.edge_start[above] + template.move[inner], _nodes(group, inner))
            dealt = [block.dealt for block in group if block.dealt is not None]
            if not dealt:
                continue
            maps = np.zeros((2, 2, len(group), 1), np.int64)
            for number, each in enumerate(dealt):
                for p in (0, 1):
                    length = IDENTITY if each.keeps[p] else len(each.sources[p])
                    maps[:, p, number, 0] = (0 if each.keeps[p] else mapped), length
                    if not each.keeps[p]:
                        sources.append(each.sources[p])
                        targets.append(each.targets[p])
                        mapped += length
            numbers = np.array([block.number for block in group])[:, None]
            ways = tree.edge_start[np.stack([block.frontier for block in group])] + numbers
            self._connect(ways, _nodes(group, template.entries))
            tree.edge_factor[ways] = np.array([each.chance for each in dealt])[:, None]
            tree.edge_share[ways] = np.array([each.share for each in dealt])[:, None]
            tree.map_start[:, ways], tree.map_count[:, ways] = maps
        if sources:
            tree.extend(("map_source", "map_target"), mapped)
            np.concatenate(sources, out=tree.map_source)
            np.concatenate(targets, out=tree.map_target)

    def _connect(self, edges: NDArray[Any], children: NDArray[Any]) -> None:
        self.tree.edge_child[edges] = children
        self.entering[children] = edges

    def finish(self) -> tuple[TreeArrays, Sizes, Order]:
        """All that the passes need."""
        tree = self.tree
        self._place_vectors()
        cards, batch_starts = self._terminals()
        work = work_size(int(tree.info_count.max())) if len(cards.batch_node) else 0
        (reach, values), (more_reach, more_values) = (
            [(int(first), int(second)) for first, second in each]
            for each in (tree.shared_start + tree.shared_size, tree.shared_size)
        )
        sizes = Sizes(
            slots=int(self.widths.sum()),
            reach=reach,
            values=values,
            scratch=max(1, int(self.widths.max()), work),
            shared_reach=more_reach,
            shared_values=more_values,
        )
        heads = tree.edge_child[tree.entry_edge]
        borders = [*(part.first for part in self.ranges), self.count]
        entries = np.searchsorted(heads, borders).tolist()
        order = visiting_order(self.ranges, batch_starts, entries)
        return replace(tree, cards=cards), sizes, order

    def _terminals(self) -> tuple[CardTables, list[int]]:
        """The card tables, and [R + 1] where the batches of terminals of each range begin."""
        nodes = np.flatnonzero(self.tree.player == TERMINAL)
        kinds = np.where(self.fold[nodes], FOLD, SHOWDOWN)
        keys = (2 * self.part[nodes].astype(np.int64) + kinds) * len(self.deals) + self.deal[nodes]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        batches, board = np.divmod(keys[first], len(self.deals))
        cards = card_tables(
            self.deals,
            kinds=(batches % 2).astype(np.int8),
            boards=board.astype(np.int32),
            starts=np.append(first, len(nodes)).astype(np.int64),
            nodes=nodes[order].astype(np.int32),
        )
        return cards, np.searchsorted(batches // 2, np.arange(len(self.ranges) + 1)).tolist()

    def _place_vectors(self) -> None:
        """Assign places to reaches, values and values that cross between ranges.

        Ranges that are never visited at the same time keep their vectors in the same place, unless
        there are leaves below a deal: these are evaluated together. Values that an edge carries up
        from another range belong to the range above: it is still in use when the next range takes
        the place of the one below.
        """
        tree, count = self.tree, len(self.ranges)
        share = not (tree.player[self.ranges[0].last :] == LEAF).any()
        below = np.flatnonzero(self.entering >= 0)
        parent = np.full(self.count, -1, np.int64)
        parent[below] = tree.edge_parent[self.entering[below]]
        crossing = below[self.part[parent[below]] != self.part[below]]
        origin = self.part[parent[crossing]]
        tree.extend(("entry_edge",), len(crossing))
        tree.entry_edge[:] = self.entering[crossing]
        sizes = np.zeros((2, 2, 2), np.int64)
        """[first range or others, reach or values, player]"""
        levels = np.array([part.level for part in self.ranges]) if share else np.arange(count)
        for p in (0, 1):
            hands = tree.info_count[p].astype(np.int64)
            own = np.ones(self.count, np.bool_)
            mapped = tree.map_count[p, self.entering[below]] != IDENTITY
            own[below] = mapped | (tree.player[parent[below]] == p)
            inside, used = _offsets(np.where(own, hands, 0), self.part, count)
            begin, sizes[:, 0, p] = _begin(used, levels)
            owner = np.where(own, np.arange(self.count), parent)
            while not own[owner].all():
                owner = owner[owner]
            tree.reach_start[p] = (inside + begin[self.part])[owner]
            inside, used = _offsets(hands, self.part, count)
            after, crossed = _offsets(hands[parent[crossing]], origin, count)
            begin, sizes[:, 1, p] = _begin(used + crossed, levels)
            tree.value_start[p] = inside + begin[self.part]
            tree.cross_value[p, tree.entry_edge] = (used + begin)[origin] + after
        if not share:
            sizes[0] += sizes[1]
            sizes[1] = 0
        tree.shared_start[:], tree.shared_size[:] = sizes
        tree.edge_reach[:] = tree.reach_start[:, tree.edge_child]
        tree.edge_value[:] = tree.value_start[:, tree.edge_child]


def _nodes(group: list[_Block], inside: NDArray[Any]) -> NDArray[np.int64]:
    """[blocks, .] nodes by their numbers inside a template."""
    nodes: NDArray[np.int64] = np.array([block.first for block in group])[:, None] + inside
    return nodes


def _starts(lengths: NDArray[Any]) -> Int64:
    """[.] where each begins if they are concatenated."""
    starts: Int64 = np.cumsum(lengths, dtype=np.int64) - lengths
    return starts


def _offsets(widths: Int64, group: Int32, count: int) -> tuple[Int64, Int64]:
    """Where each of `widths` begins among those of its group, and [count] the groups' sums."""
    sums = np.bincount(group, weights=widths, minlength=count).astype(np.int64)
    order = np.argsort(group, kind="stable")
    offsets = np.empty_like(widths)
    offsets[order] = _starts(widths[order]) - _starts(sums)[group[order]]
    return offsets, sums


def _begin(used: Int64, levels: NDArray[np.int64]) -> tuple[Int64, tuple[int, int]]:
    """[R] where the vectors of each range begin; the lengths of the first's and of all others'.

    used: [R] the length of each range's vectors; ranges of one of `levels` share their place.
    """
    most = np.zeros(int(levels.max()) + 1, np.int64)
    np.maximum.at(most, levels, used)
    return _starts(most)[levels], (int(most[0]), int(most[1:].sum()))
