"""What every game promises to the rest of the package, checked on all of them.

A game in the registry is covered by being there: `check_game` looks at its rules, and what is
checked here beyond that holds for the games of the package. Rules with a fault are refused.
"""

from __future__ import annotations

import dataclasses
import math
import pickle
import random
import re
from collections.abc import Hashable, Iterator
from functools import cache

import numpy as np
import pytest

import tacit
from support.faulty_games import FAULTS, FaultyGame
from support.random_games import random_game
from support.worlds import WorldGame
from tacit.games import CHANCE, TERMINAL, Game, GameError, State, families, find_action, load_game
from tacit.games.check import Walk, check_public_state, check_subgame_keys, walk_game
from tacit.games.pursuit import Map, Pursuit, Transport
from tacit.tree import Builder, build_tree

STATES = 80_000
"""World states of each game that are looked at."""

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


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    game: Game
    notation: str = ""


CASES = [
    *(Case(name, load_game(name)) for name in EXAMPLES),
    Case("liars-dice-3x2", load_game("liars-dice-3x2")),
    Case("liars-dice-1x2", load_game("liars-dice-1x2")),
    Case("pursuit-two-transports", Pursuit(TWO_TRANSPORTS)),
    Case("pursuit-dead-end", Pursuit(DEAD_END)),
    Case("tic-tac-toe after b2 a1 c3", load_game("tic-tac-toe"), "b2 a1 c3"),
    Case("tic-tac-toe after c3 a1 b2", load_game("tic-tac-toe"), "c3 a1 b2"),
]


@cache
def walk_of(case: Case) -> Walk:
    return walk_game(case.game, notation=case.notation, states=STATES)


def states_of(case: Case) -> Iterator[State]:
    return (state for node in walk_of(case).nodes.values() for state in node.states)


# Cases are compared by identity of the game, so the cache holds one walk for each.
every_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@pytest.mark.parametrize("name", EXAMPLES)
def test_is_found_by_its_name(name: str) -> None:
    game = load_game(name)
    assert game.name == name
    assert game.title
    assert game.unit
    assert game.initial() == load_game(name).initial()


@every_case
def test_chance_is_a_distribution(case: Case) -> None:
    for state in states_of(case):
        if state.player == CHANCE:
            weights = state.chance()
            assert len(weights) == len(state.actions())
            assert min(weights) > 0
            assert math.fsum(weights) == pytest.approx(1.0, abs=1e-12)


@every_case
def test_public_states_keep_the_contract(case: Case) -> None:
    walk = walk_of(case)
    for node in walk.nodes.values():
        check_public_state(node, walk)
    check_subgame_keys(walk)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_game_passes_its_check(name: str) -> None:
    tacit.check_game(name, seed=1)


@pytest.mark.parametrize("seed", range(12))
def test_random_games_pass_their_check(seed: int) -> None:
    tacit.check_game(random_game(seed))


def test_pennies_without_a_fault_pass() -> None:
    tacit.check_game(FaultyGame())
    assert build_tree(FaultyGame()).public_states == 9


@pytest.mark.parametrize(("fault", "message"), FAULTS.items(), ids=FAULTS)
def test_a_fault_is_refused_when_a_tree_is_built(fault: str, message: str) -> None:
    with pytest.raises(GameError, match=re.escape(message)) as refused:
        build_tree(FaultyGame(fault))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("fault", "message"), FAULTS.items(), ids=FAULTS)
def test_a_fault_is_refused_by_check_game(fault: str, message: str) -> None:
    with pytest.raises(GameError, match=re.escape(message)) as refused:
        tacit.check_game(FaultyGame(fault))
    assert "\n" not in str(refused.value)


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
def test_labels_can_be_typed(case: Case) -> None:
    for state in states_of(case):
        labels = [state.label(action) for action in state.actions()]
        assert len(set(labels)) == len(labels)
        assert all(label and label.split() == [label] for label in labels)
        if len(labels) < 20:
            assert [find_action(state, label) for label in labels] == list(state.actions())


@every_case
def test_histories_that_merge_have_met_with_equal_chance(case: Case) -> None:
    walk = walk_of(case)
    reach: dict[State, float] = dict.fromkeys(next(iter(walk.nodes.values())).states, 1.0)
    shares: dict[Hashable, dict[Hashable, float]] = {}
    for node in walk.nodes.values():
        chances = {s: dict(zip(s.actions(), s.chance(), strict=True))
                   for s in node.states if s.player == CHANCE}  # fmt: skip
        for state, action, child in node.moves:
            met = reach[state] * (chances[state][action] if chances else 1.0)
            assert reach.setdefault(child, met) == pytest.approx(met)
        total = sum(reach[state] for state in node.states)
        pairs = {(s.private(0), s.private(1)): reach[s] / total for s in node.states}
        key = next(iter(node.states)).subgame_key()
        assert shares.setdefault(key, pairs) == pytest.approx(pairs)


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
