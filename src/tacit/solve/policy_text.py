"""Policies in words: by public moves, then by infostate, then by action."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.game import Probabilities
from tacit.solve.solution import infostate_names
from tacit.tree import CHANCE, Place, PublicTree


def find_place(tree: PublicTree, moves: str) -> Place:
    """The public state after `moves`, the labels of public moves split by spaces."""
    here = Place(*tree.roots[0])
    for word in moves.split():
        children = dict(tree.children(here))
        if word not in children:
            options = ", ".join(children) or "none: the game is over"
            raise GameError(
                f"{moves!r} is no public state of {tree.game.name}: {word!r} is not possible; "
                f"possible: {options}"
            )
        here = children[word]
    return here


def written_policy(tree: PublicTree, given: Probabilities) -> NDArray[np.float64]:
    """[slots] a policy from words; what they leave out is played uniformly."""
    policy = tree.uniform_policy()
    for moves, rows in given.items():
        place = find_place(tree, moves)
        state = tree.state(place.node)
        if state.mover >= CHANCE:
            raise GameError(f"no player moves after {moves!r}")
        names = infostate_names(state, state.mover)
        for name, chances in rows.items():
            if name not in names:
                raise GameError(f"no infostate {name!r} after {moves!r}; there are: {names}")
            column = [chances.get(label, 0.0) for label in state.expansion.labels]
            if abs(sum(column) - 1) > 1e-9 or set(chances) - set(state.expansion.labels):
                raise GameError(f"after {moves!r} {name!r} has no distribution over its actions")
            tree.block(policy, place.node)[:, place.copy, names.index(name)] = column
    return policy


def policy_in_words(
    tree: PublicTree,
    policy: NDArray[Any],
    start: Place | None = None,
    *,
    player: int | None = None,
    before: str = "",
) -> dict[str, dict[str, dict[str, float]]]:
    """What `player` (None: both) does below `start`, whose own moves are `before`."""
    written: dict[str, dict[str, dict[str, float]]] = {}
    for place, path in tree.walk(start):
        mover = int(tree.arrays.player[place.node])
        if mover >= CHANCE or player not in (None, mover):
            continue
        state = tree.state(place.node)
        chosen = tree.block(policy, place.node)[:, place.copy]
        legal = tree.legal(place.node)
        written[" ".join([*before.split(), *path])] = {
            name: {
                label: float(chosen[action, number])
                for action, label in enumerate(state.expansion.labels)
                if legal[action, number]
            }
            for number, name in enumerate(infostate_names(state, mover))
        }
    return written
