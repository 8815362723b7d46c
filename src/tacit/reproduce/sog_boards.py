"""Student of Games, Table 1: board games against other engines, and the best response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tacit.report.experiment import Progress, check_names, option
from tacit.report.table import Row, Table, table_of
from tacit.reproduce.row_store import Reproduction, RowStore

if TYPE_CHECKING:
    from tacit.agents.agent import Agent
    from tacit.tree import Builder, PublicState

BEST_RESPONSE = "best response"
OPPONENTS = {
    "tic-tac-toe": (BEST_RESPONSE, "mcts:1000"),
    "connect-four": ("mcts:1000",),
    "go-5x5": ("gnugo:10",),
    "go-7x7": ("gnugo:10",),
}
"""By game, who plays against the network: agents by name, or the exact best response."""
SIMULATIONS = {"tic-tac-toe": 100, "connect-four": 200, "go-5x5": 200, "go-7x7": 200}
COLUMNS = {
    "game": "{game}",
    "opponent": "{opponent}",
    "simulations": "{simulations}",
    "games": "{games}",
    "score": "{score:.3f}",
    "±": "{error:.3f}",
    "as player 1": "{first:.3f}",
    "as player 2": "{second:.3f}",
}


@dataclass(frozen=True, kw_only=True)
class SogBoards(Reproduction):
    """Student of Games on boards: the share of points that search with a network wins.

    A win is one point and a draw half a point. Each opponent is played in both seats. In
    tic-tac-toe the best response to the agent is computed exactly: 0.5 is a draw against perfect
    play. The networks are those that come with tacit, or those of the runs RUNS/GAME-sog.

    Columns: game, opponent, simulations, games (None for the best response), seed, runs, score,
    error (standard), first and second (score as player 1 and 2), training (the command),
    training_seconds, seconds.
    """

    games: tuple[str, ...] = option(tuple(OPPONENTS), "Games, separated by commas.")
    matches: int = option(100, "Games against each opponent.", least=2)
    simulations: int | None = option(
        None, "Of each search.", least=1, shown_default="100 in tic-tac-toe, else 200"
    )
    runs: Path | None = option(None, "Search with the networks trained in this folder.")
    seed: int = option(0, "Seed of the games.", least=0)

    key = ("game", "opponent", "simulations", "games", "seed", "runs")
    quick: ClassVar = {"games": ("tic-tac-toe",), "matches": 10}

    def __post_init__(self) -> None:
        check_names(self.games, OPPONENTS, "opponents for")

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """A row for each game and opponent."""
        for game in self.games:
            for opponent in OPPONENTS[game]:
                simulations = self.simulations or SIMULATIONS[game]
                head = {
                    "game": game,
                    "opponent": opponent,
                    "simulations": simulations,
                    "games": None if opponent == BEST_RESPONSE else self.matches,
                    "seed": self.seed,
                    "runs": str(self.runs) if self.runs else None,
                }
                progress.stage(f"{game} against {opponent}", 0)
                store.add(head, partial(self._play, game, opponent, simulations, progress))

    def _play(self, game: str, opponent: str, simulations: int, progress: Progress) -> Row:
        from tacit.agents.named import trained_agent
        from tacit.evaluation.match import play_match
        from tacit.learn.shipped import find_network
        from tacit.learn.trainer import load_network

        preset = f"{game}-sog"
        found = load_network(find_network(self.runs / preset if self.runs else preset))
        builder = found.network.encoding.builder
        agent = trained_agent(found, builder, simulations=simulations)
        if opponent == BEST_RESPONSE:
            seats = [best_response(builder, agent, seat, self.seed) for seat in (0, 1)]
            mean, error = (seats[0] + seats[1]) / 2, 0.0
        else:
            result = play_match(
                builder,
                agent,
                opponent,
                games=self.matches,
                seed=self.seed,
                each=lambda ended: progress.stage(
                    f"{game} against {opponent}", ended / self.matches
                ),
            )
            mean, error, seats = result.mean, result.error, list(result.seats)
        return {
            "score": (1 + mean) / 2,
            "error": error / 2,
            "first": (1 + seats[0]) / 2,
            "second": (1 + seats[1]) / 2,
            "training": found.command,
            "training_seconds": found.seconds,
        }

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """One table."""
        title = "Student of Games on boards: share of points"
        return [table_of(rows, COLUMNS, text_columns=2, title=title)]


@dataclass
class _Node:
    """A public state in the agent's tree; weights: of the children, None where the opponent moves.

    The children are those that the agent, or chance, may choose.
    """

    state: PublicState
    memory: Any
    weights: Sequence[float] | None = None
    children: list[_Node] = field(default_factory=list)

    def value(self, seat: int) -> float:
        """What the agent gets as player `seat`."""
        from tacit.games import TERMINAL

        if self.state.mover == TERMINAL:
            payoff = float(self.state.payoffs[0, 0])
            return payoff if seat == 0 else -payoff
        values = [child.value(seat) for child in self.children]
        if self.weights is None:
            return min(values)
        return sum(w * v for w, v in zip(self.weights, values, strict=True))


def best_response(builder: Builder, agent: Agent, seat: int, seed: int) -> float:
    """What an agent gets as player `seat` against the best response, where nothing is hidden.

    The searches of a level run together.
    """
    import numpy as np

    from tacit.games import CHANCE, TERMINAL

    [memory] = agent.begin([seat], np.random.default_rng(seed))
    root = _Node(builder.root, memory)
    level = [root]
    while level:
        asked = [node for node in level if node.state.mover == seat]
        policies = iter(agent.policies([node.memory for node in asked]))
        below: list[_Node] = []
        for node in level:
            expansion = node.state.expansion
            numbers = list(range(len(expansion.actions)))
            if node.state.mover == CHANCE:
                node.weights = [move.factor for move in expansion.transitions]
            elif node.state.mover == seat:
                policy = next(policies)[:, 0]
                numbers = np.flatnonzero(policy).tolist()
                node.weights = policy[numbers].tolist()
            for number in numbers:
                [after] = agent.after([node.memory], [number])
                node.children.append(_Node(expansion.child(number), after))
            below += node.children
        level = [node for node in below if node.state.mover != TERMINAL]
    return root.value(seat)
