"""Matches: two agents play many games, in both seats; a file keeps the games that have ended.

With a value function each game also has an estimate by AIVAT (`tacit.evaluation.aivat`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.agents.agent import Agent
from tacit.agents.named import find_agent
from tacit.evaluation.aivat import AivatGame, ValueFunction
from tacit.evaluation.match_record import MatchRecord
from tacit.games import TERMINAL, Game, GameError, load_game
from tacit.tree import PLAYERS, Builder, PublicState
from tacit.tree.playing import deal, draw, follow, payoff
from tacit.tree.public_state import Pair

AT_ONCE = 2048
"""Number of games of a match played in parallel; even, because games come in pairs."""


@dataclass(frozen=True)
class Winnings:
    """The first agent's mean winnings per game, with the standard error, and by seat.

    deviation: the standard deviation of a pair's mean.
    """

    mean: float
    error: float
    seats: tuple[float, float]
    deviation: float


@dataclass(frozen=True)
class MatchResult:
    """The first agent's mean winnings per game, with the standard error, and by seat.

    aivat: the same by AIVAT, if the match was given a value function.
    """

    games: int
    mean: float
    error: float
    seats: tuple[float, float]
    aivat: Winnings | None = None
    deviation: float = 0.0
    """The standard deviation of the mean of a pair of games."""


def play_match(
    game: Game | Builder | str,
    first: Agent | str,
    second: Agent | str,
    *,
    games: int,
    seed: int = 0,
    at_once: int | None = None,
    record: str | Path | None = None,
    opening: int = 0,
    aivat: ValueFunction | None = None,
    each: Callable[[int], None] | None = None,
) -> MatchResult:
    """Play `games` games; the seed and `at_once` determine the match.

    Each deal is played twice, with the seats exchanged, to reduce the variance; the standard error
    is that of the pairs' means. Agents may be given by name (`tacit.agents.named`).

    at_once: number of games played in parallel, by default 2,048, or 2 with a `record`; record: a
    file with the results of games that have ended, written after each `at_once` of them. If it is
    there already, the match is resumed. opening: number of first moves that are random, the same
    ones in both games of a pair, so that agents without randomness play different games; only where
    nothing is hidden. aivat: the value function of AIVAT, which must not depend on games that have
    been played. each: called with the number of games that have ended.
    """
    at_once = at_once or (AT_ONCE if record is None else 2)
    for number in (games, at_once):
        if number < 2 or number % 2:
            raise GameError(
                f"a match has an even number of games, half in each seat, not {number}; "
                f"play {number + number % 2 or 2}"
            )
    builder = game if isinstance(game, Builder) else Builder(load_game(game))
    names = [builder.game.name, _name(first), _name(second), seed, at_once]
    names += [f"opening of {opening} moves"] if opening else []
    kept = _Record(record, names if aivat is None else [*names, f"AIVAT by {_name(aivat)}"])
    whole = games if len(kept.won) >= games else len(kept.won) // at_once * at_once
    won, estimates = kept.won[:whole], kept.estimates[:whole]
    if opening and (builder.game.hidden or aivat is not None):
        raise GameError(
            f"random openings need a game with nothing hidden and no AIVAT, not {builder.game.name}"
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
            played = _play_side_by_side(builder, agents, count, random, report, aivat, opening)
            won += played[0].tolist()
            estimates += played[1].tolist() if aivat is not None else []
            kept.write(won, estimates)
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
    plain = winnings(np.array(won))
    return MatchResult(
        len(won),
        plain.mean,
        plain.error,
        plain.seats,
        winnings(np.array(estimates)) if aivat is not None else None,
        plain.deviation,
    )


def winnings(won: NDArray[np.float64]) -> Winnings:
    """The mean of the first agent's results [games], which come in pairs of the same deal."""
    pairs = won.reshape(-1, 2).mean(axis=1)
    deviation = float(pairs.std(ddof=1)) if len(pairs) > 1 else float("inf")
    seats = float(won[0::2].mean()), float(won[1::2].mean())
    return Winnings(float(won.mean()), deviation / float(np.sqrt(len(pairs))), seats, deviation)


def _agent(agent: Agent | str, builder: Builder) -> Agent:
    return find_agent(agent, builder) if isinstance(agent, str) else agent


def _name(agent: Agent | ValueFunction | str) -> str:
    return agent if isinstance(agent, str) else type(agent).__name__


class _Record:
    """The first agent's winnings in the games that have ended.

    estimates: those of AIVAT, if the match has them.
    """

    def __init__(self, path: str | Path | None, match: list[Any]) -> None:
        self.won: list[float] = []
        self.estimates: list[float] = []
        words = "game, agents, seed, games at once"
        self._record = MatchRecord(path, match, words=words, read=self._read)

    def _read(self, kept: Mapping[str, Any]) -> None:
        self.won = [float(value) for value in kept["won"]]
        self.estimates = [float(value) for value in kept.get("aivat", ())]

    def write(self, won: list[float], estimates: list[float]) -> None:
        """Keep all results so far."""
        self._record.write({"won": won, "aivat": estimates} if estimates else {"won": won})


def _play_side_by_side(
    builder: Builder,
    agents: tuple[Agent, Agent],
    count: int,
    random: np.random.Generator,
    report: Callable[[int], None],
    values: ValueFunction | None,
    opening: int,
) -> NDArray[np.float64]:
    """[2, count] the first agent's winnings and AIVAT's; it is player 0 in even games."""
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
    won = np.zeros((2, count))
    estimates = [] if values is None else [AivatGame(root, pair, values) for pair in pairs]
    playing = list(range(count))
    while playing:
        moves: dict[int, int | None] = dict.fromkeys(playing)
        if opening > 0:
            moves |= _random_moves(states, playing, random)
            opening -= 1
        played: dict[int, NDArray[Any]] = {}
        for which, agent in enumerate(agents):
            turn = [g for g in playing if states[g].mover == (which + g) % 2 and moves[g] is None]
            policies = agent.policies([memories[which][g] for g in turn]) if turn else []
            for game, policy in zip(turn, policies, strict=True):
                moves[game] = draw(policy[:, pairs[game][states[game].mover]], random)
                played[game] = policy
        transitions: list[int] = []
        for game, action in moves.items():
            state = states[game]
            transition, pairs[game] = follow(state, pairs[game], action, random)
            states[game] = state.expansion.transitions[transition].child
            transitions.append(transition)
            if estimates:
                estimates[game].move(transition, pairs[game], played.get(game))
        ended = [g for g in playing if states[g].mover == TERMINAL]
        going = [n for n, g in enumerate(playing) if states[g].mover != TERMINAL]
        for game in ended:
            sign = 1 if game % 2 == 0 else -1
            won[0, game] = sign * payoff(states[game], pairs[game])
            if estimates:
                won[1, game] = sign * estimates[game].estimate()
        games, taken = [playing[n] for n in going], [transitions[n] for n in going]
        for agent, known in zip(agents, memories, strict=True):
            after = agent.after([known[g] for g in games], taken)
            known.clear()  # a memory may hold a whole search
            known.update(zip(games, after, strict=True))
        playing = games
        report(len(ended))
    return won


def _random_moves(
    states: list[PublicState], playing: list[int], random: np.random.Generator
) -> dict[int, int]:
    """A random action of each game, the same in both games of a pair."""
    moves: dict[int, int] = {}
    for game in playing:
        partner = game - game % 2
        if partner in moves:
            moves[game] = moves[partner]
        else:
            moves[game] = int(random.integers(len(states[game].expansion.actions)))
    return moves
