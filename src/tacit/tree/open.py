"""Public states of games in which nothing is hidden: one world state, one infostate each.

Go, chess and tic-tac-toe are the special case of a public tree whose vectors have length one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL, GameError, State
from tacit.games.contract import (
    checked_actions,
    checked_chance,
    checked_labels,
    checked_payoff,
)
from tacit.tree.public_state import NO_MOVES, NOTHING_LEGAL, Array, Expansion, Pair, Transition


class OpenState:
    """A public state that is its world state, `sample`."""

    __slots__ = ("__weakref__", "mover", "sample")

    privates: tuple[tuple[Hashable], tuple[Hashable]] = ((None,), (None,))
    counts = (1, 1)
    margins = (np.ones(1), np.ones(1))
    compatibility = np.ones((1, 1))

    def __init__(self, world: State) -> None:
        self.sample = world
        self.mover = world.player

    @property
    def key(self) -> Hashable:
        """The key of the subgame."""
        return self.sample.subgame_key()

    def compatible_reach(self, player: int, opponent_reach: Array) -> Array:
        """[.., 1] the opponent's reach."""
        return opponent_reach

    @property
    def payoffs(self) -> NDArray[np.float64]:
        """[1, 1] player 0's payoff."""
        return np.array([[self.payoff()]])

    def payoff(self) -> float:
        """What player 0 gets at the end of the game."""
        return checked_payoff(self.sample, _describe)

    def payoff_bounds(self) -> tuple[float, float]:
        """At the end of the game: player 0's payoff, twice."""
        payoff = self.payoff()
        return payoff, payoff

    def expand(self, actions: frozenset[str] | None = None) -> Expansion:
        """The moves with these labels (None: all of them) and the children that they lead to."""
        world = self.sample
        if self.mover == TERMINAL:
            return NO_MOVES
        chosen = checked_actions(world, _describe)
        if actions is not None and self.mover != CHANCE:
            chosen = [action for action in chosen if world.label(action) in actions]
        return OpenExpansion(world, chosen)

    @property
    def expansion(self) -> Expansion:
        """All moves and children."""
        return self.expand()

    def worlds(self) -> Iterator[tuple[Pair, State, float]]:
        """The one world state."""
        yield (0, 0), self.sample, 1.0

    def names(self, player: int) -> list[str]:
        """The one infostate has no name."""
        return [""]

    def action_size(self, action: int) -> float | None:
        """The size of a bet as a fraction of the pot; None for other actions."""
        return self.sample.action_size(action)


class OpenExpansion(Expansion):
    """The moves of an open public state; children, labels and transitions are made on first access.

    chances: [A] the probabilities of the moves; None where a player moves.
    """

    def __init__(self, world: State, actions: Sequence[int]) -> None:
        self.world = world
        self.actions = tuple(actions)
        chance = world.player == CHANCE
        self.chances = checked_chance(world, self.actions, _describe) if chance else None
        self.legal = NOTHING_LEGAL if chance else _all_legal(len(self.actions))
        self.all_legal, self.simple = True, not chance

    def child(self, number: int) -> OpenState:
        """The public state after one move."""
        return OpenState(self.world.child(self.actions[number]))

    @cached_property
    def children(self) -> list[OpenState]:
        """[A] the public states that follow."""
        children = [self.child(number) for number in range(len(self.actions))]
        if len({child.sample.public() for child in children}) < len(children):
            raise GameError(
                f"{_describe(self.world)} the public cannot see which move was made, but the game "
                "says hidden = False; leave that out, or make every move part of public()"
            )
        return children

    @cached_property
    def labels(self) -> tuple[str, ...]:  # type: ignore[override]
        """[A] the labels of the moves."""
        return tuple(checked_labels(self.world, self.actions, _describe))

    @cached_property
    def transitions(self) -> tuple[Transition, ...]:  # type: ignore[override]
        """[A] one for each move."""
        chances = self.chances or [1.0] * len(self.actions)
        moves = zip(self.children, self.labels, chances, strict=True)
        made = []
        for number, (child, label, chance) in enumerate(moves):
            own = np.array([number], dtype=np.int32)
            sources = (own, _ZERO) if self.world.player == 0 else (_ZERO, own)
            sources = (_ZERO, _ZERO) if self.chances else sources
            made.append(Transition(child, label, chance, sources, (_ZERO, _ZERO)))
        return tuple(made)


def _describe(world: State) -> str:
    return f"after {world.public()!r}"


@cache
def _all_legal(count: int) -> NDArray[np.bool_]:
    legal = np.ones((count, 1), dtype=bool)
    legal.flags.writeable = False
    return legal


_ZERO = np.zeros(1, dtype=np.int32)
