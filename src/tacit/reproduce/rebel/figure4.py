"""ReBeL, Figure 4: the convergence of linear CFR, FLOP and linear fictitious play."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import ClassVar

from tacit.report.experiment import Progress, check_names, option
from tacit.report.table import Row, Table, table
from tacit.reproduce.row_store import Reproduction, RowStore

GAMES = ("liars-dice-1x4", "liars-dice-1x5", "liars-dice-1x6", "liars-dice-2x3")
PAPER: dict[tuple[str, str], float] = {
    (game, algorithm): figure
    for algorithm, figures in {
        "fp": (0.012, 0.024, 0.039, 0.057),
        "cfr": (0.001, 0.001, 0.002, 0.002),
        "rebel-fp": (0.041, 0.020, 0.040, 0.020),
        "rebel-cfr-d": (0.017, 0.015, 0.024, 0.017),
    }.items()
    for game, figure in zip(GAMES, figures, strict=True)
}
"""ReBeL's Table 2: exploitability by game and algorithm, of the whole game after 1,024 iterations,
and of search of depth 2 and 1,024 iterations."""
ALGORITHMS = ("linear-cfr", "flop", "linear-fp")
PAPER_ITERATIONS = 1024


@dataclass(frozen=True, kw_only=True)
class Figure4(Reproduction):
    """ReBeL's Figure 4: linear CFR, FLOP and linear fictitious play on whole games.

    The exploitability after 1, 2, 4, … iterations. The paper draws curves and states no numbers
    but those of its Table 2.

    Columns: game, algorithm, iteration, exploitability, paper (CFR after 1,024 iterations, else
    None), seconds (of this step's iterations and its best responses).
    """

    games: tuple[str, ...] = option(GAMES, "Games, separated by commas.")
    iterations: int = option(PAPER_ITERATIONS, "Iterations of each algorithm.", least=1)

    key = ("game", "algorithm", "iteration")
    quick: ClassVar = {"iterations": 64}

    def __post_init__(self) -> None:
        check_names(self.games, GAMES, "curve in the paper's figure for")

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """A row for each game, algorithm and power of two."""
        for number, game in enumerate(self.games):
            for algorithm in ALGORITHMS:
                progress.stage(f"{game}, {algorithm}", number / len(self.games))
                after = exploitability_after(game, algorithm)
                for iteration in powers_of_two(self.iterations):
                    head = {"game": game, "algorithm": algorithm, "iteration": iteration}
                    stated = (algorithm, iteration) == ("linear-cfr", PAPER_ITERATIONS)
                    head["paper"] = PAPER[game, "cfr"] if stated else None
                    store.add(head, partial(after, iteration))

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """Iterations down, algorithms across."""
        title = "ReBeL, Figure 4: exploitability of whole games"
        made = table("game", "iterations", *ALGORITHMS, title=title)
        for game in self.games:
            own = [row for row in rows if row["game"] == game]
            for cells in convergence_cells(own, "{exploitability:.5f}"):
                made.add_row(game, *cells)
        return [made]

    def plot(self, rows: Sequence[Row], path: Path) -> None:
        """A panel for each game, a curve for each algorithm."""
        from tacit.report.plot import curves, plot_convergence

        games = {game: [row for row in rows if row["game"] == game] for game in self.games}
        plot_convergence({game: curves(own) for game, own in games.items()}, path)


def convergence_cells(rows: Sequence[Row], form: str) -> Iterator[tuple[str, ...]]:
    """Iterations down, algorithms across: an iteration, then `form` of each algorithm's row."""
    for iteration in sorted({row["iteration"] for row in rows}):
        cells = (form.format_map(row) for row in rows if row["iteration"] == iteration)
        yield f"{iteration:,}", *cells


def powers_of_two(last: int) -> list[int]:
    """1, 2, 4, … up to `last`, which ends the list even if it is no power of two."""
    powers = [1 << bit for bit in range(last.bit_length())]
    return powers if powers[-1] == last else [*powers, last]


def exploitability_after(game: str, algorithm: str) -> Callable[[int], Row]:
    """What solves a game up to an iteration, later at each call, and measures it there."""
    from tacit.games import load_game
    from tacit.solvers import Solver, exploitability, find_algorithm
    from tacit.tree import build_tree

    @cache
    def solver() -> Solver:
        return Solver(build_tree(load_game(game)), find_algorithm(algorithm))

    def after(iteration: int) -> Row:
        solver().run(iteration - solver().iteration)
        return {"exploitability": exploitability(solver().tree, solver().average_policy())}

    return after
