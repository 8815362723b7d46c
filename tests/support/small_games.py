"""Built-in games that are small enough for the reference."""

from __future__ import annotations

from functools import cache

from support.bridge import Bridge
from support.random_games import random_game
from support.reference import Reference
from tacit.games import Game, load_game
from tacit.games.pursuit import Map, Pursuit, Transport
from tacit.tree import build_tree

RING = Map(
    name="ring",
    title="a ring with a chord",
    transports=(Transport("taxi", ((1, 2), (2, 3), (3, 4), (4, 5), (5, 1), (1, 3)), 3, 3),),
    mr_x=1,
    detectives=(4,),
    rounds=3,
    reveals=frozenset(),
)
"""Hidden moves, merges and captures in 131 histories."""

BUILT_IN = (
    "kuhn",
    "rock-paper-scissors",
    "coin-toss",
    "liars-dice-1x2",
    "liars-dice-2x2",
    "leduc",
    "pursuit-ring",
)
TINY = ("kuhn", "rock-paper-scissors", "coin-toss", "liars-dice-1x2", "pursuit-ring")
"""Those on which the reference can run algorithms."""

RANDOM = tuple(f"random-{seed}" for seed in (0, 1, 2, 4, 5, 6, 7, 8))
"""A fixed choice of random games, for tests that take long."""


@cache
def small_game(name: str) -> Game:
    """A game by name, `pursuit-ring` and `random-<seed>` included."""
    if name == "pursuit-ring":
        return Pursuit(RING)
    if name.startswith("random-"):
        return random_game(int(name.removeprefix("random-")))
    return load_game(name)


@cache
def small_reference(name: str) -> Reference:
    return Reference(small_game(name))


def small_bridge(name: str, *, fold: bool = True) -> Bridge:
    """A new tree of the game, with the reference that goes with it."""
    return Bridge(build_tree(small_game(name), fold=fold), small_reference(name))
