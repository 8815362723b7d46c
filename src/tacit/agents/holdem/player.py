"""The protocol of players of hold'em, and players by a rule.

Any legal bet may be made, so moves are actions and cards, not the numbers of transitions as for
`tacit.agents.agent.Agent`. As there, a player's *memory* of a hand depends on what both players see
and on the player's own random numbers, never on the two cards that the player holds: a policy is
given for all hands at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.games.holdem.betting import CALL, FOLD, BettingRules
from tacit.games.holdem.cards import NUM_HANDS
from tacit.games.holdem.hand import PublicHand


class HoldemPolicy(NamedTuple):
    """What a player does with each hand.

    actions: [A] legal ones, as in `tacit.games.holdem.betting`. chances: [A, 1326] of each action,
    columns sum to one; those of hands that the board blocks are not used.
    """

    actions: tuple[int, ...]
    chances: NDArray[np.float64]


class HoldemPlayer(Protocol):
    """A player of heads-up no-limit hold'em, one hand after another.

    Memories are never changed in place, so that one can be carried along several lines of play.
    """

    def begin(self, rules: BettingRules, seat: int, random: np.random.Generator) -> Any:
        """The memory of a new hand. seat: 0 is the big blind, 1 the small blind and button."""

    def policy(self, memory: Any) -> HoldemPolicy:
        """The policy for all hands; this player is the mover."""

    def act(self, memory: Any, action: int) -> Any:
        """The memory after an action of either player."""

    def deal(self, memory: Any, cards: tuple[int, ...]) -> Any:
        """The memory after the board cards of the next street."""

    def model(self) -> HoldemPlayer:
        """A deterministic model of this player, for opponents who do not see its random numbers.

        By default the player itself.
        """
        return self

    def answer(self, memory: Any, actions: tuple[int, ...]) -> HoldemPolicy | None:
        """The own policy after further actions on the street, if it is quickly known.

        By default None.
        """
        return None

    def expected_answer(self, memory: Any, actions: tuple[int, ...]) -> HoldemPolicy | None:
        """What this player expects of the one who moves after further actions on the street.

        By default None.
        """
        return None


class RulePlayer(HoldemPlayer):
    """Plays by a rule on what both players see; a memory is the public hand."""

    def __init__(self, rule: Callable[[PublicHand], HoldemPolicy]) -> None:
        self.rule = rule

    def begin(self, rules: BettingRules, seat: int, random: np.random.Generator) -> PublicHand:
        """Before the first action."""
        return PublicHand.start(rules)

    def policy(self, memory: PublicHand) -> HoldemPolicy:
        """By the rule."""
        return self.rule(memory)

    def answer(self, memory: PublicHand, actions: tuple[int, ...]) -> HoldemPolicy:
        """By the rule."""
        return self.rule(reduce(PublicHand.act, actions, memory))

    def act(self, memory: PublicHand, action: int) -> PublicHand:
        """The public hand after the action."""
        return memory.act(action)

    def deal(self, memory: PublicHand, cards: tuple[int, ...]) -> PublicHand:
        """The public hand after the cards."""
        return memory.deal(cards)


def always_fold(hand: PublicHand) -> HoldemPolicy:
    """Folds to every bet; checks if there is none."""
    return HoldemPolicy((FOLD if hand.betting.can_fold else CALL,), np.ones((1, NUM_HANDS)))


def always_call(hand: PublicHand) -> HoldemPolicy:
    """Checks and calls."""
    return HoldemPolicy((CALL,), np.ones((1, NUM_HANDS)))
