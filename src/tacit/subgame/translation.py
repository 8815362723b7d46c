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
from tacit.tree import TERMINAL, Place, PublicTree

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
    root = tree.roots[0]
    ones = np.ones(tree.state(root.node).counts[player])

    def chosen(place: Place, there: Place) -> Array:
        """[A, K] the policy at the imagined state for the infostates of the real one."""
        privates = tree.state(there.node).privates[player]
        index = {key: number for number, key in enumerate(privates)}
        rows = [index[key] for key in tree.state(place.node).privates[player]]
        policy: Array = tree.block(blueprint.policy, there.node)[:, there.copy][:, rows]
        return policy

    stack: list[tuple[Place, list[tuple[Array, Place]]]] = [(root, [(ones, root)])]
    while stack:
        place, imagined = stack.pop()
        mover = tree.state(place.node).mover
        if mover == TERMINAL:
            continue
        labels = tree.expansion(place.node).labels
        if mover == player:
            if any(tree.expansion(there.node).labels != labels for _, there in imagined):
                raise GameError(
                    f"{tree.game.name}: translated bets lead to states with other actions; only "
                    "games in which they do not can be translated"
                )
            block = tree.block(written, place.node)[:, place.copy]
            total = sum(weight for weight, _ in imagined)
            mixed = np.zeros_like(block)
            for weight, there in imagined:
                mixed += weight * chosen(place, there)
            block[:] = np.where(total > 0, mixed / np.where(total > 0, total, 1), block)
        for number, (label, child) in enumerate(tree.children(place)):
            transition = tree.expansion(place.node).transitions[number]
            following: list[tuple[Array, Place]] = []
            for weight, there in imagined:
                policy = chosen(place, there) if mover == player else None
                moved = transition.carry_reach(player, weight, policy)
                shares = [(label, 1.0)]
                if mover == 1 - player and not known(tree.state(there.node), label):
                    shares = _translated(tree, place, there, label, known, kind)
                below = dict(tree.children(there))
                following += [(moved * share, below[taken]) for taken, share in shares]
            if any(weight.any() for weight, _ in following):
                stack.append((child, following))
    return written


def _translated(
    tree: PublicTree, place: Place, there: Place, label: str, known: Keep, kind: Kind
) -> list[tuple[str, float]]:
    """The known moves at `there` that an unknown one at `place` is translated to."""

    def sizes(node: int) -> dict[str, float]:
        state, moves = tree.state(node), tree.expansion(node)
        pairs = zip(moves.labels, map(state.action_size, moves.actions), strict=True)
        return {name: size for name, size in pairs if size is not None}

    imagined = tree.state(there.node)
    usable = {name: size for name, size in sizes(there.node).items() if known(imagined, name)}
    size = sizes(place.node).get(label)
    if size is None or not usable:
        raise GameError(
            f"{tree.game.name}: {label!r} cannot be translated to a known bet; translation "
            "needs games whose actions have sizes"
        )
    names = sorted(usable, key=usable.__getitem__)
    shares = translate(size, [usable[name] for name in names], kind)
    return [(names[index], chance) for index, chance in shares]
