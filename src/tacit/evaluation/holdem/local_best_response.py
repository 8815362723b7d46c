"""Local best response in hold'em (Lisý and Bowling 2017), as a player.

LBR knows its opponent's policy, but not its random numbers, and tracks the opponent's range by
Bayes' rule. It looks one action ahead and assumes that both check and call from there on. With wp
its chance to win the showdown against the range, the values of its actions are

- fold: 0
- call: wp pot - (1 - wp) asked
- raise: fp pot + (1 - fp) (wp' pot' - (1 - wp') put_in), where fp is the chance that the opponent
  folds, wp' is against the range that does not, and pot' has the opponent's call in it

and it takes the best. Its winnings are a lower bound of those of a best response.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.agents.holdem.player import HoldemPlayer, HoldemPolicy
from tacit.evaluation.holdem.advantage import Weights, met_reach, sample_runouts
from tacit.games import GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import CALL, FOLD, TURN, Betting, BettingRules
from tacit.games.holdem.cards import HAND_CARDS, NUM_HANDS, live_hands
from tacit.games.holdem.hand import PublicHand
from tacit.games.holdem.hand_rank import rank_boards
from tacit.suggest import unknown
from tacit.tree.cards.equity import add_boards

POT_AND_ALL_IN = BetSettings.parse("100%,a")
SETTINGS = {
    "fold-call": "folds or calls on all streets",
    "fcpa": "calls before the flop and on the flop; then folds, calls, bets the pot or all in",
}
"""The two settings of published figures."""
_CALLS = HoldemPolicy((CALL,), np.ones((1, NUM_HANDS)))
SAMPLES = 200
"""Runouts by which LBR estimates equities before the turn."""


@dataclass(frozen=True, eq=False)
class LBRMemory:
    """LBR's knowledge of a hand; reach: the opponent's [1326]; model: the model's memory.

    models: the model's memories after actions that were looked at, which hold its searches.
    """

    hand: PublicHand
    seat: int
    reach: Weights
    model: Any
    models: dict[int, Any] = field(default_factory=dict, repr=False)


class HoldemLBR(HoldemPlayer):
    """The player; `model` is a deterministic model of the opponent."""

    def __init__(self, model: HoldemPlayer, setting: str = "fold-call") -> None:
        if setting not in SETTINGS:
            raise GameError(unknown("setting of LBR", setting, SETTINGS))
        self.opponent = model
        self.setting = setting

    def begin(self, rules: BettingRules, seat: int, random: np.random.Generator) -> LBRMemory:
        """With a uniform range."""
        memory = self.opponent.begin(rules, 1 - seat, random)
        return LBRMemory(PublicHand.start(rules), seat, np.ones(NUM_HANDS), memory)

    def act(self, memory: LBRMemory, action: int) -> LBRMemory:
        """Update the range if the opponent has acted."""
        reach = memory.reach
        if memory.hand.mover != memory.seat:
            policy = self.opponent.policy(memory.model)
            if action in policy.actions:
                chances = np.where(reach > 0, policy.chances[policy.actions.index(action)], 0)
                # An action that the model never takes says nothing about the hand.
                reach = reach * chances if (reach * chances).any() else reach
                reach = reach / reach.sum()
        return replace(
            memory,
            hand=memory.hand.act(action),
            reach=reach,
            model=self._model_after(memory, action),
            models={},
        )

    def deal(self, memory: LBRMemory, cards: tuple[int, ...]) -> LBRMemory:
        """Remove hands that the cards block."""
        hand = memory.hand.deal(cards)
        return replace(
            memory,
            hand=hand,
            reach=np.where(live_hands(hand.board), memory.reach, 0),
            model=self.opponent.deal(memory.model, cards),
            models={},
        )

    def _model_after(self, memory: LBRMemory, action: int) -> Any:
        if action not in memory.models:
            memory.models[action] = self.opponent.act(memory.model, action)
        return memory.models[action]

    def answer(self, memory: LBRMemory, actions: tuple[int, ...]) -> HoldemPolicy | None:
        """Where LBR only calls, or can only call or fold after one action."""
        betting = reduce(PublicHand.act, actions, memory.hand).betting
        if self._only_calls(betting):
            return _CALLS
        if len(actions) == 1 and betting.raise_bounds() is None:
            return self.policy(self.act(memory, actions[0]))
        return None

    def expected_answer(self, memory: LBRMemory, actions: tuple[int, ...]) -> HoldemPolicy | None:
        """The model's to a bet or raise, which LBR asks for itself."""
        if len(actions) > 1 or memory.hand.mover != memory.seat or actions[0] == CALL:
            return None
        return self.opponent.policy(self._model_after(memory, actions[0]))

    def _only_calls(self, betting: Betting) -> bool:
        return self.setting == "fcpa" and betting.street < TURN

    def policy(self, memory: LBRMemory) -> HoldemPolicy:
        """The best action of each hand."""
        hand = memory.hand
        betting = hand.betting
        if self._only_calls(betting):
            return _CALLS
        actions = [CALL]
        wins = win_chances(hand.board, memory.reach)
        pot, asked = float(_contested(betting)), float(betting.to_call)
        values = [wins * pot - (1 - wins) * asked]
        if betting.can_fold:
            actions.append(FOLD)
            values.append(np.zeros(NUM_HANDS))
        if self.setting == "fcpa":
            for total in POT_AND_ALL_IN.raises(betting):
                actions.append(total)
                values.append(self._raise_values(memory, total))
        chances = np.zeros((len(actions), NUM_HANDS))
        chances[np.argmax(np.stack(values), axis=0), np.arange(NUM_HANDS)] = 1
        return HoldemPolicy(tuple(actions), chances)

    def _raise_values(self, memory: LBRMemory, total: int) -> Weights:
        """[1326] what LBR expects of a bet or raise to `total`."""
        betting = memory.hand.betting
        policy = self.opponent.policy(self._model_after(memory, total))
        folds = np.zeros(NUM_HANDS)
        if FOLD in policy.actions:
            folds = policy.chances[policy.actions.index(FOLD)]
        stays = np.where(memory.reach > 0, memory.reach * (1 - folds), 0)
        met = met_reach(memory.reach)
        fold = 1 - np.divide(met_reach(stays), met, out=np.ones(NUM_HANDS), where=met > 1e-12)
        wins = win_chances(memory.hand.board, stays)
        called = min(total, betting.rules.stacks[1 - memory.seat])
        pot = float(_contested(betting))
        more = called - betting.committed[1 - memory.seat]
        put_in = called - betting.committed[memory.seat]
        stay: NDArray[np.float64] = wins * (pot + more) - (1 - wins) * put_in
        values: Weights = fold * pot + (1 - fold) * stay
        return values


def _contested(betting: Betting) -> int:
    """The pot without what the mover cannot call and gets no share of."""
    mover = betting.player
    return min(betting.committed[1 - mover], betting.rules.stacks[mover]) + betting.committed[mover]


def win_chances(board: tuple[int, ...], reach: Weights) -> Weights:
    """[1326] each hand's share of the pot against a range, over the runouts of the board.

    Before the turn the runouts are a sample, the same for every call; one half for hands that meet
    no hand of the range.
    """
    boards, _ = sample_runouts(board, SAMPLES, np.random.default_rng(0))
    live = live_hands(board)
    both = np.stack([live.astype(np.float64), np.where(live, reach, 0)])
    totals = np.zeros((3, 2, NUM_HANDS))
    add_boards(rank_boards(boards), HAND_CARDS, both, totals)
    ahead, _, met = totals[:, 0]
    least = 1e-12 * max(float(met.max()), 1e-300)
    shares: Weights = np.divide(ahead, met, out=np.full(NUM_HANDS, 0.5), where=met > least)
    return shares
