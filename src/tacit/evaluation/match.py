"""Matches: two agents play many games, in both seats; a file keeps the games that have ended."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.agents.agent import Agent
from tacit.agents.named import find_agent
from tacit.files import check_writable, write_text
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
    first: Agent | str,
    second: Agent | str,
    *,
    games: int,
    seed: int = 0,
    at_once: int | None = None,
    record: str | Path | None = None,
    each: Callable[[int], None] | None = None,
) -> MatchResult:
    """Play `games` games; the seed and `at_once` determine the match.

    Each deal is played twice, with the seats exchanged, to reduce the variance; the standard error
    is that of the pairs' means. Agents may be given by name (`tacit.agents.named`).

    at_once: number of games played in parallel, by default 2,048, or 2 with a `record`; record: a
    file with the results of games that have ended, written after each `at_once` of them. If it is
    there already, the match is resumed. each: called with the number of games that have ended.
    """
    at_once = at_once or (AT_ONCE if record is None else 2)
    for number in (games, at_once):
        if number < 2 or number % 2:
            raise GameError(
                f"a match has an even number of games, half in each seat, not {number}; "
                f"play {number + number % 2 or 2}"
            )
    builder = game if isinstance(game, Builder) else Builder(load_game(game))
    kept = _Record(record, [builder.game.name, _name(first), _name(second), seed, at_once])
    won = (
        kept.won[:games]
        if len(kept.won) >= games
        else kept.won[: len(kept.won) // at_once * at_once]
    )
    agents = _agent(first, builder), _agent(second, builder)
    ended = 0

    def report(more: int) -> None:
        nonlocal ended
        ended += more
        if each is not None:
            each(ended)

    try:
        while (ended := len(won)) < games:
            random = np.random.default_rng([seed, ended])
            count = min(at_once, games - ended)
            won += _play_side_by_side(builder, agents, count, random, report).tolist()
            kept.write(won)
    except GameError as error:
        if record is None:
            raise
        raise type(error)(
            f"{error}; {len(won)} of {games} games are kept in {record}, play again to resume"
        ) from error
    finally:
        for agent, given in zip(agents, (first, second), strict=True):
            if isinstance(given, str) and hasattr(agent, "close"):
                agent.close()
    return _result(np.array(won))


def _result(won: NDArray[np.float64]) -> MatchResult:
    pairs = won.reshape(-1, 2).mean(axis=1)
    error = float(pairs.std(ddof=1) / np.sqrt(len(pairs))) if len(pairs) > 1 else float("inf")
    seats = float(won[0::2].mean()), float(won[1::2].mean())
    return MatchResult(len(won), float(won.mean()), error, seats)


def _agent(agent: Agent | str, builder: Builder) -> Agent:
    return find_agent(agent, builder) if isinstance(agent, str) else agent


def _name(agent: Agent | str) -> str:
    return agent if isinstance(agent, str) else type(agent).__name__


class _Record:
    """The first agent's winnings in the games that have ended, in a file, or nowhere."""

    def __init__(self, path: str | Path | None, match: list[Any]) -> None:
        self.path = None if path is None else Path(path)
        self.match = match
        self.won: list[float] = []
        if self.path is None:
            return
        check_writable(self.path)
        if not self.path.exists():
            return
        try:
            kept = json.loads(self.path.read_text())
            before, self.won = kept["match"], [float(value) for value in kept["won"]]
        except (ValueError, TypeError, KeyError):
            raise GameError(f"{path} is not the record of a match; name another file") from None
        if before != match:
            raise GameError(
                f"{path} is the record of another match, {before} and not {match} (game, agents, "
                "seed, games at once); name another file"
            )

    def write(self, won: list[float]) -> None:
        """Keep all results so far."""
        if self.path is not None:
            write_text(self.path, json.dumps({"match": self.match, "won": won}) + "\n")


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
