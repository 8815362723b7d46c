"""Action translation: treat an unknown bet as a known one, the baseline of nested solving.

The player continues by the blueprint as if the opponent had made a known bet. *Nearest* takes the
known bet of the nearest size. *Pseudo-harmonic* draws between the two around it: the smaller, A,
with probability (B - x)(1 + A) / ((B - A)(1 + x)), sizes in pots (Ganzfried and Sandholm 2013).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.subgame.abstraction import Keep
from tacit.subgame.blueprint import Blueprint
from tacit.tree import CHANCE, TERMINAL, Place, PublicState, PublicTree

Array = NDArray[Any]
Kind = Literal["pseudo-harmonic", "nearest"]
KINDS: tuple[Kind, ...] = ("pseudo-harmonic", "nearest")


def translate(
    size: float, known: Sequence[float], kind: Kind = "pseudo-harmonic"
) -> list[tuple[int, float]]:
    """The `known` sizes (ascending), by index, that a bet is translated to, with probabilities."""
    if not known or list(known) != sorted(known):
        raise GameError("no known bet to translate to; give sizes in ascending order")
    if kind not in KINDS:
        raise GameError(f"there is no translation {kind!r}; take one of {', '.join(KINDS)}")
    above = int(np.searchsorted(known, size))
    if above == 0:
        return [(0, 1.0)]
    if above == len(known):
        return [(above - 1, 1.0)]
    low, high = known[above - 1], known[above]
    if kind == "nearest":
        return [(above - 1 if size - low <= high - size else above, 1.0)]
    share = (high - size) * (1 + low) / ((high - low) * (1 + size))
    return [(above - 1, share), (above, 1 - share)]


def translated_policy(blueprint: Blueprint, known: Keep, player: int, kind: Kind) -> Array:
    """[slots] the blueprint, in which `player` translates the opponent's unknown actions.

    Behind a translated action the player is at an imagined public state, which must have the same
    action labels as the real one. A mixture of several is written as its realisation-equivalent
    policy.
    """
    tree = blueprint.tree
    written = np.array(blueprint.policy, dtype=np.float64)
    root = Place(*tree.roots[0])
    ones = np.ones(tree.state(root.node).counts[player])
    stack: list[tuple[Place, list[tuple[Array, Place]]]] = [(root, [(ones, root)])]
    while stack:
        place, imagined = stack.pop()
        state = tree.state(place.node)
        if state.mover == TERMINAL:
            continue
        if state.mover == player:
            _write(tree, blueprint.policy, player, place, imagined, written)
        for number, (label, child) in enumerate(tree.children(place)):
            transition = tree.expansion(place.node).transitions[number]
            following: list[tuple[Array, Place]] = []
            for weight, there in imagined:
                chosen = None
                if state.mover == player:
                    rows = _rows(state, tree.state(there.node), player)
                    chosen = tree.block(blueprint.policy, there.node)[:, there.copy][:, rows]
                moved = transition.carry_reach(player, weight, chosen)
                for taken, chance in _taken(tree, place, there, label, known, player, kind):
                    following.append((moved * chance, dict(tree.children(there))[taken]))
            if any(weight.any() for weight, _ in following):
                stack.append((child, following))
    return written


def _write(
    tree: PublicTree,
    policy: Array,
    player: int,
    place: Place,
    imagined: list[tuple[Array, Place]],
    written: Array,
) -> None:
    """Write the policy at `place`: that of the imagined states, weighted by their reach [K]."""
    block = tree.block(written, place.node)[:, place.copy]
    total = sum(weight for weight, _ in imagined)
    mixed = np.zeros_like(block)
    for weight, there in imagined:
        if tree.expansion(there.node).labels != tree.expansion(place.node).labels:
            raise GameError(
                f"{tree.game.name}: translated bets lead to states with other actions; only games "
                "in which they do not can be translated"
            )
        rows = _rows(tree.state(place.node), tree.state(there.node), player)
        mixed += weight * tree.block(policy, there.node)[:, there.copy][:, rows]
    block[:] = np.where(total > 0, mixed / np.where(total > 0, total, 1), block)


def _rows(real: PublicState, imagined: PublicState, player: int) -> NDArray[np.int64]:
    """[K] for each infostate of the real state, its index at the imagined one."""
    index = {key: number for number, key in enumerate(imagined.privates[player])}
    return np.array([index[key] for key in real.privates[player]])


def _taken(
    tree: PublicTree,
    place: Place,
    there: Place,
    label: str,
    known: Keep,
    player: int,
    kind: Kind,
) -> list[tuple[str, float]]:
    """The labels that a move at `place` is translated to at `there`, with probabilities."""
    state = tree.state(place.node)
    imagined, moves = tree.state(there.node), tree.expansion(there.node)
    if state.mover in (CHANCE, player) or known(imagined, label):
        return [(label, 1.0)]
    sizes = {}
    for action, name in zip(moves.actions, moves.labels, strict=True):
        size = imagined.action_size(action)
        if size is not None and known(imagined, name):
            sizes[name] = size
    real = tree.expansion(place.node)
    number = real.labels.index(label) if label in real.labels else -1
    size = state.action_size(real.actions[number]) if number >= 0 else None
    if size is None or not sizes:
        raise GameError(
            f"{tree.game.name}: {label!r} cannot be translated to a known bet; translation "
            "needs games whose actions have sizes"
        )
    names = sorted(sizes, key=sizes.__getitem__)
    shares = translate(size, [sizes[name] for name in names], kind)
    return [(names[index], chance) for index, chance in shares]
