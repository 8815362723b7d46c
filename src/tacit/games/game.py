"""What a game is: immutable world states, their moves, and what each player sees of them.

A game is written once, as rules. Everything else (the public tree, infostates, transitions,
terminal operators) is derived from these few methods, in the sense of factored-observation games
(Kovařík et al. 2019): a *public state* is what both players have seen, and a player's *infostate*
is the public state together with what that player alone knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from tacit.games.encoder import GameEncoder

Probabilities = Mapping[str, Mapping[str, Mapping[str, float]]]
"""A policy by names: public moves, then infostate, then action, to its probability."""

CHANCE = 2
"""The mover of a chance state; players are 0 and 1."""
TERMINAL = 3
"""The mover of a state in which the game is over."""


class GameError(ValueError):
    """An error in a game, a move or a name that the caller can fix; one line says how."""


class State(ABC):
    """One world state. States are immutable: `child` returns a new one."""

    __slots__ = ()

    @property
    @abstractmethod
    def player(self) -> int:
        """Who moves: 0, 1, `CHANCE` or `TERMINAL`; the same in all states of a public state."""

    @abstractmethod
    def actions(self) -> Sequence[int]:
        """The mover's legal actions, or chance's outcomes; empty when the game is over.

        Two states in the same infostate of the mover have the same actions.
        """

    @abstractmethod
    def child(self, action: int) -> State:
        """The state after `action`, one of `actions()`."""

    @abstractmethod
    def payoff(self) -> float:
        """Player 0's payoff at the end of the game; player 1 gets the negative."""

    @abstractmethod
    def public(self) -> Hashable:
        """All that both players have seen so far; it determines the public states before it."""

    @abstractmethod
    def private(self, player: int) -> Hashable:
        """What `player` alone knows beyond `public()`.

        A key may leave out what no longer matters, which merges infostates. The tree builder
        checks that a merge forgets nothing that matters.
        """

    @abstractmethod
    def label(self, action: int) -> str:
        """The notation of `action` here: short, no spaces, distinct among `actions()`."""

    @abstractmethod
    def render(self, player: int | None = None) -> str:
        """What `player` sees, as text for a person; with None, everything."""

    def chance(self) -> Sequence[float]:
        """The probabilities of `actions()` at a chance state."""
        raise NotImplementedError(f"{type(self).__name__} has no chance")

    def action_size(self, action: int) -> float | None:
        """The size of a bet in pots, for action translation; None if `action` is no bet.

        It is the same in all states of a public state.
        """
        return None

    def subgame_key(self) -> Hashable:
        """A key such that public states with equal keys have the same game below them.

        The same game has the same infostates (by `private`), joint chance, moves and payoffs. A
        key shorter than `public()` lets the tree fold public states: in Liar's Dice only the last
        bid and the mover matter.
        """
        return self.public()


class Game(ABC):
    """A game: its name, its first state and its notation."""

    name: str
    """The name that `tacit.games.load_game` takes, such as ``liars-dice-1x6``."""
    title: str
    """The name people use, such as ``Liar's Dice, one die with six faces each``."""
    unit: str = "points"
    """The unit of payoffs."""
    hidden: bool = True
    """Whether a player may know something that the public does not. With perfect information it is
    False: every public state is one world state, with one infostate for each player."""
    blueprint: ClassVar[Probabilities | None] = None
    """An example policy, if the game has one."""

    @abstractmethod
    def initial(self) -> State:
        """The state before anything has happened."""

    def encoder(self) -> GameEncoder | None:
        """The game's encoder; None: derive one from the rules."""
        return None

    def replay(self, notation: str) -> State:
        """The state reached by the moves of `notation`: labels, chance's too, split by spaces."""
        state = self.initial()
        for number, label in enumerate(notation.split(), start=1):
            state = state.child(find_action(state, label, where=f"move {number} of {notation!r}"))
        return state

    def playout(self, random: np.random.Generator) -> tuple[State, str]:
        """A game played uniformly at random: its last state and its notation."""
        state = self.initial()
        labels: list[str] = []
        while state.player != TERMINAL:
            actions = state.actions()
            weights = state.chance() if state.player == CHANCE else None
            action = actions[int(random.choice(len(actions), p=weights))]
            labels.append(state.label(action))
            state = state.child(action)
        return state, " ".join(labels)


def find_action(state: State, word: str, *, where: str = "move") -> int:
    """The action labelled `word` at `state`; GameError lists the possible labels."""
    labels = {state.label(action): action for action in state.actions()}
    if word in labels:
        return labels[word]
    options = ", ".join(labels) if labels else "none: the game is over"
    raise GameError(f"{where}: {word!r} is not possible here; possible: {options}")
