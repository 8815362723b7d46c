"""Plain opponents to measure others against: rules that look at the table and the own hand."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.agents.agent import Agent, RuleAgent
from tacit.games import GameError
from tacit.games.liars_dice import LiarsDice, LiarsDiceState, Rules
from tacit.tree import Builder, PublicState
from tacit.tree.worlds import sample_world

Array = NDArray[Any]


def baselines(builder: Builder) -> dict[str, Agent]:
    """The plain opponents that a game has, by name."""
    found: dict[str, Agent] = {"uniform": RuleAgent(builder, uniform)}
    if isinstance(builder.game, LiarsDice):
        found["call-when-unlikely"] = RuleAgent(builder, call_when_unlikely)
    return found


def uniform(state: PublicState) -> Array:
    """[A, K] every legal action alike."""
    legal = state.expansion.legal
    shares: Array = legal / legal.sum(axis=0)
    return shares


def call_when_unlikely(state: PublicState) -> Array:
    """[A, K] in Liar's Dice: the claim that is likeliest by one's own dice, the lowest of those.

    A bid claims that it is true, `liar` that the last bid is not. It never bluffs, and takes
    nothing from what the opponent has bid.
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
    """How likely a bid is true for a player with this roll, the other's dice being unknown."""
    quantity, face = rules.bid(action)
    needed = quantity - sum(die in (face, rules.faces) for die in roll)
    counting = (1 if face == rules.faces else 2) / rules.faces
    return sum(
        comb(rules.dice, n) * counting**n * (1 - counting) ** (rules.dice - n)
        for n in range(max(needed, 0), rules.dice + 1)
    )
