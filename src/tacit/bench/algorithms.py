"""The exploitability that each algorithm reaches, or the iterations that a target takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tacit.games import GameError
from tacit.report.experiment import SILENT, Experiment, Progress, option
from tacit.report.table import Row, Table, pick, table

GAMES = (
    "rock-paper-scissors",
    "coin-toss",
    "kuhn",
    "leduc",
    "liars-dice-1x4",
    "liars-dice-1x5",
    "liars-dice-1x6",
    "liars-dice-2x3",
    "pursuit-glasses",
)


@dataclass(frozen=True, kw_only=True)
class Algorithms(Experiment):
    """The exploitability that each algorithm reaches, or the iterations that a target takes.

    Columns: game, algorithm, iterations, exploitability, value, seconds, reached (whether the
    target was met; None without one), history (pairs of iteration and exploitability).
    """

    games: tuple[str, ...] = option(GAMES, "Games, separated by commas.")
    algorithms: tuple[str, ...] = option(
        (), "Algorithms, separated by commas.", shown_default="all"
    )
    target: float | None = option(None, "Stop at this exploitability.")
    iterations: int = option(4096, "Stop after this many iterations.")

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """A row for each game and algorithm."""
        from tacit.games import load_game
        from tacit.solvers import ALGORITHMS, Limits, find_algorithm, solve_tree
        from tacit.tree import build_tree

        limits = Limits(target=self.target, iterations=self.iterations)
        for algorithm in self.algorithms:
            find_algorithm(algorithm)
        rows = []
        for name, game in [(name, load_game(name)) for name in self.games]:
            tree = build_tree(game)
            for algorithm in self.algorithms or ALGORITHMS:
                solution = solve_tree(tree, limits, algorithm=algorithm)
                rows.append(
                    {
                        "game": name,
                        "algorithm": algorithm,
                        **pick(solution, "iterations exploitability value seconds"),
                        "reached": None if self.target is None else not solution.shortfall,
                        "history": [(p.iteration, p.exploitability) for p in solution.history],
                    }
                )
        return rows

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """Algorithms down, games across."""
        if self.target is None:
            title = f"Exploitability after {self.iterations:,} iterations"
        else:
            title = (
                f"Iterations to exploitability {self.target:g}; '-': not within {self.iterations:,}"
            )
        made = table("algorithm", *(name.replace("-", "-\n") for name in self.games), title=title)
        for algorithm in dict.fromkeys(row["algorithm"] for row in rows):
            own = {row["game"]: row for row in rows if row["algorithm"] == algorithm}
            made.add_row(algorithm, *(self._cell(own[game]) for game in self.games))
        return [made]

    def _cell(self, row: Row) -> str:
        if self.target is None:
            return f"{row['exploitability']:.1e}"
        return f"{row['iterations']:,}" if row["reached"] else "-"

    def check_plot(self) -> None:
        """A picture shows one game."""
        if len(self.games) != 1:
            raise GameError("--plot takes one game; name it with --games")

    def plot(self, rows: Sequence[Row], path: Path) -> None:
        """A curve for each algorithm."""
        from tacit.games import load_game
        from tacit.report.plot import plot_convergence

        game = load_game(self.games[0])
        drawn = {row["algorithm"]: row["history"] for row in rows}
        plot_convergence({game.title: drawn}, path, unit=game.unit)
