"""`check_game`: checks a game against the whole contract of `games/game.py`.

The public states are walked level by level. A level that is too large is thinned to a random choice
of whole public states, so that each check of a public state sees all of its world states.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from tacit.games import contract
from tacit.games.game import CHANCE, TERMINAL, Game, GameError, State

STATES = 10_000
"""World states that are checked before levels are thinned to `THIN`."""
THIN = 30


@dataclass
class Node:
    """A public state: its world states in order, and where their moves lead."""

    states: dict[State, None] = field(default_factory=dict)
    moves: list[tuple[State, int, State]] = field(default_factory=list)


@dataclass
class Walk:
    """The public states of a game below one state, parents first; all of them if `complete`."""

    game: Game
    nodes: dict[Hashable, Node] = field(default_factory=dict)
    complete: bool = True
    notation: dict[State, str] = field(default_factory=dict)

    def place(self, state: State) -> str:
        """The beginning of an error message about `state`."""
        moves = self.notation.get(state)
        return f"{self.game.name}: after {moves!r}" if moves else f"{self.game.name}: at the start"


def check_game(game: Game, *, playouts: int = 20, seed: int = 0, states: int = STATES) -> None:
    """Refuse a game that breaks the contract, with a GameError that names the state.

    About `states` world states are checked, more of them near the start, and `playouts` random
    games are replayed from their notation. `tacit.check_game` also checks merges of infostates.
    """
    walk = walk_game(game, states=states, seed=seed)
    for node in walk.nodes.values():
        check_public_state(node, walk)
    check_subgame_keys(walk)
    for number in range(playouts):
        end, notation = game.playout(np.random.default_rng([seed, number]))
        again = game.replay(notation)
        if again != end or hash(again) != hash(end):
            raise GameError(f"{game.name}: {notation!r} replays to a state that is not equal (==)")
        if (again.public(), again.payoff()) != (end.public(), end.payoff()):
            raise GameError(f"{game.name}: {notation!r} replays to another public() or payoff()")


def walk_game(game: Game, *, notation: str = "", states: int = STATES, seed: int = 0) -> Walk:
    """Walk the public states of `game` below `notation` and check each world state by itself."""
    random = np.random.default_rng(seed)
    walk = Walk(game)
    start = game.replay(notation)
    contract.check_hashable([start], game.name)
    walk.notation[start] = notation
    parents: dict[Hashable, Hashable] = {}
    level = {start.public(): Node({start: None})}
    while level:
        publics = list(level)
        following: dict[Hashable, Node] = {}
        checked, allowed = 0, max(THIN, (states - len(walk.notation)) // 4)
        for index in random.permutation(len(publics)).tolist():
            public = publics[index]
            node = level[public]
            checked += len(node.states)
            if checked > allowed and (checked > len(node.states) or checked > states):
                walk.complete = False
                break
            if public in walk.nodes:
                raise GameError(
                    f"{walk.place(next(iter(node.states)))} public() is {public!r} as it was "
                    "before; it must show that a move was made"
                )
            walk.nodes[public] = node
            for state in node.states:
                for action, child in _moves(state, walk):
                    node.moves.append((state, action, child))
                    seen = child.public()
                    if parents.setdefault(seen, public) != public:
                        raise GameError(
                            f"{walk.place(child)} the public state {seen!r} has two parents; "
                            "public() must determine all earlier public observations"
                        )
                    below = following.setdefault(seen, Node())
                    below.states[child] = None
        level = following
    return walk


def _moves(state: State, walk: Walk) -> list[tuple[int, State]]:
    """Check one world state by itself; its children."""
    place = walk.place
    before = _facts(state)
    if contract.checked_mover(state, place) == TERMINAL:
        contract.checked_payoff(state, place)
        return []
    actions = contract.checked_actions(state, place)
    labels = contract.checked_labels(state, actions, place)
    if state.player == CHANCE:
        contract.checked_chance(state, actions, place)
    children = []
    moves, where = walk.notation[state], place(state)
    for action, label in zip(actions, labels, strict=True):
        child = state.child(action)
        if _facts(state) != before:
            raise GameError(
                f"{where} child() changes the state it is called on; make states immutable"
            )
        contract.check_hashable([child], walk.game.name)
        walk.notation.setdefault(child, f"{moves} {label}".strip())
        twin = state.child(action)
        if child != twin or hash(child) != hash(twin):
            raise GameError(
                f"{place(child)} the same move leads to a state that is not equal (==) to this; "
                "make states frozen dataclasses"
            )
        children.append((action, child))
    return children


def _facts(state: State) -> tuple[object, ...]:
    keys = state.public(), state.private(0), state.private(1), state.subgame_key()
    return state.player, list(state.actions()), *keys


def check_public_state(node: Node, walk: Walk) -> None:
    """Check what the world states of one public state must agree on."""
    known: dict[Hashable, object] = {}

    def agree(name: Hashable, value: object, message: str) -> None:
        if known.setdefault(name, value) != value:
            raise GameError(f"{walk.place(state)} {message}")

    for state in node.states:
        mover, place = state.player, walk.place
        message = "the public state does not tell who moves; make the mover part of public()"
        agree("mover", mover, message)
        message = "subgame_key() differs within the public state; it must follow from public()"
        agree("subgame key", state.subgame_key(), message)
        if mover in (0, 1):
            message = (
                "the mover cannot tell which actions are legal, or what they are called; make what "
                "decides it part of private()"
            )
            labels = {action: state.label(action) for action in state.actions()}
            agree(("moves", state.private(mover)), labels, message)
        for action in state.actions():
            size, what = state.action_size(action), f"action_size({action})"
            if size is not None and not (isinstance(size, float | int) and size >= 0):
                raise GameError(
                    f"{place(state)} {what} is {size!r}; it must be a number of pots, or None"
                )
            message = f"{what} differs within the public state; it must follow from public()"
            agree(("size", action), size, message)
        for player in (None, 0, 1):
            text = state.render(player)
            if not text or not isinstance(text, str):
                raise GameError(f"{place(state)} render({player}) is {text!r}; it must be a text")
            if player is not None:
                message = (
                    f"render({player}) differs where the player cannot tell the difference; it "
                    "must follow from public() and private()"
                )
                agree(("render", player, state.private(player)), text, message)
    if not walk.game.hidden and len(node.states) > 1:
        raise GameError(
            f"{walk.place(state)} something is hidden: {len(node.states)} world states have the "
            "same public(); leave hidden = True, or make public() contain everything"
        )


def check_subgame_keys(walk: Walk) -> None:
    """Check that public states with the same subgame key have the same game below them.

    If the walk is not complete, only their infostates and moves are compared.
    """
    numbers: dict[Hashable, int] = {}
    forms: dict[Hashable, int] = {}
    keys: dict[Hashable, tuple[int, State]] = {}
    for public in reversed(walk.nodes):
        node = walk.nodes[public]
        form = _canonical_form(node, forms if walk.complete else None)
        forms[public] = numbers.setdefault(form, len(numbers))
        state = next(iter(node.states))
        known, other = keys.setdefault(state.subgame_key(), (forms[public], state))
        if known != forms[public]:
            raise GameError(
                f"{walk.place(state)} the game is not the one after "
                f"{walk.notation[other]!r} but has the same subgame_key(), "
                f"{state.subgame_key()!r}; make subgame_key() differ between them"
            )


def _canonical_form(node: Node, forms: dict[Hashable, int] | None) -> Hashable:
    """The game below a public state, independent of its public keys.

    `forms`: a number for the form of each child; equal numbers are equal games. Without it only
    this public state is described.
    """
    infostates = frozenset(
        (
            state.private(0),
            state.private(1),
            state.player,
            state.payoff() if state.player == TERMINAL else None,
            tuple(state.chance()) if state.player == CHANCE else None,
        )
        for state in node.states
    )
    leading: dict[Hashable, set[Hashable]] = {}
    for state, action, child in node.moves:
        move = (
            (state.private(0), state.private(1)),
            (action, state.label(action)),
            (child.private(0), child.private(1)),
        )
        leading.setdefault(child.public(), set()).add(move)
    children = frozenset(
        (frozenset(moves), None if forms is None else forms[public])
        for public, moves in leading.items()
    )
    return infostates, children
