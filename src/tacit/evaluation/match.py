"""Matches: two agents play many games, in both seats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.agents.agent import Agent
from tacit.games import TERMINAL, Game, GameError, load_game
from tacit.tree import PLAYERS, Builder
from tacit.tree.playing import deal, draw, follow, payoff
from tacit.tree.public_state import Pair

AT_ONCE = 2048
"""Number of games of a match played in parallel; even, because games come in pairs."""


@dataclass(frozen=True)
class MatchResult:
    """The first agent's mean winnings per game, with the standard error, and by seat."""

    games: int
    mean: float
    error: float
    seats: tuple[float, float]


def play_match(
    game: Game | Builder | str,
    first: Agent,
    second: Agent,
    *,
    games: int,
    seed: int = 0,
    each: Callable[[int], None] | None = None,
) -> MatchResult:
    """Play `games` games; the seed determines the match.

    Each deal is played twice, with the seats exchanged, to reduce the variance; the standard error
    is that of the pairs' means. `each` is called with the number of games that have ended.
    """
    if games < 2 or games % 2:
        raise GameError(
            f"a match has an even number of games, half in each seat, not {games}; "
            f"play {games + games % 2 or 2}"
        )
    builder = game if isinstance(game, Builder) else Builder(load_game(game))
    won = np.zeros(games)
    ended = 0

    def report(more: int) -> None:
        nonlocal ended
        ended += more
        if each is not None:
            each(ended)

    for begin in range(0, games, AT_ONCE):
        part = won[begin : begin + AT_ONCE]
        random = np.random.default_rng([seed, begin])
        part[:] = _play_side_by_side(builder, (first, second), len(part), random, report)
    pairs = won.reshape(-1, 2).mean(axis=1)
    error = float(pairs.std(ddof=1) / np.sqrt(len(pairs))) if len(pairs) > 1 else float("inf")
    seats = float(won[0::2].mean()), float(won[1::2].mean())
    return MatchResult(games, float(won.mean()), error, seats)


def _play_side_by_side(
    builder: Builder,
    agents: tuple[Agent, Agent],
    count: int,
    random: np.random.Generator,
    report: Callable[[int], None],
) -> NDArray[np.float64]:
    """[count] the first agent's winnings; it is player 0 in even games."""
    root = builder.root
    ones = np.ones(root.counts[0]), np.ones(root.counts[1])
    dealt: list[Pair] = [deal(root, ones, random) for _ in range(count // 2)]
    pairs = [dealt[number // 2] for number in range(count)]
    states = [root] * count
    memories: list[dict[int, Any]] = []
    for agent, first_seat in zip(agents, PLAYERS, strict=True):
        seats = [(first_seat + number) % 2 for number in range(count)]
        luck = np.random.default_rng(random.integers(2**63))
        memories.append(dict(enumerate(agent.begin(seats, luck))))
    won = np.zeros(count)
    playing = list(range(count))
    while playing:
        moves: dict[int, int | None] = dict.fromkeys(playing)
        for which, agent in enumerate(agents):
            turn = [g for g in playing if states[g].mover == (which + g) % 2]
            policies = agent.policies([memories[which][g] for g in turn]) if turn else []
            for game, policy in zip(turn, policies, strict=True):
                moves[game] = draw(policy[:, pairs[game][states[game].mover]], random)
        transitions: list[int] = []
        for game, action in moves.items():
            state = states[game]
            transition, pairs[game] = follow(state, pairs[game], action, random)
            states[game] = state.expansion.transitions[transition].child
            transitions.append(transition)
        ended = [g for g in playing if states[g].mover == TERMINAL]
        going = [n for n, g in enumerate(playing) if states[g].mover != TERMINAL]
        for game in ended:
            won[game] = payoff(states[game], pairs[game]) * (1 if game % 2 == 0 else -1)
        games, taken = [playing[n] for n in going], [transitions[n] for n in going]
        for agent, known in zip(agents, memories, strict=True):
            after = agent.after([known[g] for g in games], taken)
            known.clear()  # a memory may hold a whole search
            known.update(zip(games, after, strict=True))
        playing = games
        report(len(ended))
    return won
