"""Matches: two agents play many games, in both seats, and the difference is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacit.agents.agent import Agent
from tacit.agents.position import Position
from tacit.games import CHANCE, TERMINAL
from tacit.tree import PLAYERS, Builder


@dataclass(frozen=True)
class MatchResult:
    """What the first agent won a game on average, with the standard error."""

    games: int
    mean: float
    error: float


def play_game(builder: Builder, agents: tuple[Agent, Agent], random: np.random.Generator) -> float:
    """One game; what player 0 gets."""
    for agent in agents:
        agent.begin(np.random.default_rng(random.integers(2**63)))
    position = Position.start(builder, random)
    while (mover := position.world.player) != TERMINAL:
        if mover == CHANCE:
            action = position.chance_action(random)
        else:
            action = agents[mover].act(position)
        transition, position = position.after(action, random)
        for agent in agents:
            agent.observe(transition, position)
    return position.world.payoff()


def play_match(
    builder: Builder,
    first: Agent,
    second: Agent,
    *,
    games: int,
    seed: int,
    each: Callable[[int], None] | None = None,
) -> MatchResult:
    """`games` games, half of them in each seat; the same seed gives the same match."""
    won = np.zeros(games)
    for number in range(games):
        random = np.random.default_rng([seed, number])
        if number % 2 == PLAYERS[0]:
            won[number] = play_game(builder, (first, second), random)
        else:
            won[number] = -play_game(builder, (second, first), random)
        if each is not None:
            each(number + 1)
    error = float(won.std(ddof=1) / np.sqrt(games)) if games > 1 else float("inf")
    return MatchResult(games, float(won.mean()), error)
