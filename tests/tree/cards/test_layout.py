"""Card trees laid out by array operations, against a slow walk over public states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tacit.games import CHANCE, TERMINAL, GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import BettingRules
from tacit.games.holdem.ranges import parse_range
from tacit.games.holdem.spot import Spot
from tacit.solvers import Solver, evaluate, find_algorithm
from tacit.tree import LEAF, Place, PublicTree, build_forest
from tacit.tree.arrays import IDENTITY
from tacit.tree.builder import Limit, StopRule, before_chance
from tacit.tree.cards.builder import CardBuilder, build_spot
from tacit.tree.cards.layout import CardLayout
from tacit.tree.cards.states import CardState
from tacit.tree.cards.terminals import FOLD, SHOWDOWN
from tacit.tree.public_state import PublicState, Transition

RANGES = ("22+,A2s+,KTo+", "55+,K9s+,AJo+,T9s")
NARROW = ("AKs,QQ,JTs,98s", "AA,JTs,77,T9s")
RIVER = Spot.of("2c7dJhQsKs", ranges=RANGES, pot=101, behind=(200, 150), bets="50%,a/a")
TURN = Spot.of("2c7dJhQs", ranges=RANGES, pot=100, behind=400, bets="75%/a")
TWO_SUITS = Spot.of("7s7h8s8h", ranges=NARROW, pot=60, behind=100, bets="a")
ADDED = Spot.of(
    "2c7dJhQs", ranges=NARROW, pot=100, behind=400, bets="75%/a", additions={"": (160, 200)}
)
KEPT = Spot.of("2c7dJhQs", ranges=("AA", "KK"), pot=100, behind=100, bets="a")
FLOP = Spot.of("7s8s9s", ranges=NARROW, pot=100, behind=100, bets="a")
PREFLOP = Spot(
    board=(),
    rules=BettingRules(stacks=(300, 300), last_street=1),
    ranges=(parse_range("AA,AKs"), parse_range("KK,QJs")),
    bets=BetSettings.parse("a"),
)


@dataclass
class Slow:
    """A tree drawn public state by public state, in the order of the layout."""

    stop: StopRule | None
    depth: int | None
    states: list[CardState] = field(default_factory=list)
    players: list[int] = field(default_factory=list)
    entering: list[int] = field(default_factory=list)
    edges: list[tuple[int, int, Transition]] = field(default_factory=list)
    first_edge: dict[int, int] = field(default_factory=dict)
    ranges: list[tuple[int, int, int, int]] = field(default_factory=list)

    def draw(self, roots: Sequence[CardState]) -> Slow:
        chance: list[tuple[int, int | None]] = []
        for root in roots:
            chance += self.street(root, -1, self.depth)
        self.ranges.append((0, len(self.states), 0, -1))
        boards: dict[int, list[tuple[int, int | None]]] = {}
        for node, left in chance:
            boards.setdefault(id(self.states[node].deal), []).append((node, left))
        for frontier in boards.values():
            self.boards(frontier, 0)
        return self

    def boards(self, frontier: list[tuple[int, int | None]], parent: int) -> None:
        for number in range(len(self.states[frontier[0][0]].deal.following) if frontier else 0):
            first, below = len(self.states), []
            for node, left in frontier:
                edge = self.first_edge[node] + number
                child = self.edges[edge][2].child
                assert isinstance(child, CardState)
                self.edges[edge] = (node, len(self.states), self.edges[edge][2])
                below += self.street(child, edge, left)
            self.ranges.append((first, len(self.states), self.ranges[parent][2] + 1, parent))
            self.boards(below, len(self.ranges) - 1)

    def street(self, state: CardState, edge: int, left: int | None) -> list[tuple[int, int | None]]:
        node, mover = len(self.states), state.mover
        ends = edge >= 0 and mover != TERMINAL
        ends = ends and (left == 0 or (self.stop is not None and self.stop(state)))
        self.states.append(state)
        self.players.append(LEAF if ends else mover)
        self.entering.append(edge)
        if ends or mover == TERMINAL:
            return []
        self.first_edge[node] = len(self.edges)
        transitions = state.expand().transitions
        self.edges += [(node, -1, transition) for transition in transitions]
        if mover == CHANCE:
            return [(node, left)]
        found = []
        for number, transition in enumerate(transitions):
            edge = self.first_edge[node] + number
            self.edges[edge] = (node, len(self.states), transition)
            assert isinstance(transition.child, CardState)
            found += self.street(transition.child, edge, None if left is None else left - 1)
        return found


def facing_a_bet(state: PublicState) -> bool:
    assert isinstance(state, CardState)
    return state.mover < CHANCE and state.betting.to_call > 0


CASES = {
    "river": (RIVER, True, None, None),
    "turn": (TURN, True, None, None),
    "suits": (TWO_SUITS, True, None, None),
    "all suits": (TWO_SUITS, False, None, None),
    "added bets": (ADDED, True, None, None),
    "no hand dies": (KEPT, True, None, None),
    "flop": (FLOP, True, None, None),
    "before the flop": (PREFLOP, True, None, None),
    "street": (TURN, True, before_chance, None),
    "preflop street": (PREFLOP, True, before_chance, None),
    "one move": (TURN, True, None, 1),
    "four moves": (TURN, True, None, 4),
    "three moves and street": (FLOP, True, before_chance, 3),
    "a rule": (TURN, True, facing_a_bet, None),
}


def layout_of(case: str) -> tuple[CardLayout, Slow]:
    spot, isomorphism, stop, depth = CASES[case]
    root = CardState.of(spot, isomorphism=isomorphism)
    return CardLayout([root], Limit(depth, stop)), Slow(stop, depth).draw([root])


def check(layout: CardLayout, slow: Slow) -> None:
    check_nodes(layout, slow)
    check_edges(layout, slow)
    check_terminals(layout, slow)
    check_places(layout, slow)


@pytest.mark.parametrize("case", CASES)
def test_a_layout_is_what_a_walk_over_public_states_finds(case: str) -> None:
    check(*layout_of(case))


def check_nodes(layout: CardLayout, slow: Slow) -> None:
    arrays, slots = layout.arrays, 0
    assert arrays.player.tolist() == slow.players
    assert [tuple(part) for part in layout.ranges] == slow.ranges
    for node, (state, player) in enumerate(zip(slow.states, slow.players, strict=True)):
        assert tuple(arrays.info_count[:, node]) == state.counts
        moves = state.expand() if player not in (TERMINAL, LEAF) else None
        assert layout.labels(node) == (moves.labels if moves else ())
        assert arrays.edge_count[node] == (len(moves.transitions) if moves else 0)
        assert arrays.edge_start[node] == slow.first_edge.get(node, 0)
        actions = len(moves.actions) if moves else 0
        assert (arrays.action_count[node], arrays.simple[node]) == (actions, actions > 0)
        assert arrays.slot_start[node] == (slots if actions else 0)
        slots += actions * state.counts[player] if actions else 0
    for node in range(0, len(slow.states), 1 + len(slow.states) // 200):
        state = layout.state(node)
        assert (state.key, state.betting) == (slow.states[node].key, slow.states[node].betting)
        assert state is layout.state(node)
        assert_array_equal(state.deal.hands[0], slow.states[node].deal.hands[0])
    assert layout.sizes.slots == slots
    assert (arrays.copies == 1).all()
    assert (arrays.legal_start == -1).all()


def check_edges(layout: CardLayout, slow: Slow) -> None:
    arrays = layout.arrays
    assert len(arrays.edge_parent) == len(slow.edges)
    for edge, (parent, child, transition) in enumerate(slow.edges):
        assert (arrays.edge_parent[edge], arrays.edge_child[edge]) == (parent, child)
        assert (arrays.edge_factor[edge], arrays.edge_share[edge]) == (
            transition.factor,
            transition.share,
        )
        for p in (0, 1):
            before, after = (slow.states[node].counts[p] for node in (parent, child))
            source, target = transition.sources[p], transition.targets[p]
            start, count = int(arrays.map_start[p, edge]), int(arrays.map_count[p, edge])
            same = before == after == len(source) and (source == np.arange(after)).all()
            if slow.states[parent].mover != CHANCE or same:
                assert count == IDENTITY
            else:
                assert_array_equal(arrays.map_source[start : start + count], source)
                assert_array_equal(arrays.map_target[start : start + count], target)
    part = np.zeros(len(slow.states), int)
    for number, (first, last, _, _) in enumerate(slow.ranges):
        part[first:last] = number
    crossing = [
        edge
        for node, edge in enumerate(slow.entering)
        if edge >= 0 and part[slow.edges[edge][0]] != part[node]
    ]
    assert arrays.entry_edge.tolist() == crossing


def check_terminals(layout: CardLayout, slow: Slow) -> None:
    arrays, cards = layout.arrays, layout.arrays.cards
    batched: dict[int, tuple[int, int]] = {}
    for batch, (kind, board) in enumerate(zip(cards.batch_kind, cards.batch_board, strict=True)):
        for node in cards.batch_node[cards.batch_start[batch] : cards.batch_start[batch + 1]]:
            batched[int(node)] = int(kind), int(board)
    assert sorted(batched) == [n for n, player in enumerate(slow.players) if player == TERMINAL]
    for node, (kind, board) in batched.items():
        state = slow.states[node]
        assert kind == (SHOWDOWN if state.betting.folded is None else FOLD)
        sign = -1 if state.betting.folded == 0 else 1
        assert arrays.terminal_scale[node] == sign * state.amount
        for p in (0, 1):
            start = int(cards.hand_start[p, board])
            here = slice(start, start + state.counts[p])
            assert_array_equal(cards.low[here], state.deal.cards[p][:, 0])
            assert_array_equal(cards.high[here], state.deal.cards[p][:, 1])
    for row in layout.order.whole:
        nodes = cards.batch_node[cards.batch_start[row[3]] : cards.batch_start[row[4]]]
        assert ((row[1] <= nodes) & (nodes < row[2])).all()


def check_places(layout: CardLayout, slow: Slow) -> None:
    """Where vectors stand, node by node: the obvious version."""
    arrays = layout.arrays
    home = np.zeros(len(slow.states), int)
    for number, (first, last, _, _) in enumerate(slow.ranges):
        home[first:last] = number
    share = LEAF not in slow.players[slow.ranges[0][1] :]
    group = [part[2] for part in slow.ranges] if share else list(range(len(slow.ranges)))
    for p in (0, 1):
        reach, values = np.zeros((2, len(slow.states)), int)
        used = np.zeros((2, len(slow.ranges)), int)
        cross, borrowed = {}, {}
        for node, edge in enumerate(slow.entering):
            count, part = slow.states[node].counts[p], home[node]
            values[node] = used[1, part]
            used[1, part] += count
            parent = slow.edges[edge][0] if edge >= 0 else -1
            if edge >= 0 and home[parent] != part:
                cross[edge] = used[1, home[parent]]
                used[1, home[parent]] += slow.states[parent].counts[p]
            if edge >= 0 and arrays.map_count[p, edge] == IDENTITY and slow.players[parent] != p:
                borrowed[node] = parent
            else:
                reach[node] = used[0, part]
                used[0, part] += count
        most = np.zeros((2, max(group) + 1), int)
        for number, level in enumerate(group):
            most[:, level] = np.maximum(most[:, level], used[:, number])
        begin = np.cumsum(most, axis=1) - most
        for node, part in enumerate(home):
            reach[node] += begin[0, group[part]]
            values[node] += begin[1, group[part]]
            if node in borrowed:
                reach[node] = reach[borrowed[node]]
        assert_array_equal(arrays.reach_start[p], reach)
        assert_array_equal(arrays.value_start[p], values)
        for edge, (parent, child, _) in enumerate(slow.edges):
            place = cross[edge] + begin[1, group[home[parent]]] if edge in cross else -1
            assert arrays.cross_value[p, edge] == place
            assert arrays.edge_reach[p, edge] == reach[child]
            assert arrays.edge_value[p, edge] == values[child]
        total = most.sum(axis=1)
        assert (layout.sizes.reach[p], layout.sizes.values[p]) == tuple(total)
        shared = total - most[:, 0] if share else np.zeros(2, int)
        assert_array_equal(arrays.shared_size[:, p], shared)
        assert_array_equal(arrays.shared_start[:, p], total - shared)


@pytest.mark.parametrize("depth", [3, 4])
@pytest.mark.parametrize("case", ["turn", "suits", "all suits"])
def test_ranges_with_leaves_have_no_place_in_common(case: str, depth: int) -> None:
    spot, isomorphism, _, _ = CASES[case]
    root = CardState.of(spot, isomorphism=isomorphism)
    layout = CardLayout([root], Limit(depth))
    assert (layout.arrays.player[layout.ranges[0].last :] == LEAF).any()
    check(layout, Slow(None, depth).draw([root]))
    for p in (0, 1):
        taken = np.zeros(layout.sizes.values[p], int)
        for node in range(len(layout.arrays.player)):
            start = int(layout.arrays.value_start[p, node])
            taken[start : start + int(layout.arrays.info_count[p, node])] += 1
        assert taken.max() == 1


def test_what_is_no_limit_is_refused() -> None:
    with pytest.raises(GameError, match="at least 1, not 0"):
        CardLayout([CardState.of(TURN)], Limit(0))
    with pytest.raises(GameError, match="at least one root"):
        CardLayout([], Limit())


def forest_roots() -> list[CardState]:
    """Boards, streets, pots and ranges that differ; the first and the last share a board."""
    turn = CardState.of(TURN)
    bet = turn.expand().transitions[1].child
    assert isinstance(bet, CardState)
    return [turn, CardState.of(RIVER), CardState.of(TWO_SUITS), CardState.of(PREFLOP), bet]


@pytest.mark.parametrize("depth", [None, 1, 3])
def test_a_forest_has_roots_on_different_boards(depth: int | None) -> None:
    roots = forest_roots()
    layout = CardLayout(roots, Limit(depth))
    check(layout, Slow(None, depth).draw(roots))
    assert [layout.state(root.node) for root in layout.roots] == roots
    for state, beliefs in zip(roots, layout.beliefs, strict=True):
        for p in (0, 1):
            assert_array_equal(beliefs[p], state.spot.ranges[p][state.deal.hands[p]])


def blocks(tree: PublicTree, policy: np.ndarray, root: int) -> Iterator[np.ndarray]:
    for place, _ in tree.walk(Place(*tree.roots[root])):
        if tree.arrays.player[place.node] < CHANCE:
            yield tree.block(policy, place.node)[:, 0]


def test_the_subgames_of_a_forest_are_solved_as_each_alone() -> None:
    roots = forest_roots()
    forest = build_forest(CardBuilder(), roots)  # type: ignore[arg-type]
    solver = Solver(forest, find_algorithm("dcfr"))
    solver.run(20)
    policy = solver.average_policy()
    for number, root in enumerate(roots):
        tree = build_forest(CardBuilder(), [root])  # type: ignore[arg-type]
        alone = Solver(tree, find_algorithm("dcfr"))
        alone.run(20)
        pairs = zip(
            blocks(forest, policy, number), blocks(tree, alone.average_policy(), 0), strict=True
        )
        for together, apart in pairs:
            assert_allclose(together, apart, atol=1e-6)


def test_a_depth_counts_the_moves_of_players() -> None:
    tree = build_spot(TURN, depth=3)
    leaves = {path for place, path in tree.walk() if tree.arrays.player[place.node] == LEAF}
    moves = {sum(1 for word in path if word[0] in "kcfr") for path in leaves}
    assert moves == {3}
    assert any(word[0].isupper() or word[0].isdigit() for path in leaves for word in path)


def test_progress_is_told_up_to_the_end() -> None:
    told: list[float] = []
    CardLayout(forest_roots()[:3], Limit(), progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_an_expansion_leads_to_the_states_of_the_tree() -> None:
    layout = CardLayout([CardState.of(TURN)], Limit(stop=before_chance))
    root = layout.roots[0].node
    expansion = layout.expansion(root)
    for transition, edge in zip(expansion.transitions, range(len(expansion.labels)), strict=True):
        assert transition.child is layout.state(int(layout.arrays.edge_child[edge]))
    leaf = int(np.flatnonzero(layout.arrays.player == LEAF)[0])
    assert layout.expansion(leaf).transitions == ()
    assert (layout.street == 2).all()


def test_a_tree_has_the_actions_that_it_is_given() -> None:
    """An off-tree bet at the root, and nothing but checks, calls and folds below."""

    def actions(state: PublicState) -> frozenset[str] | None:
        assert isinstance(state, CardState)
        if state.history == "":
            return frozenset({"k", "r160"})
        return frozenset({"f", "c"} if state.betting.to_call else {"k"})

    root = CardState.of(TURN)
    given = build_forest(CardBuilder(), [root], actions=actions)
    own = build_forest(CardBuilder(), [root])
    assert given.expansion(0).labels == ("k", "r160")
    assert own.expansion(0).labels != given.expansion(0).labels
    moves = [node for node in range(given.nodes) if given.arrays.player[node] < CHANCE]
    assert {label for node in moves for label in given.labels(node)} == {"f", "c", "k", "r160"}
    solver = Solver(given, find_algorithm("dcfr"))
    solver.run(30)
    assert np.isfinite(evaluate(given, solver.average_policy()).exploitability)
