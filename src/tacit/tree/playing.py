"""Playing on the public tree: deals and moves drawn for infostates instead of world states.

The state of a playthrough is a public state and a pair of infostates, (of player 0, of player 1).
Unseen chance events affect nothing but the payoff, whose mean is known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import State
from tacit.tree.arrays import CHANCE
from tacit.tree.public_state import Pair, PublicState
from tacit.tree.worlds import worlds_of

Array = NDArray[Any]


def draw(weights: Array, random: np.random.Generator) -> int:
    """An index with probability in proportion to its weight."""
    running = np.cumsum(weights, dtype=np.float64)
    return int(np.searchsorted(running, random.random() * running[-1], side="right"))


def deal(state: PublicState, reach: tuple[Array, Array], random: np.random.Generator) -> Pair:
    """A pair of infostates by chance and by both players' reaches [K_0] and [K_1]."""
    joint = reach[0][:, None] * reach[1][None, :] * state.compatibility
    first, second = divmod(draw(joint.ravel(), random), joint.shape[1])
    return first, second


def follow(
    state: PublicState, pair: Pair, action: int | None, random: np.random.Generator
) -> tuple[int, Pair]:
    """Play one move: returns the number of the transition, and the infostates after it.

    `action` is the mover's, an index into the expansion's actions; None: chance moves.
    """
    expansion = state.expand()
    sources, lead = list(pair), 0
    if state.mover != CHANCE:
        assert action is not None
        lead = state.mover
        sources[lead] += action * state.counts[lead]
    ways = expansion.ways
    led, other = ways[lead][sources[lead]], ways[1 - lead][sources[1 - lead]]
    options: list[tuple[int, Pair]] = [
        (edge, (i, j) if lead == 0 else (j, i))
        for edge, targets in led.items()
        for i in targets
        for j in other.get(edge, ())
    ]
    if len(options) == 1:
        return options[0]
    transitions = expansion.transitions
    weights = [transitions[e].factor * transitions[e].child.compatibility[to] for e, to in options]
    return options[draw(np.array(weights), random)]


def payoff(state: PublicState, pair: Pair) -> float:
    """Player 0's payoff at the end of the game, its mean over unseen chance events."""
    return float(state.payoffs[pair] / state.compatibility[pair])


def world(state: PublicState, pair: Pair, random: np.random.Generator) -> State:
    """A random world state of a pair of infostates, drawn by the unseen chance events."""
    worlds = [(world, share) for cell, world, share in worlds_of(state) if cell == pair]
    return worlds[draw(np.array([share for _, share in worlds]), random)][0]
