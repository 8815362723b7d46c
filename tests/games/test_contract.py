"""What every game promises to the rest of the package, checked on all of them.

A game in the registry is covered by being there. Its public tree is walked level by level; a level
that is too large is thinned to a random choice of whole public states, so that what is checked on
a public state always sees all of its world states.
"""

from __future__ import annotations

import dataclasses
import math
import pickle
import random
from collections.abc import Hashable, Iterator
from functools import cache

import numpy as np
import pytest

from support.worlds import WorldGame
from tacit.games import CHANCE, TERMINAL, Game, GameError, State, families, find_action, load
from tacit.games.pursuit import Map, Pursuit, Transport
from tacit.tree import Builder

LEVEL_CAP = 4000
"""World states kept a level."""

EXAMPLES = [example for family in families() for example in family.examples]

TWO_TRANSPORTS = Map(
    name="two-transports",
    title="a ring with a railway",
    transports=(
        Transport("taxi", ((1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 1)), 3, 2),
        Transport("rail", ((1, 4), (2, 5), (2, 6)), 1, 1),
    ),
    mr_x=2,
    detectives=(4, 6),
    rounds=3,
    reveals=frozenset({2}),
)
DEAD_END = Map(
    name="dead-end",
    title="a path with a fork",
    transports=(Transport("taxi", ((1, 2), (2, 3), (3, 4), (4, 5), (3, 6)), 4, 1),),
    mr_x=3,
    detectives=(1,),
    rounds=4,
    reveals=frozenset({1, 3}),
)


@dataclasses.dataclass
class Node:
    """A public state: its world states with chance's reach, and where their moves lead."""

    states: dict[State, float]
    moves: list[tuple[State, int, State]]


@dataclasses.dataclass
class Walk:
    """The public states of a game below one state; all of them if `complete`."""

    nodes: dict[Hashable, Node]
    complete: bool

    def states(self) -> Iterator[State]:
        for node in self.nodes.values():
            yield from node.states

    def moves(self) -> Iterator[tuple[State, int, State]]:
        for node in self.nodes.values():
            yield from node.moves


def walk_from(start: State) -> Walk:
    choice = random.Random(0)
    walk = Walk({}, complete=True)
    parents: dict[Hashable, Hashable] = {}
    level = {start.public(): Node({start: 1.0}, [])}
    while level:
        order = list(level)
        choice.shuffle(order)
        following: dict[Hashable, Node] = {}
        kept = 0
        for public in order:
            node = level[public]
            kept += len(node.states)
            if kept > LEVEL_CAP:
                walk.complete = False
                break
            assert public not in walk.nodes, "a public state comes up again below itself"
            walk.nodes[public] = node
            for state, reach in node.states.items():
                weights = state.chance() if state.player == CHANCE else None
                for index, action in enumerate(state.actions()):
                    child = state.child(action)
                    node.moves.append((state, action, child))
                    seen = child.public()
                    assert parents.setdefault(seen, public) == public, (
                        "public() must determine the public states before it"
                    )
                    below = following.setdefault(seen, Node({}, []))
                    child_reach = reach * (weights[index] if weights else 1.0)
                    assert below.states.setdefault(child, child_reach) == pytest.approx(
                        child_reach
                    ), "histories that merge must have met with equal chance"
        level = following
    return walk


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    game: Game
    notation: str = ""


CASES = [
    *(Case(name, load(name)) for name in EXAMPLES),
    Case("liars-dice-3x2", load("liars-dice-3x2")),
    Case("liars-dice-1x2", load("liars-dice-1x2")),
    Case("pursuit-two-transports", Pursuit(TWO_TRANSPORTS)),
    Case("pursuit-dead-end", Pursuit(DEAD_END)),
    Case("tic-tac-toe after b2 a1 c3", load("tic-tac-toe"), "b2 a1 c3"),
    Case("tic-tac-toe after c3 a1 b2", load("tic-tac-toe"), "c3 a1 b2"),
]


@cache
def walk_of(case: Case) -> Walk:
    return walk_from(case.game.replay(case.notation))


# Cases are compared by identity of the game, so the cache holds one walk for each.
every_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@pytest.mark.parametrize("name", EXAMPLES)
def test_is_found_by_its_name(name: str) -> None:
    game = load(name)
    assert game.name == name
    assert game.title
    assert game.unit
    assert game.initial() == load(name).initial()


@every_case
def test_chance_is_a_distribution(case: Case) -> None:
    for state in walk_of(case).states():
        if state.player == CHANCE:
            weights = state.chance()
            assert len(weights) == len(state.actions())
            assert min(weights) > 0
            assert math.fsum(weights) == pytest.approx(1.0, abs=1e-12)


@every_case
def test_the_game_ends_where_no_one_moves(case: Case) -> None:
    for state in walk_of(case).states():
        assert state.player in (0, 1, CHANCE, TERMINAL)
        assert (len(state.actions()) == 0) == (state.player == TERMINAL)
        if state.player == TERMINAL:
            assert math.isfinite(state.payoff())


@every_case
def test_the_public_state_decides_the_mover(case: Case) -> None:
    for node in walk_of(case).nodes.values():
        assert len({state.player for state in node.states}) == 1


@every_case
def test_the_infostate_decides_the_moves(case: Case) -> None:
    for node in walk_of(case).nodes.values():
        moves: dict[Hashable, list[tuple[int, str]]] = {}
        for state in node.states:
            if state.player in (0, 1):
                here = [(action, state.label(action)) for action in state.actions()]
                assert moves.setdefault(state.private(state.player), here) == here


@every_case
def test_a_player_learns_only_from_the_public_and_their_own_moves(case: Case) -> None:
    for node in walk_of(case).nodes.values():
        learned: dict[Hashable, Hashable] = {}
        for state, action, child in node.moves:
            if state.player == CHANCE:
                continue
            for player in (0, 1):
                own = action if player == state.player else None
                known = (player, state.private(player), own, child.public())
                after = child.private(player)
                assert learned.setdefault(known, after) == after


@every_case
def test_a_rendering_shows_a_player_their_infostate_and_no_more(case: Case) -> None:
    for node in walk_of(case).nodes.values():
        drawn: dict[Hashable, str] = {}
        for state in node.states:
            assert state.render()
            for player in (0, 1):
                text = state.render(player)
                assert text
                assert drawn.setdefault((player, state.private(player)), text) == text


@every_case
def test_labels_can_be_typed(case: Case) -> None:
    for state in walk_of(case).states():
        labels = [state.label(action) for action in state.actions()]
        assert len(set(labels)) == len(labels)
        assert all(label and label.split() == [label] for label in labels)
        if len(labels) < 20:
            assert [find_action(state, label) for label in labels] == list(state.actions())


@every_case
def test_equal_subgame_keys_have_equal_games_below(case: Case) -> None:
    walk = walk_of(case)
    if not walk.complete:
        pytest.skip("the game is too large to compare its subgames")
    numbers: dict[Hashable, int] = {}
    forms: dict[Hashable, int] = {}
    keys: dict[Hashable, int] = {}
    for public in reversed(walk.nodes):
        form = canonical_form(walk.nodes[public], forms)
        forms[public] = numbers.setdefault(form, len(numbers))
        here = {state.subgame_key() for state in walk.nodes[public].states}
        assert len(here) == 1, "subgame_key() must follow from public()"
        assert keys.setdefault(here.pop(), forms[public]) == forms[public]


def canonical_form(node: Node, forms: dict[Hashable, int]) -> Hashable:
    """The game below a public state, without the names of its public states.

    `forms` numbers the forms of its children: equal numbers are equal games.
    """
    total = sum(node.states.values())
    infostates = frozenset(
        (
            state.private(0),
            state.private(1),
            state.player,
            state.payoff() if state.player == TERMINAL else None,
            round(reach / total, 9),
        )
        for state, reach in node.states.items()
    )
    leading: dict[Hashable, set[Hashable]] = {}
    for state, action, child in node.moves:
        move = (
            (state.private(0), state.private(1)),
            (action, state.label(action)),
            (child.private(0), child.private(1)),
        )
        leading.setdefault(child.public(), set()).add(move)
    children = frozenset((frozenset(moves), forms[public]) for public, moves in leading.items())
    return infostates, children


@every_case
def test_playouts_replay_from_their_notation(case: Case) -> None:
    for seed in range(20):
        end, notation = case.game.playout(np.random.default_rng(seed))
        again = case.game.replay(notation)
        assert again == end
        assert hash(again) == hash(end)
        assert again.public() == end.public()
        assert again.payoff() == end.payoff()
        with pytest.raises(GameError, match="the game is over"):
            case.game.replay(notation + " more")


@every_case
def test_states_are_immutable_values(case: Case) -> None:
    for seed in range(5):
        state = case.game.initial()
        choice = random.Random(seed)
        while state.player != TERMINAL:
            assert dataclasses.is_dataclass(state)
            for item in dataclasses.fields(state):
                with pytest.raises(dataclasses.FrozenInstanceError):
                    setattr(state, item.name, getattr(state, item.name))
            copy = pickle.loads(pickle.dumps(state))
            assert copy == state
            assert hash(copy) == hash(state)
            before = repr(state)
            action = choice.choice(list(state.actions()))
            assert state.child(action) == copy.child(action)
            assert repr(state) == before
            state = state.child(action)


@every_case
def test_the_tree_agrees_with_playing_the_rules(case: Case) -> None:
    """Random games, followed by hand and through the public tree's transitions side by side."""
    if case.notation:
        pytest.skip("the tree starts at the game's start")
    builder = Builder(case.game)
    luck = np.random.default_rng(5)
    for _ in range(12):
        position = WorldGame.start(builder, luck)
        while position.world.player != TERMINAL:
            state, world = position.state, position.world
            assert state.mover == world.player
            for player in (0, 1):
                assert state.privates[player][position.infostate(player)] == world.private(player)
            assert state.compatibility[position.infostate(0), position.infostate(1)] > 0
            if world.player != CHANCE:
                legal = state.expansion.legal[:, position.infostate(world.player)]
                offered = [a for a, can in zip(state.expansion.actions, legal, strict=True) if can]
                assert offered == sorted(world.actions())
                action = int(luck.choice(offered))
                assert state.expansion.labels[state.expansion.actions.index(action)] == (
                    world.label(action)
                )
            else:
                action = position.chance_action(luck)
            _, position = position.after(action, luck)
        cell = position.infostate(0), position.infostate(1)
        paid = position.state.payoffs[cell] / position.state.compatibility[cell]
        assert paid == pytest.approx(position.world.payoff())
