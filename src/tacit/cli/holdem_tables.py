"""`tacit reproduce holdem-tables` and `holdem-off-tree`: safe subgame solving in hold'em."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import as_json, memory

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from tacit.reproduce.deal_tables import TableColumn

GAMES = ("flop-holdem", "turn-holdem")
TABLES = {"flop-holdem": "Table 3", "turn-holdem": "Table 5"}


@click.command("holdem-tables")
@click.option("--game", type=click.Choice(GAMES), default=GAMES[0], show_default=True)
@click.option("--buckets", type=click.IntRange(min=1), default=200, show_default=True)
@click.option("--stack", type=click.IntRange(min=200), default=1_000, show_default=True)
@click.option("--bets", nargs=2, default=("200%", "100%"), show_default=True, help="By street.")
@click.option("--flop", default="Kh7h2d", show_default=True, help="Where turn-holdem starts.")
@click.option("--blueprint-iterations", type=click.IntRange(min=1), default=200, show_default=True)
@click.option("--iterations", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--boards", type=click.IntRange(min=1), help="Solve only so many boards again.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the run is kept.  [default: the cache folder]",
)
@memory
@as_json
def holdem_tables(
    *,
    game: str,
    buckets: int,
    stack: int,
    bets: tuple[str, str],
    flop: str,
    blueprint_iterations: int,
    iterations: int,
    boards: int | None,
    seed: int,
    folder: Path | None,
    memory: int,
    as_json: bool,
) -> None:
    """Safe subgame solving (Tables 3 and 5) in flop and turn hold'em, beside the paper's figures.

    A blueprint in card buckets; all subgames behind the deal solved again by every method, and the
    exact exploitability without buckets. Takes about ten minutes on a free core; a run that is
    stopped goes on where it was when it is started again.
    """
    from tacit.report.output import print_json
    from tacit.reproduce.deal_tables import TableSettings, table_column

    settings = TableSettings(
        game="flop-holdem" if game == "flop-holdem" else "turn-holdem",
        buckets=buckets,
        stack=stack,
        bets=bets,
        flop=flop,
        blueprint_iterations=blueprint_iterations,
        iterations=iterations,
        seed=seed,
    )
    with StageBar(game, visible=not as_json) as bar:
        column = table_column(
            settings,
            folder=folder,
            most_boards=boards,
            on_stage=bar.on_stage,
            report=lambda line: click.echo(f"tacit: {line}", err=True),
            max_bytes=memory,
        )
    if as_json:
        print_json(column.to_json())
        return
    show_column(column)


def show_column(column: TableColumn) -> None:
    """The column as a table, the paper's beside it, and what differs below."""
    from tacit.report.output import console, print_table, table

    settings = column.settings
    shown = table("method", "here", "of the blueprint", "paper", "of its blueprint")
    first = column.rows[0]
    for row in column.rows:
        cells = [f"{row.exploitability_mbb:,.2f}", _share(row, first, "exploitability_mbb")]
        if row.paper_mbb is not None:
            cells += [f"{row.paper_mbb:,.2f}", _share(row, first, "paper_mbb")]
        shown.add_row(row.method, *cells)
    title = (
        f"{settings.spot().name}, {settings.buckets:,} buckets: exploitability in mbb/h "
        f"({column.solved:,} of {column.boards:,} boards solved again), and "
        f"{TABLES[settings.game]} of the paper"
    )
    print_table(console(), shown, title=title, note="\n".join(settings.differences()))


def _share(row: Any, first: Any, name: str) -> str:
    return f"{100 * getattr(row, name) / getattr(first, name):.0f} %"


class StageBar:
    """A bar on standard error for work in several stages, each with an estimate of what is left."""

    def __init__(self, name: str, *, visible: bool) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        from tacit.report.output import console

        self.progress = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.percentage:.0f} %"),
            TimeRemainingColumn(),
            console=console(err=True),
            disable=not visible,
        )
        self.name = name
        self.stage = ""
        self.task = self.progress.add_task(name, total=1.0)

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.progress.stop()

    def on_stage(self, stage: str, share: float) -> None:
        """Move on, from a new start if it is a new stage."""
        if stage != self.stage:
            self.progress.reset(self.task, description=f"{self.name}: {stage}", total=1.0)
            self.stage = stage
        self.progress.update(self.task, completed=share)


@click.command("holdem-off-tree")
@click.option("--iterations", type=click.IntRange(min=1), default=300, show_default=True)
@click.option(
    "--blueprint-iterations", type=click.IntRange(min=1), default=1_000, show_default=True
)
@as_json
def holdem_off_tree(*, iterations: int, blueprint_iterations: int, as_json: bool) -> None:
    """Bets that a blueprint of a turn spot does not know: translation against nested solving."""
    from dataclasses import asdict

    from tacit.cli.counting import counting
    from tacit.report.output import console, print_json, print_table, table
    from tacit.reproduce.holdem_off_tree import (
        ANSWERS,
        BETS,
        UNKNOWN,
        OffTreeRow,
        off_tree_rows,
        turn_spot,
    )
    from tacit.subgame.methods import SolveBudget

    spot = turn_spot()
    found: list[OffTreeRow] = []
    with counting("off-tree", ANSWERS, "answers", visible=not as_json) as each:

        def tell(row: OffTreeRow) -> None:
            found.append(row)
            each(len(found))

        rows = off_tree_rows(
            spot,
            blueprint_iterations=blueprint_iterations,
            budget=SolveBudget(algorithm="dcfr", iterations=iterations),
            on_row=tell,
        )
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    shown = table("answer", "exploitability")
    for row in rows:
        shown.add_row(row.answer, f"{row.exploitability_mbb:,.2f}")
    missing = ", ".join(f"{100 * size:g}%" for size in UNKNOWN)
    print_table(
        console(),
        shown,
        title=f"{spot.name}, bets/raises {BETS}: exploitability in mbb/h",
        note=f"The blueprint does not have bets of {missing}; pot {spot.pot:,}, the hand ends "
        "with this street's betting.",
    )
