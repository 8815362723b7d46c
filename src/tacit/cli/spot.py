"""`tacit spot`: solve a spot of hold'em, show every hand's policy, and walk through the tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import as_json, exit_if_interrupted, memory, saved_lines

if TYPE_CHECKING:
    from tacit.cli.progress import SolveProgress
    from tacit.formats.spot_file import SpotFile
    from tacit.games.holdem.spot import Spot
    from tacit.solvers.anytime import Checkpoint
    from tacit.solvers.spot import SpotLimits, SpotSolution


@click.command()
@click.argument("name", required=False, metavar="[NAME|FILE.toml]")
@click.option("--list", "list_examples", is_flag=True, help="List the spots that come with tacit.")
@click.option("--board", "-b", metavar="CARDS", help="3, 4 or 5 cards: 3s7hTdKs.")
@click.option("--oop", metavar="RANGE", help="Who acts first: 22+,A2s+,KTo+.  [default: random]")
@click.option("--ip", metavar="RANGE", help="Who acts last.  [default: random]")
@click.option("--pot", type=int, metavar="CHIPS", help="The chips in the middle.")
@click.option("--stacks", metavar="CHIPS", help="The chips behind: 19000, or 19000,15000.")
@click.option("--big-blind", type=int, metavar="CHIPS", help="The smallest bet.  [default: 100]")
@click.option(
    "--bets",
    multiple=True,
    metavar="SIZES",
    help="bets/raises: 50%,a/3x,a for all streets, or turn=50%/3x, once for each street.",
)
@click.option("--add-all-in", type=float, metavar="X", help="Add an all-in of at most X pots.")
@click.option("--force-all-in", type=float, metavar="X", help="All in if X pots would be left.")
@click.option("--merge", type=float, metavar="X", help="Join bets of nearly the same size.")
@click.option("--add", multiple=True, metavar="PATH:TOTAL", help="Add a raise: k:2500.")
@click.option(
    "--lock", multiple=True, metavar="PATH:POLICY", help="Fix a policy: 'k: k=0.7 r3000=0.3'."
)
@click.option("--algorithm", "-a", metavar="NAME", help="As of `tacit solve`.  [default: dcfr]")
@click.option(
    "--target", "-t", metavar="SIZE", help="Stop at 0.5% of the pot, or at 20mbb.  [default: 0.5%]"
)
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="Stop after this time.")
@click.option("--iterations", "-n", type=int, help="Stop after this many iterations.")
@click.option("--threads", type=click.IntRange(min=1), help="[default: all cores]")
@click.option(
    "--storage",
    type=click.Choice(["32", "16"]),
    help="Bits of a regret or policy sum; 16 takes about half the memory.  [default: 32]",
)
@click.option("--no-isomorphism", is_flag=True, help="Do not merge suits that are equivalent.")
@memory
@click.option("--at", metavar="PATH", default="", help="The node to show: 'k r3000 c 2h'.")
@click.option("--hands", is_flag=True, help="With --json: every hand, not only classes.")
@click.option("--out", "-o", type=click.Path(path_type=Path), help="Save the solution here.")
@click.option("--small", is_flag=True, help="With --out: leave out rivers.")
@click.option("--resumable", is_flag=True, help="With --out: keep what --resume needs.")
@click.option("--resume", type=click.Path(path_type=Path), help="Resume a solve from such a file.")
@click.option("--load", type=click.Path(path_type=Path), help="Show a saved solution.")
@click.option("--plot", type=click.Path(path_type=Path), help="Save a picture of the grid (PNG).")
@click.option("--no-walk", is_flag=True, help="Show the result without a prompt.")
@as_json
def spot(
    name: str | None,
    *,
    list_examples: bool,
    algorithm: str | None,
    target: str | None,
    seconds: float | None,
    iterations: int | None,
    threads: int | None,
    storage: str | None,
    no_isomorphism: bool,
    memory: int,
    at: str,
    hands: bool,
    out: Path | None,
    small: bool,
    resumable: bool,
    resume: Path | None,
    load: Path | None,
    plot: Path | None,
    no_walk: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Solve a spot of heads-up hold'em until the first of --target, --time and --iterations.

    The spot comes from flags, from a TOML file, or from an example (see --list); flags override
    the file. Afterwards a prompt walks through the tree: type an action, cards, a hand (AhKd, AKs),
    back, top or quit.
    """
    from tacit.cli.spot_options import spot_limits, spot_settings
    from tacit.files import check_writable
    from tacit.games.holdem.cards import format_cards
    from tacit.report.output import console, print_json, print_report
    from tacit.report.spot import (
        node_json,
        node_report,
        plot_node,
        solution_json,
        solution_line,
        spot_json,
    )

    if list_examples:
        _list()
        return
    for path in (out, plot):
        if path is not None:
            check_writable(path)
    if resumable and (out is None or small):
        raise click.UsageError("--resumable needs --out, and a solution with its rivers")
    if load is not None:
        _refuse_spot(
            LOAD_ONLY, name, given, target, seconds, iterations, algorithm, storage, resume
        )
        from tacit.formats.spot_solution import load_spot_solution

        solution = load_spot_solution(load, max_bytes=memory)
        limits = None
    elif resume is not None:
        _refuse_spot(RESUME_ONLY, name, given, algorithm, storage)
        stops = {"target": target, "time": seconds, "iterations": iterations}
        limits = spot_limits({key: flag for key, flag in stops.items() if flag is not None})
        solution = _resume(resume, limits, threads, memory=memory, quiet=as_json)
        if out is None or small:
            solution = replace(solution, memory={})
    else:
        settings = spot_settings(name, given)
        chosen = {**settings.solve}
        flags = (
            ("algorithm", algorithm),
            ("target", target),
            ("time", seconds),
            ("iterations", iterations),
            ("threads", threads),
            ("storage", None if storage is None else int(storage)),
        )
        if any(flag is not None for flag in (target, seconds, iterations)):
            # Limits on the command line replace all limits of the file.
            chosen = {k: v for k, v in chosen.items() if k in ("algorithm", "storage", "threads")}
        chosen |= {key: flag for key, flag in flags if flag is not None}
        limits = spot_limits(chosen)
        solution = _solve(
            settings,
            limits,
            chosen,
            isomorphism=not no_isomorphism,
            resumable=resumable,
            memory=memory,
            quiet=as_json,
        )
    view = solution.view(at)
    if out is not None:
        from tacit.formats.spot_solution import save_spot_solution

        save_spot_solution(solution, out, small=small)
    if plot is not None:
        title = f"{solution.spot.name}\n{format_cards(view.board)} {' '.join(view.target.moves)}"
        plot_node(view, plot, title=title.strip())
    if as_json:
        print_json(
            {
                "spot": spot_json(solution.spot),
                "solution": solution_json(solution),
                "out": str(out) if out else None,
                "plot": str(plot) if plot else None,
                **node_json(view, hands=hands),
            }
        )
    else:
        screen = console()
        print_report(screen, [solution_line(solution), *node_report(view)])
        print_report(screen, saved_lines(solution=out, picture=plot))
        if not no_walk:
            from tacit.cli.walk import follow
            from tacit.report.spot_walk import SpotWalk

            follow(screen, SpotWalk(solution, view))
    if limits is not None:
        _end(solution, limits, out)


def _list() -> None:
    from tacit.formats.spot_file import example_names, load_spot_file
    from tacit.report.output import console, print_table
    from tacit.report.table import table

    shown = table("name", "spot", "board", "pot", "stacks", text_columns=3)
    for name in example_names():
        example = load_spot_file(name)
        assert example.stacks is not None
        shown.add_row(
            name, example.title, example.board, f"{example.pot:,}", f"{example.stacks[0]:,}"
        )
    print_table(console(), shown)


LOAD_ONLY = "--load shows a solution as it was saved; leave out the spot and how to solve it"
RESUME_ONLY = "--resume continues as the file began: leave out the spot, --algorithm and --storage"


def _refuse_spot(message: str, name: str | None, given: Mapping[str, Any], *others: Any) -> None:
    """A usage error if the command line describes a spot or how to solve it."""
    if name or any(value not in (None, ()) for value in (*given.values(), *others)):
        raise click.UsageError(message)


def _solve(
    settings: SpotFile,
    limits: SpotLimits,
    chosen: Mapping[str, Any],
    *,
    isomorphism: bool,
    resumable: bool,
    memory: int,
    quiet: bool,
) -> SpotSolution:
    import numpy as np

    from tacit.cli.progress import BuildProgress
    from tacit.formats.spot_locks import lock_policy
    from tacit.solvers import find_algorithm
    from tacit.solvers.kernel_warm_up import prepare
    from tacit.solvers.spot import DEFAULT_ALGORITHM, solve_spot
    from tacit.tree.cards.builder import build_spot

    algorithm = chosen.get("algorithm", DEFAULT_ALGORITHM)
    find_algorithm(algorithm)
    found = settings.spot()
    progress = _progress(found, limits, quiet=quiet)
    storage = chosen.get("storage", 32)
    if not quiet:
        _print_size(found, isomorphism=isomorphism, storage=storage, memory=memory)
    prepare(np.float32, equity=True)
    with BuildProgress(visible=not quiet) as building:
        tree = build_spot(
            found,
            isomorphism=isomorphism,
            storage=storage,
            max_bytes=memory,
            progress=building.on_share,
        )
    locks = {path: lock_policy(tree, path, lock) for path, lock in settings.locks.items()}
    with progress:
        return solve_spot(
            found,
            limits,
            algorithm=algorithm,
            threads=chosen.get("threads"),
            locks=locks,
            storage=storage,
            resumable=resumable,
            tree=tree,
            on_checkpoint=progress.on_checkpoint,
            on_chunk=progress.on_chunk,
        )


def _resume(
    path: Path, limits: SpotLimits, threads: int | None, *, memory: int, quiet: bool
) -> SpotSolution:
    from tacit.archive import ArchiveError
    from tacit.formats.spot_solution import load_spot_solution
    from tacit.games import GameError
    from tacit.solvers.spot import resume_spot

    earlier = load_spot_solution(path, max_bytes=memory)
    with _progress(earlier.spot, limits, quiet=quiet) as progress:
        try:
            return resume_spot(
                earlier,
                limits,
                threads=threads,
                on_checkpoint=progress.on_checkpoint,
                on_chunk=progress.on_chunk,
            )
        except GameError as error:
            raise ArchiveError(f"{path}: {error}") from None


def _progress(found: Spot, limits: SpotLimits, *, quiet: bool) -> SolveProgress:
    from tacit.cli.progress import SolveProgress

    def state(point: Checkpoint) -> str:
        percent = 100 * point.exploitability / found.pot
        mbb = 1000 * point.exploitability / found.rules.big_blind
        return f"exploitability {percent:.3g} % of the pot ({mbb:.3g} mbb/h)"

    return SolveProgress(limits.limits(found), "solving", visible=not quiet, describe=state)


def _print_size(found: Spot, *, isomorphism: bool, storage: int, memory: int) -> None:
    from tacit.tree import readable_bytes
    from tacit.tree.cards.size import spot_size

    size = spot_size(found, isomorphism=isomorphism, storage=storage, max_bytes=memory)
    size.check(memory, found.name)
    click.echo(
        f"about {size.public_states:,} public states, {size.slots:,} slots; solving takes about "
        f"{readable_bytes(size.bytes)} of memory",
        err=True,
    )


def _end(solution: SpotSolution, limits: SpotLimits, out: Path | None) -> None:
    """Exit as `tacit solve` does where the solve was interrupted or missed its target."""
    from tacit.games import GameError

    exit_if_interrupted(solution, out, resumable=bool(solution.memory))
    asked = limits.limits(solution.spot).target
    if asked is not None and solution.exploitability > asked:
        raise GameError(
            f"the target {100 * asked / solution.spot.pot:.3g} % of the pot is not met: "
            f"{solution.percent_of_pot:.3g} % after {solution.iterations:,} iterations"
        )
