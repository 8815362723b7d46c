"""A point of a solved hold'em spot: who moves, and each hand's policy, reach and value.

A path may name cards that differ from the tree's only in the names of suits; they are shown as
given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, GameError
from tacit.games.holdem.betting import BOARD_SIZES, Betting
from tacit.games.holdem.cards import (
    CLASS_NAMES,
    HAND_CARDS,
    HAND_CLASS,
    NUM_CLASSES,
    NUM_HANDS,
    card_name,
    format_cards,
    parse_cards,
)
from tacit.games.holdem.spot import IDENTITY, Suits, permute_card, permute_hands
from tacit.tree import PLAYERS, PublicTree
from tacit.tree.cards.equity import Equity, range_equity
from tacit.tree.cards.states import CardState
from tacit.tree.kernels.passes import EXPECT
from tacit.tree.public_state import path_words

if TYPE_CHECKING:
    from tacit.solvers.spot import SpotSolution

Path = str | Sequence[str]
"""Moves from the spot on, split by spaces or as words: ``k``, ``c``, ``f``, ``r3000``, ``2h``."""


@dataclass(frozen=True)
class PathTarget:
    """A node, the renaming of its suits to those of the path, and the moves to it.

    dealt: how many moves lead up to and include the last deal.
    """

    node: int
    suits: Suits
    moves: tuple[str, ...]
    dealt: int


def find(tree: PublicTree, path: Path) -> PathTarget:
    """Follow `path` from the spot; its cards may differ in suits from those of the tree."""
    here, suits, dealt, words = tree.roots[0], IDENTITY, 0, path_words(path)
    for number, word in enumerate(words):
        label = word
        if tree.arrays.player[here.node] == CHANCE:
            state, labels = tree.cards.state(here.node), tree.labels(here.node)
            label, suits = _find_cards(state, labels, suits, word)
            dealt = number + 1
        here = tree.find([label], here)
    return PathTarget(here.node, suits, tuple(words), dealt)


def _find_cards(
    state: CardState, labels: Sequence[str], suits: Suits, word: str
) -> tuple[str, Suits]:
    """The label of the cards in `word`, and the renaming from the label's cards to them."""
    wanted = set(parse_cards(word))
    for label in labels:
        for renaming in state.deal.symmetries:
            first, second, third, fourth = (suits[suit] for suit in renaming)
            both = first, second, third, fourth
            if {permute_card(both, card) for card in parse_cards(label)} == wanted:
                return label, both
    board = format_cards(permute_card(suits, card) for card in state.board)
    count = BOARD_SIZES[state.betting.street + 1] - len(state.board)
    raise GameError(
        f"{word!r} cannot be dealt on {board}; expected {count} card"
        f"{'s' if count > 1 else ''} that {'are' if count > 1 else 'is'} not on the board"
    )


@dataclass(frozen=True)
class ClassRow:
    """A class of hands (``AKs``) at a node: its reach, policy, value and equity."""

    name: str
    reach: float
    policy: tuple[float, ...]
    value: float
    equity: float


class SpotNode:
    """One point of a solved tree. Vectors over hands are [1326], NaN where a hand is impossible."""

    def __init__(
        self,
        solution: SpotSolution,
        target: PathTarget,
        *,
        scale: tuple[float, float] = (1.0, 1.0),
        solve_river: Callable[[SpotNode], SpotNode] | None = None,
    ) -> None:
        self.solution = solution
        self.target = target
        self._scale = scale
        """The divisors of the solution's ranges."""
        self._solve_river = solve_river
        """Finds the same point in a solution of its river alone, where rivers were left out."""
        self.state: CardState = solution.tree.cards.state(target.node)
        self.live = tuple(permute_hands(target.suits)[hands] for hands in self.state.deal.hands)
        """[K] the hands that each player may hold."""

    @property
    def betting(self) -> Betting:
        """Chips, street and mover."""
        return self.state.betting

    @property
    def mover(self) -> int:
        """0, 1, CHANCE or TERMINAL."""
        return self.state.mover

    @property
    def board(self) -> tuple[int, ...]:
        """The board's cards."""
        return tuple(permute_card(self.target.suits, card) for card in self.state.board)

    @property
    def actions(self) -> tuple[str, ...]:
        """The labels of the mover's actions."""
        return self.solution.tree.labels(self.target.node) if self.mover < CHANCE else ()

    @property
    def cards(self) -> tuple[str, ...]:
        """Where chance moves: the possible cards (one at a time)."""
        if self.mover != CHANCE:
            return ()
        return tuple(card_name(c) for c in range(52) if c not in self.board)

    @cached_property
    def _subgame(self) -> SpotNode | None:
        """The same point in a solution of its river alone, where rivers were left out."""
        state = self.state
        if self._solve_river is None or state.betting.street < state.spot.rules.last_street:
            return None
        return self._solve_river(self)

    @cached_property
    def policy(self) -> NDArray[np.float64]:
        """[A, 1326] the probability of each action for each of the mover's hands."""
        if self.mover >= CHANCE:
            raise GameError("no player moves here")
        if self._subgame is not None:
            return self._subgame.policy
        block = self.solution.tree.block(self.solution.policy, self.target.node)[:, 0]
        return np.stack([self._spread(row, self.mover) for row in block])

    @cached_property
    def reach(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[1326] each: each hand's weight in the range times its own choices on the way here."""
        if self._subgame is not None:
            return self._subgame.reach
        tree, node, responder = self.solution.tree, self.target.node, self.solution.responder
        responder.look(0, node, EXPECT)
        first, second = (
            tree.vectors(responder.work.reach[p], p, node, values=False)[0] for p in PLAYERS
        )
        return (
            self._scale[0] * np.nan_to_num(self._spread(first, 0)),
            self._scale[1] * np.nan_to_num(self._spread(second, 1)),
        )

    @cached_property
    def values(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[1326] each: what each hand wins from the spot on, in chips, if both follow the policy.

        Half of the pot at the spot counts as each player's own: the change of a player's stack is
        this value plus half the pot.
        """
        if self._subgame is not None:
            return self._subgame.values
        node, responder, values = self.target.node, self.solution.responder, []
        for player in PLAYERS:
            if node in self.solution.values:
                expected = self.solution.values[node][player]
            else:
                responder.look(player, node, EXPECT)
                expected = responder.expected(player, node)[0]
            values.append(self._spread(expected, player))
        return values[0], values[1]

    @cached_property
    def equity(self) -> Equity:
        """Each hand's share of the pot if the hand were checked down from here."""
        return range_equity(self.board, self.reach)

    def frequencies(self) -> dict[str, float]:
        """How often the mover takes each action, over all hands."""
        weights = self.weights(self.mover)
        shares = np.nansum(self.policy * weights, axis=1) / weights.sum()
        return dict(zip(self.actions, shares.tolist(), strict=True))

    def value(self, player: int) -> float:
        """What `player` wins on average from the spot on; see `values`."""
        weights = self.weights(player)
        return float(np.nansum(self.values[player] * weights) / weights.sum())

    def classes(self) -> list[ClassRow | None]:
        """[169] the classes of the mover's hands, as `CLASS_NAMES` are; None if not held."""
        mover, rows = self.mover, list[ClassRow | None]()
        weights, equity = self.weights(mover), self.equity.hands[mover]
        for number in range(NUM_CLASSES):
            members = np.flatnonzero((number == HAND_CLASS) & (weights > 0))
            if not len(members):
                rows.append(None)
                continue
            share = weights[members] / weights[members].sum()
            rows.append(
                ClassRow(
                    CLASS_NAMES[number],
                    float(self.reach[mover][members].sum()),
                    tuple((self.policy[:, members] @ share).tolist()),
                    float(self.values[mover][members] @ share),
                    float(equity[members] @ share),
                )
            )
        return rows

    def weights(self, player: int) -> NDArray[np.float64]:
        """[1326] how often `player` is here with each hand: reach times compatible reach."""
        other = self.reach[1 - player]
        sums = np.zeros(52)
        for column in (0, 1):
            np.add.at(sums, HAND_CARDS[:, column], other)
        meets = other.sum() - sums[HAND_CARDS].sum(axis=1) + other
        weights: NDArray[np.float64] = self.reach[player] * np.maximum(meets, 0)
        return weights

    def _spread(self, vector: NDArray[Any], player: int) -> NDArray[np.float64]:
        """[K] over infostates to [1326] over hands."""
        full = np.full(NUM_HANDS, np.nan)
        full[self.live[player]] = vector
        return full
