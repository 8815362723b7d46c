"""What a game is: immutable world states under rules, and what each player sees of them.

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
"""A policy in words: by public moves, then by infostate, then by action, how likely it is."""

CHANCE = 2
"""The mover of a chance state; players are 0 and 1."""
TERMINAL = 3
"""The mover of a state in which the game is over."""


class GameError(ValueError):
    """Something about a game, a move or a name that the caller can mend; one line says how."""


class State(ABC):
    """One world state. States are immutable: `child` returns a new one."""

    __slots__ = ()

    @property
    @abstractmethod
    def player(self) -> int:
        """Who moves: 0, 1, `CHANCE` or `TERMINAL`. All states of one public state agree on it."""

    @abstractmethod
    def actions(self) -> Sequence[int]:
        """The mover's legal actions, or chance's outcomes; empty when the game is over.

        Two states that the mover cannot tell apart have the same actions.
        """

    @abstractmethod
    def child(self, action: int) -> State:
        """The state after `action`, one of `actions()`."""

    @abstractmethod
    def payoff(self) -> float:
        """What player 0 gets at the end of the game; player 1 gets the negative."""

    @abstractmethod
    def public(self) -> Hashable:
        """All that both players have seen so far; it determines the public states before it."""

    @abstractmethod
    def private(self, player: int) -> Hashable:
        """What `player` alone knows beside `public()`.

        A player may leave out what no longer matters (an infostate that forgets how it came about
        is merged with others); the tree builder checks that a merge loses nothing of chance.
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
        """How large a bet `action` is, in pots; None if it is no bet. All worlds here agree.

        Action translation compares bets by it.
        """
        return None

    def subgame_key(self) -> Hashable:
        """A key such that public states with equal keys have the same game below them.

        Same infostates (by `private`, in the same relation to each other), same moves, same
        payoffs. A key shorter than `public()` lets the tree builder reuse what it has built:
        in Liar's Dice only the last bid and the mover matter.
        """
        return self.public()


class Game(ABC):
    """A game: a name, a first state, and the words to talk about it."""

    name: str
    """The name that `tacit.games.load_game` takes, such as ``liars-dice-1x6``."""
    title: str
    """The name people use, such as ``Liar's Dice, one die with six faces each``."""
    unit: str = "points"
    """What payoffs are counted in."""
    hidden: bool = True
    """Whether a player may know something that the public does not. False where all is public:
    every public state is then one world state, with one infostate a player."""
    blueprint: ClassVar[Probabilities | None] = None
    """A policy that belongs to the game as an example, if it has one."""

    @abstractmethod
    def initial(self) -> State:
        """The state before anything has happened."""

    def encoder(self) -> GameEncoder | None:
        """What a network sees of the game; None: it is derived from the rules."""
        return None

    def replay(self, notation: str) -> State:
        """The state reached by the moves of `notation`: labels, chance's too, split by spaces."""
        state = self.initial()
        for number, word in enumerate(notation.split(), start=1):
            state = state.child(find_action(state, word, where=f"move {number} of {notation!r}"))
        return state

    def playout(self, random: np.random.Generator) -> tuple[State, str]:
        """A game played uniformly at random: its last state and its notation."""
        state = self.initial()
        words: list[str] = []
        while state.player != TERMINAL:
            actions = state.actions()
            weights = state.chance() if state.player == CHANCE else None
            action = actions[int(random.choice(len(actions), p=weights))]
            words.append(state.label(action))
            state = state.child(action)
        return state, " ".join(words)


def find_action(state: State, word: str, *, where: str = "move") -> int:
    """The action that `word` names at `state`; GameError lists what was possible."""
    labels = {state.label(action): action for action in state.actions()}
    if word in labels:
        return labels[word]
    options = ", ".join(labels) if labels else "none: the game is over"
    raise GameError(f"{where}: {word!r} is not possible here; possible: {options}")
