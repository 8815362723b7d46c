"""Student of Games, Table 1: board games against other engines, and the best response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tacit.games import GameError
from tacit.report.experiment import Progress, check_names, option
from tacit.report.table import Row, Table, table_of
from tacit.reproduce.row_store import Reproduction, RowStore

if TYPE_CHECKING:
    from tacit.agents.agent import Agent
    from tacit.learn.trainer import TrainedNetwork
    from tacit.tree import Builder, PublicState

BEST_RESPONSE = "best response"
OPPONENTS = {
    "tic-tac-toe": (BEST_RESPONSE, "mcts:1000"),
    "connect-four": ("mcts:1000",),
    "go-5x5": ("gnugo:10",),
    "go-7x7": ("gnugo:10",),
}
"""By game, who plays against the network: agents by name, or the exact best response."""
LADDER = "ladder"
"""The opponent of rows with a rating: all matches of the ladder."""
LADDERS = ("go-5x5", "go-7x7")
"""The games with a ladder, as in Figure 4."""
OPENING = 2
"""Random moves at the start of the ladder's games."""
SEARCHES = {"sog": "Student of Games", "puct": "AlphaZero-style MCTS"}
SIMULATIONS = {"tic-tac-toe": 100, "connect-four": 200, "go-5x5": 200, "go-7x7": 200}
COLUMNS = {
    "game": "{game}",
    "search": "{search}",
    "opponent": "{opponent}",
    "simulations": "{simulations}",
    "games": "{games}",
    "score": "{score:.3f}",
    "±": "{error:.3f}",
    "as player 1": "{first:.3f}",
    "as player 2": "{second:.3f}",
    "Elo": "{elo:.0f}",
}


@dataclass(frozen=True, kw_only=True)
class SogBoards(Reproduction):
    """Student of Games on boards: the share of points that search with a network wins, and Elo.

    A win is one point and a draw half a point. Each opponent is played in both seats. In
    tic-tac-toe the best response to the agent is computed exactly: 0.5 is a draw against perfect
    play. The networks are those that come with tacit, or those of the runs RUNS/GAME-sog. Unless
    games are named, those without a network are left out, and a line says so.

    In Go there is also a ladder (Figure 4): GT-CFR and our MCTS with the same network play against
    themselves with half the simulations and against each other with as many, from random openings
    of two moves. The ratings are the most likely ones, sog with the fewest simulations at 0.

    Columns: game, search (sog or puct), opponent (an agent; `ladder` for a rating), simulations,
    games (None for the best response), seed, runs, score, error (standard), first and second (score
    as player 1 and 2), elo, checkpoint (epochs of training), training (the command),
    training_seconds, seconds.
    """

    games: tuple[str, ...] = option(
        (), "Games, separated by commas.", shown_default="those with a network"
    )
    matches: int = option(100, "Games against each opponent.", least=2)
    simulations: int | None = option(
        None, "Of each search.", least=1, shown_default="100 in tic-tac-toe, else 200"
    )
    ladder: tuple[str, ...] = option(
        ("25", "50", "100", "200", "400", "800"), "Simulations of the ladder's players."
    )
    ladder_games: int = option(20, "Games of each match of the ladder.", least=2)
    runs: Path | None = option(None, "Search with the networks trained in this folder.")
    seed: int = option(0, "Seed of the games.", least=0)

    key = ("game", "search", "opponent", "simulations", "games", "checkpoint", "seed", "runs")
    quick: ClassVar = {"matches": 10, "simulations": 25, "ladder": ("5", "10"), "ladder_games": 4}

    def __post_init__(self) -> None:
        check_names(self.games, OPPONENTS, "opponents for")
        for text in self.ladder:
            if text and not (text.isdecimal() and int(text) > 0):
                raise GameError(f"simulations are positive whole numbers, not {text!r}")

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """A row for each game and opponent; then the ladder."""
        for game in self.games or self._trained(progress):
            for opponent in OPPONENTS[game]:
                simulations = self.simulations or SIMULATIONS[game]
                games = None if opponent == BEST_RESPONSE else self.matches
                progress.stage(f"{game} against {opponent}", 0)
                store.add(
                    self._head(game, "sog", opponent, simulations, games),
                    partial(self._play, game, "sog", opponent, simulations, progress),
                )
            if game in LADDERS:
                self._climb(game, store, progress)

    def _trained(self, progress: Progress) -> list[str]:
        """The games with a network; the others are reported."""
        from tacit.learn.shipped import shipped

        if self.runs is None:
            found = [game for game in OPPONENTS if f"{game}-sog" in shipped()]
        else:
            found = [g for g in OPPONENTS if (self.runs / f"{g}-sog" / "network.pt").is_file()]
            if not found:
                raise GameError(f"{self.runs} holds no run of a board game, such as go-5x5-sog")
        for game in OPPONENTS:
            if game not in found:
                progress.warn(f"{game} has no network and is left out: tacit train {game}-sog")
        return found

    def _head(
        self, game: str, search: str, opponent: str, simulations: int, games: int | None
    ) -> Row:
        return {
            "game": game,
            "search": search,
            "opponent": opponent,
            "simulations": simulations,
            "games": games,
            "checkpoint": self._network(game).epoch,
            "seed": self.seed,
            "runs": str(self.runs) if self.runs else None,
        }

    def _network(self, game: str) -> TrainedNetwork:
        from tacit.learn.trainer import load_network

        return load_network(self._path(game))

    def _path(self, game: str) -> Path:
        from tacit.learn.shipped import find_network

        preset = f"{game}-sog"
        return find_network(self.runs / preset if self.runs else preset)

    def _climb(self, game: str, store: RowStore, progress: Progress) -> None:
        """The matches of a game's ladder, and a row with the rating of each player."""
        from tacit.evaluation.ratings import elo_ratings

        steps = [int(text) for text in self.ladder if text]
        pairs = [
            *((search, above, f"{search}:{below}") for search in SEARCHES
              for below, above in pairwise(steps)),
            *(("sog", number, f"puct:{number}") for number in steps),
        ]  # fmt: skip
        results: dict[tuple[str, str], tuple[float, float]] = {}
        for search, simulations, opponent in pairs:
            progress.stage(f"{game}: {search}:{simulations} against {opponent}", 0)
            row = store.add(
                self._head(game, search, opponent, simulations, self.ladder_games),
                partial(self._play, game, search, opponent, simulations, progress),
            )
            points = row["score"] * row["games"]
            results[f"{search}:{simulations}", opponent] = points, row["games"]
        if not results:
            return
        ratings = elo_ratings(results, anchor=f"sog:{steps[0]}")
        for search in SEARCHES:
            for simulations in steps:
                rating = ratings[f"{search}:{simulations}"]
                head = self._head(game, search, LADDER, simulations, self.ladder_games)
                store.add(head, partial(_rating, rating))

    def _play(
        self, game: str, search: str, opponent: str, simulations: int, progress: Progress
    ) -> Row:
        from tacit.agents.named import find_agent, trained_agent
        from tacit.evaluation.match import play_match

        path, found = self._path(game), self._network(game)
        builder = found.network.encoding.builder
        agent: Agent = trained_agent(found, builder, simulations=simulations)
        if opponent == BEST_RESPONSE:
            seats = [best_response(builder, agent, seat, self.seed) for seat in (0, 1)]
            mean, error = (seats[0] + seats[1]) / 2, 0.0
        else:
            climbs = opponent.startswith(tuple(f"{name}:" for name in SEARCHES))
            if search != "sog":
                agent = find_agent(f"{search}:{simulations}@{path}", builder)
            games = self.ladder_games if climbs else self.matches
            result = play_match(
                builder,
                agent,
                f"{opponent}@{path}" if climbs else opponent,
                games=games,
                seed=self.seed,
                opening=OPENING if climbs else 0,
                each=lambda ended: progress.stage(f"{game} against {opponent}", ended / games),
            )
            mean, error, seats = result.mean, result.error, list(result.seats)
        return {
            "score": (1 + mean) / 2,
            "error": error / 2,
            "first": (1 + seats[0]) / 2,
            "second": (1 + seats[1]) / 2,
            "elo": None,
            "training": found.command,
            "training_seconds": found.seconds,
        }

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """One table."""
        title = "Student of Games on boards: share of points, and Elo"
        return [table_of(rows, COLUMNS, text_columns=3, title=title)]

    def plot(self, rows: Sequence[Row], path: Path) -> None:
        """Figure 4: Elo over simulations, a curve for each game and search."""
        from tacit.report.plot import picture, save

        figure, axes = picture()
        rated = [row for row in rows if row["opponent"] == LADDER]
        for game, search in sorted({(row["game"], row["search"]) for row in rated}):
            own = [row for row in rated if (row["game"], row["search"]) == (game, search)]
            axes.plot(
                [row["simulations"] for row in own],
                [row["elo"] for row in own],
                marker="o",
                linewidth=1.6,
                label=f"{game}, {SEARCHES[search]}",
            )
        axes.set(xscale="log", xlabel="simulations", ylabel="Elo")
        if rated:
            axes.legend(frameon=False)
        save(figure, path)


def _rating(elo: float) -> Row:
    names = "score", "error", "first", "second", "training", "training_seconds"
    nothing = dict.fromkeys(names)
    return {**nothing, "elo": elo}


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
