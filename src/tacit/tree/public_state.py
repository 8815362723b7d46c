"""The protocol of a public state, and its expansion into moves and children.

A public state is all that both players have seen. There are three implementations: derived from a
game's rules (`tacit.tree.derived`), cards (`tacit.tree.cards.states`) and open, with nothing hidden
(`tacit.tree.open`). Code that works on public states uses this protocol; only the code that lays
out terminals asks which kind a state is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError

Array = NDArray[Any]
Pair = tuple[int, int]
"""The infostates of both players."""

FACTOR_TOLERANCE = 1e-12


class GameTooLargeError(GameError):
    """The game exceeds the memory or the number of states that the caller allows."""


class PublicState(Protocol):
    """A node of a public tree; K_p infostates of player p."""

    @property
    def key(self) -> Hashable:
        """Identifies the public state in its game; equal keys have the same subgame."""

    @property
    def mover(self) -> int:
        """Who moves: 0, 1, CHANCE or TERMINAL."""

    @property
    def counts(self) -> tuple[int, int]:
        """The number of infostates of each player."""

    @property
    def privates(self) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
        """[K_p] the private key of each infostate of player p, in index order."""

    def expand(self, actions: frozenset[str] | None = None) -> Expansion:
        """The moves with these labels (None: all of them) and the children that they lead to."""

    @property
    def expansion(self) -> Expansion:
        """All moves and children."""

    def compatible_reach(self, player: int, opponent_reach: Array) -> Array:
        """[.., K] for each infostate of `player`, the opponent's reach [.., K'] that chance allows.

        Values are counterfactual with respect to the same chance weights.
        """

    @property
    def compatibility(self) -> NDArray[np.float64]:
        """[K0, K1] the chance weight of each pair of infostates; large for cards."""

    @property
    def margins(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """U [K0] and v [K1] if chance weighs pairs by u[i] * v[j], else None."""

    @property
    def payoffs(self) -> NDArray[np.float64]:
        """[K0, K1] terminal operator: chance weight times player 0's payoff; large for cards."""

    def payoff_bounds(self) -> tuple[float, float]:
        """At the end of the game: player 0's smallest and largest payoff."""

    def names(self, player: int) -> list[str]:
        """[K] a readable name of each infostate of `player`: ``J``, ``heads``, ``AhKd``."""

    def action_size(self, action: int) -> float | None:
        """The size of a bet as a fraction of the pot; None for other actions."""


ActionSet = Callable[[PublicState], frozenset[str] | None]
"""The actions that a tree has at a public state, by label; None: all of them."""


@dataclass(frozen=True)
class Transition:
    """One child of a public state, and the map of infostates to it.

    `sources[p]`, `targets[p]`: int32 [M]: entry m says that the parent's infostate (for the mover:
    `action * K + infostate`, action-major) becomes the child's infostate `targets[p][m]`. Several
    sources may share a target (they merge) and several targets a source (a private observation
    splits it). `factor` scales the child's normalised chance weights back to the parent's.
    """

    child: PublicState
    label: str
    factor: float
    sources: tuple[NDArray[np.int32], NDArray[np.int32]]
    targets: tuple[NDArray[np.int32], NDArray[np.int32]]
    share: float = 1.0
    """Factor of the reach on its way down: 1 / n where the child stands for n children that are
    equal up to names; values are not scaled."""

    def carry_reach(self, player: int, reach: Array, policy: Array | None = None) -> Array:
        """[.., K of the child] the reach [.., K] of `player` after the transition.

        policy: [A, K], if `player` moves.
        """
        if policy is not None:
            reach = (reach[..., None, :] * policy).reshape(*reach.shape[:-1], -1)
        carried = np.zeros((*reach.shape[:-1], self.child.counts[player]))
        np.add.at(carried.T, self.targets[player], reach[..., self.sources[player]].T)
        return carried * self.share

    def carry_values(self, player: int, values: Array, length: int) -> Array:
        """[.., length] counterfactual values [.., K of the child] at the sources of `player`.

        length: K of the parent, or for the mover A * K.
        """
        carried = np.zeros((*values.shape[:-1], length))
        scaled = self.factor * values[..., self.targets[player]]
        np.add.at(carried.T, self.sources[player], scaled.T)
        return carried

    @cached_property
    def identity(self) -> tuple[bool, bool]:
        """For each player, whether infostates keep their index, if the player does not move."""
        first, second = (self._keeps_index(p, 0) for p in (0, 1))
        return first, second

    def _keeps_index(self, player: int, first: int) -> bool:
        """Whether all infostates of the child come from sources `first`, `first` + 1, ..."""
        source, target = self.sources[player], self.targets[player]
        count = self.child.counts[player]
        return (
            count == len(source)
            and np.array_equal(source, np.arange(first, first + count))
            and np.array_equal(target, np.arange(count))
        )


NOTHING_LEGAL = np.ones((0, 0), dtype=bool)
"""`Expansion.legal` where nobody decides."""


class Expansion:
    """A public state's moves: `actions` [A], `legal` bool [A, K] of the mover, and the children."""

    def __init__(
        self,
        state: PublicState | None,
        actions: Sequence[int] = (),
        labels: Sequence[str] = (),
        legal: NDArray[np.bool_] = NOTHING_LEGAL,
        transitions: Sequence[Transition] = (),
    ) -> None:
        self.actions = tuple(actions)
        self.labels = tuple(labels)
        self.legal = legal
        self.transitions = tuple(transitions)
        self.all_legal = bool(legal.all())
        self.simple = (
            state is not None
            and state.mover < 2
            and self.all_legal
            and len(actions) == len(transitions)
            and all(_is_simple(state, *numbered) for numbered in enumerate(transitions))
        )
        """Whether every action has its own child, infostates keep their index and there is no
        chance; see `TreeArrays.simple`."""

    def child(self, number: int) -> PublicState:
        """The public state after one transition."""
        return self.transitions[number].child

    @cached_property
    def ways(self) -> tuple[Ways, Ways]:
        """For each player: by source of `Transition.sources`, the transitions possible from it."""
        ways: tuple[Ways, Ways] = ({}, {})
        for number, transition in enumerate(self.transitions):
            for player in (0, 1):
                maps = transition.sources[player], transition.targets[player]
                for source, target in np.stack(maps, axis=1).tolist():
                    ways[player].setdefault(source, {}).setdefault(number, []).append(target)
        return ways


def _is_simple(state: PublicState, number: int, transition: Transition) -> bool:
    mover = state.mover
    return (
        abs(transition.factor - 1) < FACTOR_TOLERANCE
        and transition.child.counts == state.counts
        and transition._keeps_index(mover, number * state.counts[mover])
        and transition.identity[1 - mover]
    )


NO_MOVES = Expansion(None)
"""The expansion of a public state at the end of the game."""

Ways = dict[int, dict[int, list[int]]]
"""By infostate (for the mover: and action) and transition number, the child's infostates."""


def find_transition(labels: Sequence[str], word: str) -> int:
    """Which of the transitions with these labels `word` names; GameError lists them if none."""
    if word not in labels:
        options = ", ".join(labels) or "none: the game is over"
        raise GameError(f"{word!r} is not possible here; possible: {options}")
    return labels.index(word)


def path_words(path: str | Sequence[str]) -> list[str]:
    """The labels of a path, which is a list or a text split by spaces."""
    return path.split() if isinstance(path, str) else list(path)
