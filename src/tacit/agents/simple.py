"""Simple opponents for comparison: rules on the public state and the own infostate."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.agents.agent import Agent, RuleAgent
from tacit.games import GameError
from tacit.games.liars_dice import LiarsDice, LiarsDiceState, Rules
from tacit.tree import Builder, PublicState
from tacit.tree.playing import sample_world

Array = NDArray[Any]


def baselines(builder: Builder) -> dict[str, Agent]:
    """The simple opponents of a game, by name."""
    agents: dict[str, Agent] = {"uniform": RuleAgent(builder, uniform)}
    if isinstance(builder.game, LiarsDice):
        agents["call-when-unlikely"] = RuleAgent(builder, call_when_unlikely)
    return agents


def uniform(state: PublicState) -> Array:
    """[A, K] the uniform policy."""
    legal = state.expansion.legal
    shares: Array = legal / legal.sum(axis=0)
    return shares


def call_when_unlikely(state: PublicState) -> Array:
    """[A, K] in Liar's Dice: the action most likely to be right, given only the own dice.

    A bid is right if it is true, `liar` if the last bid is false; of equal actions the lowest is
    taken. It never bluffs and ignores the opponent's bids.
    """
    world = sample_world(state)
    if not isinstance(world, LiarsDiceState):
        raise GameError("this game has no bids to call; take another opponent")
    rules, actions = world.rules, state.expansion.actions
    chances = np.zeros((len(actions), state.counts[state.mover]))
    for column, roll in enumerate(state.privates[state.mover]):
        assert isinstance(roll, tuple)
        for row, action in enumerate(actions):
            if action == rules.liar:
                chances[row, column] = 1 - _bid_chance(rules, world.history.bit_length() - 1, roll)
            else:
                chances[row, column] = _bid_chance(rules, action, roll)
    policy = np.zeros_like(chances)
    policy[chances.argmax(axis=0), np.arange(chances.shape[1])] = 1
    return policy


def _bid_chance(rules: Rules, action: int, roll: tuple[int, ...]) -> float:
    """The probability that a bid is true, given one player's roll."""
    quantity, face = rules.bid(action)
    needed = quantity - sum(die in (face, rules.faces) for die in roll)
    counting = (1 if face == rules.faces else 2) / rules.faces
    return sum(
        comb(rules.dice, n) * counting**n * (1 - counting) ** (rules.dice - n)
        for n in range(max(needed, 0), rules.dice + 1)
    )
