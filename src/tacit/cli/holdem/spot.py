"""`tacit spot`: solve a spot of hold'em, show every hand's policy, and walk through the tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.holdem.spot_options import LIMITS, SPOT, SpotOptions
from tacit.cli.options import exit_if_interrupted, parameters_of, saved_lines

if TYPE_CHECKING:
    from tacit.cli.progress import SolveProgress
    from tacit.games.holdem.spot import Spot
    from tacit.learn.rl_cfr.chooser import SizeChoice
    from tacit.solvers.anytime import Checkpoint
    from tacit.solvers.spot import SpotLimits, SpotSolution
    from tacit.tree import PublicTree

LOAD_ONLY = "--load shows a solution as it was saved; leave out the spot and how to solve it"
RESUME_ONLY = "--resume continues as the file began: leave out the spot, --algorithm and --storage"


def _run(**flags: Any) -> None:
    from tacit.files import check_writable
    from tacit.formats.spot_solution import load_spot_solution, save_spot_solution
    from tacit.games import GameError
    from tacit.games.holdem.cards import format_cards
    from tacit.report.holdem import spot as report
    from tacit.report.holdem.sizes import choice_json, choice_report
    from tacit.report.output import console, print_json, print_report

    options = SpotOptions(**flags)
    out, plot = options.out, options.plot
    if options.examples:
        _list()
        return
    check_writable(out, plot)
    if options.resumable and (out is None or options.small):
        raise click.UsageError("--resumable needs --out, and a solution with its rivers")
    limits, choice = None, None
    if options.load is not None:
        options.refuse((*SPOT, *LIMITS, "algorithm", "storage", "resume"), LOAD_ONLY)
        solution = load_spot_solution(options.load, max_bytes=options.memory)
        _check_node(solution.tree, options)
    elif options.resume is not None:
        options.refuse((*SPOT, "algorithm", "storage"), RESUME_ONLY)
        limits = _limits(options.solve_settings({}))
        solution = _resume(options, limits)
        if out is None or options.small:
            solution = replace(solution, memory={})
    else:
        solution, limits, choice = _solve(options)
    if out is not None:
        save_spot_solution(solution, out, small=options.small)
    view = solution.view(options.at)
    if plot is not None:
        title = f"{solution.spot.name}\n{format_cards(view.board)} {' '.join(view.target.moves)}"
        report.plot_node(view, plot, title=title.strip())
    if options.as_json:
        print_json(
            {
                "spot": report.spot_json(solution.spot),
                "solution": report.solution_json(solution),
                **({} if choice is None else {"sizes": choice_json(choice, solution.spot)}),
                "out": str(out) if out else None,
                "plot": str(plot) if plot else None,
                **report.node_json(view, hands=options.hands),
            }
        )
    else:
        screen = console()
        chosen = [] if choice is None else choice_report(choice, solution.spot)
        print_report(screen, [*chosen, report.solution_line(solution), *report.node_report(view)])
        print_report(screen, saved_lines(solution=out, picture=plot))
        if not options.no_walk:
            from tacit.cli.show import follow
            from tacit.report.holdem.spot_walk import SpotWalk

            follow(screen, SpotWalk(solution, view))
    if limits is None:
        return
    exit_if_interrupted(solution, out, resumable=bool(solution.memory))
    asked = limits.limits(solution.spot).target
    if asked is not None and solution.exploitability > asked:
        raise GameError(
            f"the target {100 * asked / solution.spot.pot:.3g} % of the pot is not met: "
            f"{solution.percent_of_pot:.3g} % after {solution.iterations:,} iterations"
        )


spot = click.Command(
    "spot", params=parameters_of(SpotOptions), callback=_run, help=SpotOptions.__doc__
)


def _list() -> None:
    from tacit.formats.spot_file import example_names, load_spot_file
    from tacit.report.output import console, print_report
    from tacit.report.table import table

    shown = table("name", "spot", "board", "pot", "stacks", text_columns=3)
    for name in example_names():
        example = load_spot_file(name)
        assert example.stacks is not None
        chips = f"{example.pot:,}", f"{example.stacks[0]:,}"
        shown.add_row(name, example.title, example.board, *chips)
    print_report(console(), [shown])


def _limits(chosen: Mapping[str, Any]) -> SpotLimits:
    """When to stop."""
    from tacit.formats.spot_file import parse_target
    from tacit.solvers.spot import SpotLimits

    percent, mbb = parse_target(chosen["target"]) if "target" in chosen else (None, None)
    stops = {"seconds": chosen.get("time"), "iterations": chosen.get("iterations")}
    return SpotLimits(percent=percent, mbb=mbb, **stops)


def _solve(options: SpotOptions) -> tuple[SpotSolution, SpotLimits, SizeChoice | None]:
    """The solution, its limits, and the sizes that were chosen for it."""
    import numpy as np

    from tacit.cli.progress import BuildProgress, sharing
    from tacit.formats.spot_locks import lock_policy
    from tacit.solvers import find_algorithm
    from tacit.solvers.kernel_warm_up import cores, prepare
    from tacit.solvers.spot import DEFAULT_ALGORITHM, solve_spot
    from tacit.tree import readable_bytes
    from tacit.tree.cards.builder import build_spot
    from tacit.tree.cards.size import spot_size

    file = options.spot_file()
    chosen = options.solve_settings(file.solve)
    limits = _limits(chosen)
    algorithm = chosen.get("algorithm", DEFAULT_ALGORITHM)
    find_algorithm(algorithm)
    choice = None
    if file.chooses:
        with sharing("choosing bet sizes", visible=not options.as_json) as on_share:
            choice = file.choice(options.actor, on_share=on_share)
    found = file.spot(choice)
    progress = _progress(found, limits, visible=not options.as_json)
    storage, threads = int(chosen.get("storage", 32)), chosen.get("threads") or cores()
    size: Any = {
        "isomorphism": not options.no_isomorphism, "storage": storage, "threads": threads,
        "max_bytes": options.memory,
    }  # fmt: skip
    if not options.as_json:
        expected = spot_size(found, **size)
        expected.check(options.memory, found.name)
        click.echo(
            f"about {expected.public_states:,} public states, {expected.slots:,} slots; solving "
            f"takes about {readable_bytes(expected.bytes)} of memory",
            err=True,
        )
    prepare(np.float32, equity=True)
    with BuildProgress(visible=not options.as_json) as building:
        tree = build_spot(found, **size, progress=building.on_share)
    _check_node(tree, options)
    with progress:
        solution = solve_spot(
            found,
            limits,
            algorithm=algorithm,
            threads=threads,
            locks={path: lock_policy(tree, path, lock) for path, lock in file.locks.items()},
            storage=storage,
            resumable=options.resumable,
            tree=tree,
            **progress.hooks,
        )
    return solution, limits, choice


def _resume(options: SpotOptions, limits: SpotLimits) -> SpotSolution:
    from tacit.archive import ArchiveError
    from tacit.formats.spot_solution import load_spot_solution
    from tacit.games import GameError
    from tacit.solvers.spot import resume_spot

    assert options.resume is not None
    earlier = load_spot_solution(options.resume, max_bytes=options.memory)
    _check_node(earlier.tree, options)
    with _progress(earlier.spot, limits, visible=not options.as_json) as progress:
        try:
            return resume_spot(earlier, limits, threads=options.threads, **progress.hooks)
        except GameError as error:
            raise ArchiveError(f"{options.resume}: {error}") from None


def _check_node(tree: PublicTree, options: SpotOptions) -> None:
    """Refuse a node that cannot be shown or drawn, before the solve."""
    from tacit.games import CHANCE, GameError
    from tacit.solvers.spot import find

    place = find(tree, options.at)
    if options.plot is not None and tree.state(place.node).mover >= CHANCE:
        raise GameError("no player moves here, so there is no grid to draw")


def _progress(found: Spot, limits: SpotLimits, *, visible: bool) -> SolveProgress:
    from tacit.cli.progress import SolveProgress

    def state(point: Checkpoint) -> str:
        percent = 100 * point.exploitability / found.pot
        mbb = 1000 * point.exploitability / found.rules.big_blind
        return f"exploitability {percent:.3g} % of the pot ({mbb:.3g} mbb/h)"

    return SolveProgress(limits.limits(found), "solving", visible=visible, describe=state)
