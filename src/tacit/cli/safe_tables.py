"""`tacit reproduce safe-tables`: every method of subgame solving, over weak blueprints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import as_json
from tacit.reproduce.row_store import KeptRows

if TYPE_CHECKING:
    from tacit.reproduce.safe_tables import Row, Weakness

GAMES = ("leduc", "liars-dice-1x3", "pursuit-glasses")
OFF_TREE = "off-tree"
ROW = ("game", "blueprint", "seed", "iterations")
"""What tells a row from another; `blueprint` is what makes it weak."""


@click.command("safe-tables")
@click.option("--games", metavar="NAMES", help=f"Some of {', '.join(GAMES)}, {OFF_TREE}.")
@click.option("--seeds", type=click.IntRange(min=1), default=32, show_default=True)
@click.option("--iterations", type=click.IntRange(min=1), default=2000, show_default=True)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Keep finished rows in this file, and go on from there if it exists.",
)
@as_json
def safe_tables(
    *, games: str | None, seeds: int, iterations: int, out: Path | None, as_json: bool
) -> None:
    """Safe subgame solving (tables 3 to 5), on small games: exploitability by method.

    For each game weak blueprints of three kinds, so many seeds of each; all subgames a few moves
    below the root are solved again for both players. `off-tree` is Leduc with raises that the
    blueprint does not know: translation against nested solving, by 100 iterations. Each table is
    printed when it is ready; all of them take about twenty minutes on a free core.
    """
    from tacit.cli.counting import counting
    from tacit.games import GameError
    from tacit.report.output import print_json
    from tacit.reproduce.safe_tables import DEPTHS, WEAKNESSES

    chosen = games.split(",") if games else [*GAMES, OFF_TREE]
    if unknown := [name for name in chosen if name not in (*DEPTHS, OFF_TREE)]:
        raise GameError(f"no table for {unknown[0]}; there are: {', '.join(DEPTHS)}, {OFF_TREE}")
    rows = KeptRows(out, ROW)
    for name in chosen:
        jobs = list(_off_tree() if name == OFF_TREE else _blueprints(name, seeds, iterations))
        unit = "answers" if name == OFF_TREE else "blueprints"
        found = []
        with counting(name, len(jobs), unit, visible=not as_json) as each:
            for number, (head, make) in enumerate(jobs):
                each(number)
                found.append(rows.add(head, make))
            each(len(jobs))
        if as_json:
            continue
        if name == OFF_TREE:
            _show_off_tree(found)
        else:
            _show(name, {kind: _of_kind(found, kind) for kind in WEAKNESSES}, iterations)
    if as_json:
        print_json(rows.found)


Job = tuple[dict[str, Any], Callable[[], dict[str, Any]]]
"""What a row begins with, and what makes the rest."""


def _blueprints(game: str, seeds: int, iterations: int) -> Iterator[Job]:
    """One row for each weak blueprint, with what it is worth after every method."""
    from tacit.games import load_game
    from tacit.reproduce.safe_tables import WEAKNESSES, blueprint_worths
    from tacit.subgame.methods import SolveBudget
    from tacit.tree import build_tree

    tree = build_tree(load_game(game))
    budget = SolveBudget(iterations=iterations, double=True)

    def job(kind: Weakness, seed: int) -> Job:
        head = {"game": game, "blueprint": kind, "seed": seed, "iterations": iterations}
        return head, lambda: {"exploitability": blueprint_worths(tree, kind, seed, budget=budget)}

    for kind in WEAKNESSES:
        for seed in range(seeds):
            yield job(kind, seed)


def _off_tree() -> Iterator[Job]:
    """One row for each answer to unknown raises."""
    from tacit.reproduce.safe_tables import OFF_TREE_GAME, OFF_TREE_ITERATIONS, off_tree_answers

    def job(answer: str, measure: Callable[[], float]) -> Job:
        head = {
            "game": OFF_TREE_GAME, "blueprint": answer, "seed": 0,
            "iterations": OFF_TREE_ITERATIONS,
        }  # fmt: skip
        return head, lambda: {"exploitability": measure()}

    for answer, measure in off_tree_answers().items():
        yield job(answer, measure)


def _of_kind(rows: list[dict[str, Any]], kind: str) -> list[Row]:
    from tacit.reproduce.safe_tables import summary

    return summary([row["exploitability"] for row in rows if row["blueprint"] == kind])


def _show(game: str, kinds: dict[Weakness, list[Row]], iterations: int) -> None:
    """Means by what makes blueprints weak; over all of them, the most that one rose by."""
    from tacit.report.output import console, print_table, table
    from tacit.reproduce.safe_tables import SOLVER_ERROR

    shown = table("method", *kinds, "worst rise", "raised", text_columns=1)
    for lines in zip(*kinds.values(), strict=True):
        shown.add_row(
            lines[0].method,
            *(f"{row.exploitability:.4f}" for row in lines),
            f"{max(row.worst_rise for row in lines):+.4f}",
            f"{sum(row.raised for row in lines)}",
        )
    seeds = next(iter(kinds.values()))[0].blueprints
    count = seeds * len(kinds)
    print_table(
        console(),
        shown,
        title=f"{game}: exploitability by what makes the blueprint weak, {seeds} seeds each",
        note=f"{iterations:,} iterations of predictive CFR+ for each subgame. Raised: of {count} "
        f"blueprints those more exploitable than before by over {SOLVER_ERROR:g}.",
    )


def _show_off_tree(rows: list[dict[str, Any]]) -> None:
    from tacit.report.output import console, print_table, table
    from tacit.reproduce.safe_tables import OFF_TREE_GAME, OFF_TREE_KNOWN

    shown = table("answer", "exploitability")
    for row in rows:
        shown.add_row(row["blueprint"], f"{row['exploitability']:.4f}")
    known = " and ".join(map(str, OFF_TREE_KNOWN))
    title = f"{OFF_TREE_GAME}: exploitability, the blueprint knows raises of {known} units"
    print_table(console(), shown, title=title)
