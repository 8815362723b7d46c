"""Lays out trees of hold'em, street by street; the nodes of one board are adjacent.

The betting of a street is the same on every board, so it is walked once (`betting_template`) and
copied to every board by array operations. All lines of betting that lead to a deal share one range
of nodes after it, so that their folds and showdowns, which share the board, are evaluated together
(`tacit.tree.cards.terminals`). Public states become objects only when they are accessed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.array_record import Float64, Int8, Int32, Int64, Int64Rows
from tacit.games import CHANCE, TERMINAL, GameError
from tacit.games.holdem.betting import Betting
from tacit.tree.arrays import IDENTITY, Order, Range, Sizes, TreeArrays, visiting_order
from tacit.tree.cards.betting_template import Choose, Entry, Stop, StreetTemplate, walk_street
from tacit.tree.cards.deals import Deal, NextDeal, card_tables, deal_next
from tacit.tree.cards.states import CardState
from tacit.tree.cards.terminals import FOLD, SHOWDOWN, CardTables, work_size
from tacit.tree.layout import Place
from tacit.tree.public_state import ActionSet, Expansion, no_moves

Progress = Callable[[float], None]
"""Called from time to time with the share of the work that is done."""


@dataclass(frozen=True)
class _Block:
    """A street template on a board: nodes from `first` on, in the range number `part`.

    number: the number of the board's deal among those after the previous board.
    """

    template: StreetTemplate
    state: CardState
    deal: Deal
    first: int
    part: int
    dealt: NextDeal | None = None
    number: int = -1
    frontier: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """[entries] the nodes whose deal leads to the entries; [0] at a root."""


class CardLayout:
    """A public tree or forest of hold'em, laid out for the kernels."""

    def __init__(self, roots: Sequence[CardState], plan: _Plan, *, share: bool) -> None:
        self._blocks = plan.blocks
        self._first = [block.first for block in plan.blocks]
        self.ranges = plan.ranges
        made = _Arrays(plan)
        self.arrays, self.sizes, self.order = made.arrays(share=share)
        self.roots = [Place(first, 0) for first in self._first[: len(roots)]]
        self._states = {root.node: state for root, state in zip(self.roots, roots, strict=True)}

    @property
    def matrices(self) -> Float64:
        """[0] empty: no terminal needs a matrix."""
        return np.zeros(0)

    @property
    def beliefs(self) -> list[tuple[Float64, Float64]]:
        """For each root the ranges of its spot."""
        return [self.state(root.node).beliefs() for root in self.roots]

    def state(self, node: int) -> CardState:
        """The public state of a node."""
        state = self._states.get(node)
        if state is None:
            block, number = self._find(node)
            betting, history = block.template.betting[number], block.template.history[number]
            state = CardState(block.state.spot, betting, block.deal, history)
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
            return no_moves()  # a leaf may have moves in the game
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


def lay_out_cards(
    roots: Sequence[CardState],
    *,
    stop: Stop | None = None,
    depth: int | None = None,
    share: bool = True,
    actions: ActionSet | None = None,
    progress: Progress | None = None,
) -> CardLayout:
    """The subgames at `roots`, which may differ in board, pot and ranges, as one forest.

    stop: "street" ends it before the next street's cards; depth: after this many moves of the
    players. actions: the actions of a public state, by label, called once for all boards of a
    street; by default the bet sizes of its spot. share: ranges that are never visited at the same
    time keep their vectors in the same place; not for a tree with leaves below the first deal.
    """
    if not roots:
        raise GameError("no public state is given; name at least one root")
    if stop not in (None, "street"):
        raise GameError(f"a card tree cannot stop at {stop!r}; expected None or 'street'")
    if depth is not None and depth < 1:
        raise GameError(f"a tree has a depth of at least 1, not {depth}")
    report = progress or (lambda share: None)
    layout = CardLayout(roots, _Plan(roots, stop, depth, actions, report), share=share)
    report(1.0)
    return layout


class _Plan:
    """The template blocks of all boards, in the order of nodes."""

    def __init__(
        self,
        roots: Sequence[CardState],
        stop: Stop | None,
        depth: int | None,
        actions: ActionSet | None,
        progress: Progress,
    ) -> None:
        self.stop = stop
        self.actions = actions
        self.nodes = 0
        self.blocks: list[_Block] = []
        walked: dict[tuple[int, Entry], StreetTemplate] = {}
        for state in roots:
            entry = Entry(state.betting, state.history, depth, root=True)
            key = id(state.spot), entry
            if key not in walked:
                walked[key] = walk_street(state.spot, [entry], stop, self._chooser(state))
            self._add(_Block(walked[key], state, state.deal, self.nodes, 0))
        self.ranges = [Range(0, self.nodes, 0, -1)]
        groups: dict[tuple[int, int], list[_Block]] = {}
        for block in self.blocks:
            groups.setdefault((id(block.state.spot), id(block.deal)), []).append(block)
        for done, group in enumerate(groups.values()):
            following = [entry for block in group for entry in block.template.following]
            templates = self._templates(group[0].state, following)
            self._deal([group[0].deal], len(templates))
            progress(0.5 * (done + 1) / len(groups))
            self._below(group, templates, 0)

    def _chooser(self, root: CardState) -> Choose | None:
        """The action set as a function of the betting; None where the spot decides."""
        if self.actions is None:
            return None
        chosen = self.actions

        def choose(betting: Betting, history: str) -> Sequence[int]:
            state = CardState(root.spot, betting, root.deal, history)
            return state.expand(chosen(state)).actions

        return choose

    def _templates(self, state: CardState, entries: Sequence[Entry]) -> list[StreetTemplate]:
        """The templates of this street and those that follow, in order."""
        templates = []
        while entries:
            templates.append(walk_street(state.spot, entries, self.stop, self._chooser(state)))
            entries = templates[-1].following
        return templates

    def _deal(self, deals: Sequence[Deal], streets: int) -> None:
        """Make all boards of the next `streets`."""
        for _ in range(streets):
            deal_next(deals)
            deals = [dealt.deal for deal in deals for dealt in deal.following]

    def _below(
        self, above: Sequence[_Block], templates: Sequence[StreetTemplate], parent: int
    ) -> None:
        """Add a range for each board that may follow the blocks of one board, and those below."""
        if not templates:
            return
        level = self.ranges[parent].level + 1
        nodes = [block.first + block.template.deals.astype(np.int64) for block in above]
        frontier = np.concatenate(nodes)
        for number, dealt in enumerate(above[0].deal.following):
            part = len(self.ranges)
            block = _Block(
                templates[0], above[0].state, dealt.deal, self.nodes, part, dealt, number, frontier
            )
            self._add(block)
            self.ranges.append(Range(block.first, self.nodes, level, parent))
            self._below([block], templates[1:], part)

    def _add(self, block: _Block) -> None:
        self.blocks.append(block)
        self.nodes += len(block.template)


class _Arrays:
    """The arrays of a plan. N nodes, E edges, R ranges, D deals."""

    def __init__(self, plan: _Plan) -> None:
        self.ranges = plan.ranges
        self.count = plan.nodes
        lengths = [part.last - part.first for part in plan.ranges]
        self.part = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        """[N] the range of each node"""
        levels = sorted(plan.blocks, key=lambda block: plan.ranges[block.part].level)
        self.deals = list({id(block.deal): block.deal for block in levels}.values())
        number = {id(deal): n for n, deal in enumerate(self.deals)}
        groups: dict[int, list[_Block]] = {}
        for block in plan.blocks:
            groups.setdefault(id(block.template), []).append(block)
        self._set_nodes(list(groups.values()), number)
        self._set_edges(list(groups.values()))

    def _set_nodes(self, groups: list[list[_Block]], number: dict[int, int]) -> None:
        """Set each node's kind, slots and edges; groups: blocks with the same template."""
        self.player, self.fold = np.zeros((2, self.count), np.int8)
        self.action_count, self.edge_count, self.deal = np.zeros((3, self.count), np.int32)
        self.scale = np.zeros(self.count)
        for group in groups:
            template = group[0].template
            nodes = _nodes(group, np.arange(len(template)))
            self.player[nodes] = template.player
            self.fold[nodes] = template.fold
            self.scale[nodes] = template.scale
            self.action_count[nodes] = self.edge_count[nodes] = template.moves
            self.deal[nodes] = np.array([number[id(block.deal)] for block in group])[:, None]
            if len(template.deals):
                boards = np.array([len(block.deal.following) for block in group])
                self.edge_count[_nodes(group, template.deals)] = boards[:, None]
        counts = np.array([deal.counts for deal in self.deals], dtype=np.int32)
        self.info_count = np.ascontiguousarray(counts[self.deal].T)
        self.edge_start = _starts(self.edge_count).astype(np.int32)
        self.edge_start[self.edge_count == 0] = 0
        hands = np.where(self.player == 1, self.info_count[1], self.info_count[0])
        widths = self.action_count.astype(np.int64) * hands
        self.slot_start = _starts(widths)
        self.slot_start[self.action_count == 0] = 0
        self.slots, self.scratch = int(widths.sum()), int(widths.max(initial=0))

    def _set_edges(self, groups: list[list[_Block]]) -> None:
        """Set each edge's child, and the maps of hands along deals, one for each board."""
        self.edge_parent = np.repeat(np.arange(self.count, dtype=np.int32), self.edge_count)
        edges = len(self.edge_parent)
        self.edge_child = np.zeros(edges, np.int32)
        self.entering = np.full(self.count, -1, np.int32)
        """[N] the edge that leads to a node, -1 at a root"""
        self.factor, self.share = np.ones((2, edges))
        self.map_start = np.zeros((2, edges), np.int64)
        self.map_count = np.full((2, edges), IDENTITY, np.int32)
        sources: list[Int32] = []
        targets: list[Int32] = []
        mapped = 0
        for group in groups:
            template = group[0].template
            inner = np.flatnonzero(template.parent >= 0)
            above = _nodes(group, template.parent[inner])
            self._connect(self.edge_start[above] + template.move[inner], _nodes(group, inner))
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
            ways = self.edge_start[np.stack([block.frontier for block in group])] + numbers
            self._connect(ways, _nodes(group, template.entries))
            self.factor[ways] = np.array([each.chance for each in dealt])[:, None]
            self.share[ways] = np.array([each.share for each in dealt])[:, None]
            self.map_start[:, ways], self.map_count[:, ways] = maps
        self.map_source = np.concatenate(sources) if sources else np.zeros(0, np.int32)
        self.map_target = np.concatenate(targets) if targets else np.zeros(0, np.int32)

    def _connect(self, edges: NDArray[Any], children: NDArray[Any]) -> None:
        self.edge_child[edges] = children
        self.entering[children] = edges

    def arrays(self, *, share: bool) -> tuple[TreeArrays, Sizes, Order]:
        """All that the passes need; see `lay_out_cards` for `share`."""
        cards, batch_starts = self._terminals()
        places = self._place_vectors(share=share)
        zeros = np.zeros(self.count, np.int8)
        arrays = TreeArrays(
            player=self.player,
            copies=np.ones(self.count, np.int32),
            edge_start=self.edge_start,
            edge_count=self.edge_count,
            action_count=self.action_count,
            slot_start=self.slot_start,
            info_count=self.info_count,
            reach_start=places.reach,
            value_start=places.values,
            simple=(self.action_count > 0).astype(np.int8),
            locked=zeros,
            legal_start=np.full(self.count, -1, np.int64),
            legal=zeros[:0],
            edge_parent=self.edge_parent,
            edge_child=self.edge_child,
            edge_copy=np.zeros(len(self.edge_child), np.int32),
            edge_factor=self.factor,
            edge_share=self.share,
            edge_reach=places.reach[:, self.edge_child],
            edge_value=places.values[:, self.edge_child],
            map_start=self.map_start,
            map_count=self.map_count,
            map_source=self.map_source,
            map_target=self.map_target,
            entry_edge=places.entries,
            cross_value=places.cross,
            terminal_matrix=np.full(self.count, -1, np.int32),
            terminal_scale=self.scale,
            matrix_start=np.zeros(0, np.int64),
            shared_start=places.shared_start,
            shared_size=places.shared_size,
            cards=cards,
        )
        work = work_size(int(self.info_count.max())) if len(cards.batch_node) else 0
        (reach, values), (more_reach, more_values) = (
            (places.shared_start + places.shared_size).tolist(),
            places.shared_size.tolist(),
        )
        sizes = Sizes(
            slots=self.slots,
            reach=(reach[0], reach[1]),
            values=(values[0], values[1]),
            scratch=max(1, self.scratch, work),
            shared_reach=(more_reach[0], more_reach[1]),
            shared_values=(more_values[0], more_values[1]),
        )
        heads = self.edge_child[places.entries]
        borders = [*(part.first for part in self.ranges), self.count]
        entries = np.searchsorted(heads, borders).tolist()
        return arrays, sizes, visiting_order(self.ranges, batch_starts, entries)

    def _terminals(self) -> tuple[CardTables, list[int]]:
        """The card tables, and [R + 1] where the batches of terminals of each range begin."""
        nodes = np.flatnonzero(self.player == TERMINAL)
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

    def _place_vectors(self, *, share: bool) -> _Places:
        """Assign places to reaches, values and values that cross between ranges.

        Values that an edge carries up from another range belong to the range above: it is still in
        use when the next range takes the place of the one below.
        """
        count = len(self.ranges)
        below = np.flatnonzero(self.entering >= 0)
        parent = np.full(self.count, -1, np.int64)
        parent[below] = self.edge_parent[self.entering[below]]
        crossing = below[self.part[parent[below]] != self.part[below]]
        origin = self.part[parent[crossing]]
        reach, values = np.zeros((2, 2, self.count), np.int64)
        cross = np.full((2, len(self.edge_parent)), -1, np.int64)
        sizes = np.zeros((2, 2, 2), np.int64)
        """[first range or others, reach or values, player]"""
        levels = np.array([part.level for part in self.ranges]) if share else np.arange(count)
        for p in (0, 1):
            hands = self.info_count[p].astype(np.int64)
            own = np.ones(self.count, np.bool_)
            mapped = self.map_count[p, self.entering[below]] != IDENTITY
            own[below] = mapped | (self.player[parent[below]] == p)
            inside, used = _offsets(np.where(own, hands, 0), self.part, count)
            begin, sizes[:, 0, p] = _begin(used, levels)
            owner = np.where(own, np.arange(self.count), parent)
            while not own[owner].all():
                owner = owner[owner]
            reach[p] = (inside + begin[self.part])[owner]
            inside, used = _offsets(hands, self.part, count)
            after, crossed = _offsets(hands[parent[crossing]], origin, count)
            begin, sizes[:, 1, p] = _begin(used + crossed, levels)
            values[p] = inside + begin[self.part]
            cross[p, self.entering[crossing]] = (used + begin)[origin] + after
        if not share:
            sizes[0] += sizes[1]
            sizes[1] = 0
        return _Places(reach, values, self.entering[crossing], cross, sizes[0], sizes[1])


class _Places(NamedTuple):
    """The places of vectors; see `TreeArrays`."""

    reach: Int64Rows
    values: Int64Rows
    entries: Int32
    cross: Int64Rows
    shared_start: Int64Rows
    shared_size: Int64Rows


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
