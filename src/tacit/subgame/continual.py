"""Continual re-solving with a growing tree (Student of Games, *Modified Continual Re-solving*).

A game starts with a search from its first public state. Later searches start at the public state
nearest to the current one that the last search's tree holds, and follow a single branch down to the
current one; the tree grows below that. Two things are taken from the last search: the mover's
range at the start, and the opponent's values there, which the re-solving gadget offers as
alternatives. `share` of the opponent's range is the gadget's and the rest that of the last search.
So play is safe: the opponent can gain nothing from the searches being separate (Theorem 2).

With `safe=False` the opponent enters with the range of the last search, for comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, GameError
from tacit.solvers.gadgets import Gadget, Given, Mixed, RootGadgets
from tacit.solvers.growing import GrowingSearch, GrowingSettings
from tacit.solvers.leaves import Evaluator
from tacit.tree import Builder, PublicState
from tacit.tree.pbs import PBS

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Position:
    """A public state of a game, and what the last search knows about it.

    path: the transitions from the game's first public state. start: the nearest public state that
    the last search's tree holds, and branch: the transitions from there. search: the last search,
    None before the first one; root: which of its roots this game has; node: that of `start`.
    """

    state: PublicState
    start: PublicState
    path: tuple[int, ...] = ()
    branch: tuple[int, ...] = ()
    search: GrowingSearch | None = None
    root: int = 0
    node: int = 0

    def after(self, transition: int) -> Position:
        """The position after a public transition, by its number in the state's expansion."""
        state = self.state.expansion.child(transition)
        path, branch = (*self.path, transition), (*self.branch, transition)
        if self.search is not None and not self.branch:
            child = self.search.child(self.node, transition)
            if child is not None:
                return Position(state, state, path, (), self.search, self.root, child)
        return replace(self, state=state, path=path, branch=branch)

    @property
    def searched(self) -> bool:
        """Whether the last search was at this public state."""
        return (
            self.search is not None
            and not self.branch
            and bool(self.search.focus[self.root] == self.node)
        )

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for positions whose next searches have the same task."""
        return id(self.search), self.node, self.branch

    @property
    def policy(self) -> NDArray[np.float64]:
        """[A, K] the mover's policy, once searched."""
        if self.search is None or not self.searched:
            raise GameError("this public state has not been searched; call resolve first")
        return self.search.policy(self.root)

    def reach(self, player: int) -> Array:
        """[K] the player's reach at `start` by the average policies of all searches so far."""
        if self.search is None:
            return np.ones(self.start.counts[player])
        return self.search.average_reach(player, self.node)

    def gadget(self, player: int, own: Array, *, safe: bool, share: float) -> Gadget:
        """What decides the opponent's reach at `start`, where `player` has the reach `own` [K]."""
        opponent = 1 - player
        weights = self.start.compatible_reach(opponent, own)
        previous = _possible(self.reach(opponent) * (weights > 0), weights > 0)
        if self.search is None or not safe:
            return Given(weights, previous)
        alternatives = self.search.values(opponent, self.node)
        return Mixed(weights, alternatives, previous, share=share)


def first_position(builder: Builder) -> Position:
    """The position at the start of a game."""
    return Position(builder.root, builder.root)


def resolve(
    builder: Builder,
    positions: Sequence[Position],
    evaluator: Evaluator,
    settings: GrowingSettings,
    *,
    random: np.random.Generator,
    safe: bool = True,
    share: float = 0.5,
    questions: int = 0,
) -> list[Position]:
    """Search at each position, where a player moves; those of one player are one forest.

    Positions with the same task are searched once. share: the gadget's share of the opponent's
    range; questions: see `GrowingSearch`.
    """
    results: dict[tuple[object, ...], Position] = {}
    for player in (0, 1):
        due = {p.key: p for p in positions if p.state.mover == player}
        if not due:
            continue
        roots, gadgets = [], []
        for position in due.values():
            own = _possible(position.reach(player), np.ones(position.start.counts[player], bool))
            gadgets.append(position.gadget(player, own, safe=safe, share=share))
            beliefs = (own, gadgets[-1].previous) if player == 0 else (gadgets[-1].previous, own)
            path = position.path[: len(position.path) - len(position.branch)]
            roots.append(PBS(position.start, beliefs, path))
        search = GrowingSearch(
            builder,
            roots,
            evaluator,
            settings,
            random=random,
            gadgets=RootGadgets(1 - player, gadgets),
            branches=[position.branch for position in due.values()],
            questions=questions,
        ).run()
        for number, (key, position) in enumerate(due.items()):
            node = int(search.focus[number])
            results[key] = replace(
                position, start=position.state, branch=(), search=search, root=number, node=node
            )
    if any(position.state.mover >= CHANCE for position in positions):
        raise GameError("only public states where a player moves are searched")
    return [results[position.key] for position in positions]


def _possible(reach: Array, possible: NDArray[np.bool_]) -> Array:
    """A reach [K], scaled to a largest entry of one; uniform where it is zero everywhere.

    An opponent may reach a public state that the last search ruled out.
    """
    most = reach.max(initial=0.0)
    return reach / most if most > 0 else possible.astype(np.float64)
