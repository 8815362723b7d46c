"""The policy of continual re-solving over the whole game, and so its exploitability.

The protocol of Student of Games (Fig. 3): every public state is searched breadth-first, each search
conditioned on the player's earlier ones, and the policies are put together. Another seed gives
another policy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.games import TERMINAL
from tacit.solvers.growing import GrowingSettings
from tacit.solvers.leaves import Evaluator
from tacit.subgame.continual import Position, first_position, resolve
from tacit.tree import PLAYERS, Place, PublicTree

FOREST = 64
"""Largest number of searches in one forest."""


def continual_policy(
    tree: PublicTree,
    evaluator: Evaluator,
    settings: GrowingSettings,
    *,
    seed: int = 0,
    safe: bool = True,
    share: float = 0.5,
) -> NDArray[np.float64]:
    """[slots] the policy on the whole tree of a game that searches at every move play.

    It is uniform where a player's own earlier policy never leads. safe, share: see
    `tacit.subgame.continual.resolve`; a player's safe searches are conditioned on its own earlier
    ones, others on all earlier ones.
    """
    builder = tree.game_builder
    policy = tree.uniform_policy()
    for movers in ((0,), (1,)) if safe else (PLAYERS,):
        random = np.random.default_rng([seed, movers[0]])
        layer = [(tree.roots[0], first_position(builder))]
        while layer:
            below: list[tuple[Place, Position]] = []
            for first in range(0, len(layer), FOREST):
                batch = layer[first : first + FOREST]
                due = [(at, p) for at, p in batch if p.state.mover in movers]
                due = [(at, p) for at, p in due if p.reach(p.state.mover).any()]
                found = resolve(
                    builder, [p for _, p in due], evaluator, settings, random=random, safe=safe,
                    share=share,
                )  # fmt: skip
                done = [(at, p) for (at, _), p in zip(due, found, strict=True)]
                for place, position in done:
                    tree.block(policy, place.node)[:, place.copy] = position.policy
                done += [(at, p) for at, p in batch if p.state.mover not in movers]
                for place, position in done:
                    below += _children(tree, place, position)
            layer = below
    return policy


def _children(tree: PublicTree, place: Place, position: Position) -> list[tuple[Place, Position]]:
    children = []
    for number in range(len(tree.edges(place.node))):
        after = position.after(number)
        if after.state.mover != TERMINAL:
            children.append((tree.child(place, number), after))
    return children
