"""A player by a blueprint in card buckets, without search.

Bets that the blueprint does not have are translated (pseudo-harmonic; `tacit.subgame.translation`):
the player imagines to be at the nodes of one or two bets that it has. It may so imagine several
nodes at once, each hand with its own weights, and plays their mixture: the policy of a player who
draws a node at random each time. Its own bets have the size, in pots, that they have there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from tacit.agents.holdem.player import HoldemPlayer, HoldemPolicy
from tacit.games import GameError
from tacit.games.holdem.betting import CALL, FOLD, Betting, BettingRules
from tacit.games.holdem.cards import NUM_HANDS
from tacit.games.holdem.hand import PublicHand
from tacit.subgame.holdem.betting_tree import FOLDED
from tacit.subgame.holdem.blueprint import HoldemBlueprint, load_blueprint, shipped_blueprint
from tacit.subgame.translation import translate

Weights = NDArray[np.float64]
SMALL = 1e-9
"""Nodes with less weight than this for every hand are forgotten."""


@dataclass(frozen=True, eq=False)
class BlueprintMemory:
    """A hand in play.

    imagined: nodes of the blueprint with the weight [1326] of each hand of this player; ranges:
    [1326] of each player, by the blueprint.
    """

    hand: PublicHand
    seat: int
    imagined: tuple[tuple[int, Weights], ...]
    ranges: tuple[Weights, Weights]
    seed: int = 0
    """For players who draw random numbers later."""


class BlueprintPlayer(HoldemPlayer):
    """Plays a blueprint."""

    def __init__(self, blueprint: HoldemBlueprint) -> None:
        self.blueprint = blueprint

    def begin(self, rules: BettingRules, seat: int, random: np.random.Generator) -> BlueprintMemory:
        """At the blueprint's root."""
        known = self.blueprint.settings
        depth = min(rules.stacks) / rules.big_blind
        if rules.ante or depth != known.stack / known.big_blind:
            raise GameError(
                f"the blueprint is for stacks of {known.stack / known.big_blind:g} big blinds "
                f"without antes, not for {depth:g}; play another player or other stacks"
            )
        ones = np.ones(NUM_HANDS)
        seed, start = int(random.integers(2**63)), PublicHand.start(rules)
        return BlueprintMemory(start, seat, ((0, ones),), (ones, ones), seed)

    def policy(self, memory: BlueprintMemory) -> HoldemPolicy:
        """The mixture over imagined nodes; calls where the blueprint's hand would be over.

        A hand that the player would not hold here plays all of them alike.
        """
        betting = memory.hand.betting
        nodes = [each for each in memory.imagined if self.blueprint.tree.player[each[0]] < FOLDED]
        if not nodes:
            return HoldemPolicy((CALL,), np.ones((1, NUM_HANDS)))
        total = np.sum([weight for _, weight in nodes], axis=0)
        mixed: dict[int, Weights] = {}
        for node, weight in nodes:
            share = np.divide(
                weight, total, out=np.full(NUM_HANDS, 1 / len(nodes)), where=total > 0
            )
            chances = self.blueprint.chances(node, memory.hand.board)
            for number, action in enumerate(self._real_actions(betting, node)):
                mixed[action] = mixed.get(action, np.zeros(NUM_HANDS)) + share * chances[number]
        actions = tuple(sorted(mixed))
        return HoldemPolicy(actions, np.stack([mixed[action] for action in actions]))

    def act(self, memory: BlueprintMemory, action: int) -> BlueprintMemory:
        """Follow the action at every imagined node; the opponent's bets are translated."""
        hand, mover = memory.hand, memory.hand.mover
        following: dict[int, Weights] = {}
        taken, total = np.zeros(NUM_HANDS), 0.0
        for node, weight in memory.imagined:
            if self.blueprint.tree.player[node] != mover:
                continue
            chances = self.blueprint.chances(node, hand.board)
            share = float(weight.mean())
            total += share
            for number, part in self._same_actions(hand.betting, node, action, mover, memory.seat):
                child = int(self.blueprint.tree.children[node, number])
                after = part * weight * (chances[number] if mover == memory.seat else 1)
                taken += share * part * chances[number]
                if after.max() > SMALL:
                    following[child] = following.get(child, 0.0) + after
        ranges = list(memory.ranges)
        if total > 0 and (ranges[mover] * taken).any():
            ranges[mover] = ranges[mover] * taken / total
        return replace(
            memory,
            hand=hand.act(action),
            imagined=tuple(following.items()),
            ranges=(ranges[0], ranges[1]),
        )

    def answer(self, memory: BlueprintMemory, actions: tuple[int, ...]) -> HoldemPolicy:
        """By the blueprint."""
        return self.policy(reduce(self.act, actions, memory))

    def deal(self, memory: BlueprintMemory, cards: tuple[int, ...]) -> BlueprintMemory:
        """The imagined nodes are those of the next street already."""
        return replace(memory, hand=memory.hand.deal(cards))

    def _real_actions(self, betting: Betting, node: int) -> list[int]:
        """The real action of each action of a node."""
        tree = self.blueprint.tree
        there = tree.bettings[node]
        actions = tree.actions[node, : tree.counts[node]].tolist()
        return [_real_action(betting, there, action) for action in actions]

    def _same_actions(
        self, betting: Betting, node: int, action: int, mover: int, seat: int
    ) -> list[tuple[int, float]]:
        """The actions of a node that a real one stands for, by number, with probabilities."""
        tree = self.blueprint.tree
        there = tree.bettings[node]
        actions = tree.actions[node, : tree.counts[node]].tolist()
        if mover == seat:
            real = self._real_actions(betting, node)
            return [(number, 1.0) for number, each in enumerate(real) if each == action]
        if action in (FOLD, CALL):
            return [(actions.index(action), 1.0)] if action in actions else []
        raises = [number for number, each in enumerate(actions) if each > CALL]
        if not raises:
            return []
        if action >= _all_in(betting):
            return [(raises[-1], 1.0)]
        known = [size_in_pots(there, actions[number]) for number in raises]
        shares = translate(size_in_pots(betting, action), known)
        return [(raises[index], share) for index, share in shares]


def size_in_pots(betting: Betting, total: int) -> float:
    """A bet or raise to `total` as a fraction of the pot after a call."""
    return (total - max(betting.committed)) / (betting.pot + betting.to_call)


def _all_in(betting: Betting) -> int:
    """The total that puts the smaller stack all in, or the least that may be bet."""
    bounds = betting.raise_bounds()
    smaller = min(betting.rules.stacks)
    return smaller if bounds is None else min(max(smaller, bounds[0]), bounds[1])


def _real_action(betting: Betting, there: Betting, action: int) -> int:
    """The legal action that is most like `action` of the imagined betting `there`."""
    if action == FOLD:
        return FOLD if betting.can_fold else CALL
    bounds = betting.raise_bounds()
    if action == CALL or bounds is None:
        return CALL
    if action >= min(there.rules.stacks):
        return _all_in(betting)
    more = round(size_in_pots(there, action) * (betting.pot + betting.to_call))
    return min(max(max(betting.committed) + more, bounds[0]), _all_in(betting))


def blueprint_player(text: str) -> BlueprintPlayer:
    """The player with the blueprint in a file, or with that of the package."""
    return BlueprintPlayer(load_blueprint(text) if text else shipped_blueprint())
