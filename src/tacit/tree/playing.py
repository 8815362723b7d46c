"""Playing on the public tree: deals and moves drawn for infostates instead of world states.

The state of a playthrough is a public state and a pair of infostates, (of player 0, of player 1).
Unseen chance events affect nothing but the payoff, whose mean is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from tacit.games import CHANCE, TERMINAL, Game, GameError, State
from tacit.tree.builder import Builder
from tacit.tree.derived import DerivedState
from tacit.tree.open import OpenState
from tacit.tree.public_state import Array, GameTooLargeError, Pair, PublicState


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


def sample_world(state: PublicState) -> State:
    """One of the world states, for properties that all of them share."""
    return _derived(state).sample


def worlds_of(state: PublicState) -> Iterator[tuple[Pair, State, float]]:
    """Every world state with its infostates and its share of their chance weight."""
    return _derived(state).worlds()


def _derived(state: PublicState) -> DerivedState | OpenState:
    if not isinstance(state, DerivedState | OpenState):  # cards have too many pairs of hands
        raise GameError("world states are for games that are written as rules")
    return state


def check_public_states(game: Game, *, playouts: int = 20, seed: int = 0) -> None:
    """Expand the public states of random playouts; GameError if one of them is inconsistent.

    Expanding checks merges of infostates, chance weights and folding. Public states with too many
    pairs of infostates are not checked.
    """
    builder = Builder(game)
    random = np.random.default_rng(seed)
    with suppress(GameTooLargeError):
        for _ in range(playouts):
            state: PublicState = builder.root
            while state.mover != TERMINAL:
                ways = state.expansion.transitions
                state = ways[int(random.integers(len(ways)))].child
            assert state.payoffs.size
