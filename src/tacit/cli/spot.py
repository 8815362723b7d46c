"""`tacit spot`: solve a moment of hold'em, show what every hand does, and walk through the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import as_json, memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.cli.progress import SolveProgress
    from tacit.formats.spot_file import Lock, SpotFile
    from tacit.games.holdem.spot import Spot
    from tacit.solve.anytime import Checkpoint
    from tacit.solve.spot import SpotLimits, SpotSolution
    from tacit.tree import PublicTree


@click.command()
@click.argument("name", required=False, metavar="[NAME|FILE.toml]")
@click.option("--list", "list_examples", is_flag=True, help="Name the spots that come with tacit.")
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
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="Stop after so long.")
@click.option("--iterations", "-n", type=int, help="Stop after so many.")
@click.option("--threads", type=click.IntRange(min=1), help="[default: all cores]")
@click.option(
    "--storage",
    type=click.Choice(["32", "16"]),
    help="Bits of a regret or policy sum; 16 takes about half of the memory.  [default: 32]",
)
@click.option("--no-isomorphism", is_flag=True, help="Tell all suits apart.")
@memory
@click.option("--at", metavar="PATH", default="", help="What to show: 'k r3000 c 2h'.")
@click.option("--hands", is_flag=True, help="With --json: every hand, not classes alone.")
@click.option("--out", "-o", type=click.Path(path_type=Path), help="Save the solution here.")
@click.option("--small", is_flag=True, help="With --out: without rivers, solved again when needed.")
@click.option("--resumable", is_flag=True, help="With --out: keep what --resume needs.")
@click.option("--resume", type=click.Path(path_type=Path), help="Go on from such a file.")
@click.option("--load", type=click.Path(path_type=Path), help="Show a saved solution.")
@click.option("--plot", type=click.Path(path_type=Path), help="Save a picture of the grid (PNG).")
@click.option("--no-walk", is_flag=True, help="Show the result and end.")
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

    The spot comes from flags, from a TOML file, or from an example (see --list); flags go before
    what a file says. Afterwards a prompt walks through the tree: type an action, cards, a hand
    (AhKd, AKs), back, top or quit.
    """
    from tacit.files import check_writable
    from tacit.games.holdem.cards import format_cards
    from tacit.report.output import console, print_json
    from tacit.report.spot import describe, plot_point, print_point, summary

    if list_examples:
        _list()
        return
    for path in (out, plot):
        if path is not None:
            check_writable(path)
    if resumable and (out is None or small):
        raise click.UsageError("--resumable needs --out, and a solution with its rivers")
    if load is not None:
        _only_shows(name, given, target, seconds, iterations, algorithm, storage, resume)
        from tacit.formats.spot_solution import load_spot_solution

        solution = load_spot_solution(load, max_bytes=memory)
        limits = None
    elif resume is not None:
        _only_goes_on(name, given, algorithm, storage)
        stops = {"target": target, "time": seconds, "iterations": iterations}
        limits = _limits({key: flag for key, flag in stops.items() if flag is not None})
        solution = _resume(resume, limits, threads, memory=memory, quiet=as_json)
        if out is None or small:
            solution = replace(solution, memory={})
    else:
        settings = _settings(name, given)
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
            # Who says when to stop on the command line does not mean the file's other limits.
            chosen = {k: v for k, v in chosen.items() if k in ("algorithm", "storage", "threads")}
        chosen |= {key: flag for key, flag in flags if flag is not None}
        limits = _limits(chosen)
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
        title = f"{solution.spot.name}\n{format_cards(view.board)} {' '.join(view.found.moves)}"
        plot_point(view, plot, title=title.strip())
    if as_json:
        print_json(
            {
                "spot": _facts(solution.spot),
                "solution": summary(solution),
                "out": str(out) if out else None,
                "plot": str(plot) if plot else None,
                **describe(view, hands=hands),
            }
        )
    else:
        screen = console()
        _print_summary(solution)
        print_point(screen, view)
        for what, path in (("solution", out), ("picture", plot)):
            if path is not None:
                screen.print(f"The {what} is saved in {path}", soft_wrap=True)
        if not no_walk:
            from tacit.cli.spot_walk import walk

            walk(screen, solution, view)
    if limits is not None:
        _end(solution, limits, out)


def _list() -> None:
    from tacit.formats.spot_file import example_names, load_spot_file
    from tacit.report.output import console, table

    shown = table("name", "spot", "board", "pot", "stacks", text_columns=3)
    for name in example_names():
        example = load_spot_file(name)
        assert example.stacks is not None
        shown.add_row(
            name, example.title, example.board, f"{example.pot:,}", f"{example.stacks[0]:,}"
        )
    console().print(shown)


def _only_shows(name: str | None, given: Mapping[str, Any], *others: Any) -> None:
    if name or any(value not in (None, ()) for value in (*given.values(), *others)):
        raise click.UsageError(
            "--load shows a solution as it was saved; leave out the spot and how to solve it"
        )


def _only_goes_on(name: str | None, given: Mapping[str, Any], *others: Any) -> None:
    if name or any(value not in (None, ()) for value in (*given.values(), *others)):
        raise click.UsageError(
            "--resume goes on as the file began: leave out the spot, --algorithm and --storage"
        )


def _settings(name: str | None, given: Mapping[str, Any]) -> SpotFile:
    """The file's or example's spot with the flags' changes."""
    from tacit.formats.spot_file import SpotFile, load_spot_file

    found = load_spot_file(name) if name else SpotFile()
    changes: dict[str, Any] = {
        key: given[key] for key in ("board", "pot", "big_blind") if given[key] is not None
    }
    if given["stacks"] is not None:
        changes["stacks"] = _stacks(given["stacks"])
    both = zip((given["oop"], given["ip"]), found.ranges, strict=True)
    changes["ranges"] = tuple(kept if flag is None else flag for flag, kept in both)
    if given["bets"]:
        changes["bets"] = _bets(given["bets"])
    thresholds = {
        key: given[key] for key in ("add_all_in", "force_all_in", "merge") if given[key] is not None
    }
    changes["thresholds"] = {**found.thresholds, **thresholds}
    changes["additions"] = _additions(given["add"], found.additions)
    changes["locks"] = {**found.locks, **_locks(given["lock"])}
    if not name and "board" in changes:
        changes["title"] = f"Spot {changes['board']}"
    return replace(found, **changes)


def _stacks(text: str) -> tuple[int, int]:
    words = text.replace(",", " ").split()
    if len(words) not in (1, 2) or not all(word.lstrip("-").isdecimal() for word in words):
        raise click.UsageError(f"--stacks {text!r}: expected chips: 19000, or 19000,15000")
    return int(words[0]), int(words[-1])


def _bets(texts: Sequence[str]) -> str | dict[str, str]:
    """One text for all streets, or one for each that is named."""
    from tacit.formats.spot_file import read_spot

    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    streets: dict[str, str] = {}
    for text in texts:
        street, equals, sizes = text.partition("=")
        if not equals:
            raise click.UsageError(f"--bets {text!r}: several need their street: turn=50%/3x")
        streets[street.strip()] = sizes
    read = read_spot({"bets": streets}, where="--bets").bets
    assert isinstance(read, dict)
    return read


def _additions(
    texts: Sequence[str], known: Mapping[str, tuple[int, ...]]
) -> dict[str, tuple[int, ...]]:
    """The raises of flags next to those that are `known`."""
    found = dict(known)
    for text in texts:
        path, colon, totals = text.rpartition(":")
        words = totals.replace(",", " ").split()
        if not colon or not words or not all(word.isdecimal() for word in words):
            raise click.UsageError(f"--add {text!r}: expected a path and a total: k:2500")
        key = "".join(path.split())
        found[key] = (*found.get(key, ()), *map(int, words))
    return found


def _locks(texts: Sequence[str]) -> dict[str, Lock]:
    found: dict[str, Lock] = {}
    for text in texts:
        path, colon, policy = text.partition(":")
        shares: dict[str, float | str] = {}
        for word in policy.split():
            label, equals, share = word.partition("=")
            if not equals or not label or not share:
                colon = ""
                break
            try:
                shares[label] = float(share)
            except ValueError:
                shares[label] = share
        if not colon or not shares:
            raise click.UsageError(
                f"--lock {text!r}: expected a path and shares: 'k: k=0.7 r3000=0.3'"
            )
        found[path.strip()] = shares
    return found


def _limits(chosen: Mapping[str, Any]) -> SpotLimits:
    from tacit.formats.spot_file import parse_target
    from tacit.solve.spot import SpotLimits

    percent, mbb = parse_target(chosen["target"]) if "target" in chosen else (None, None)
    return SpotLimits(
        percent=percent,
        mbb=mbb,
        seconds=chosen.get("time"),
        iterations=chosen.get("iterations"),
    )


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

    from tacit.solve import find_algorithm
    from tacit.solve.kernel_warm_up import prepare
    from tacit.solve.spot import DEFAULT_ALGORITHM, solve_spot
    from tacit.tree.cards.builder import build_spot

    algorithm = chosen.get("algorithm", DEFAULT_ALGORITHM)
    find_algorithm(algorithm)
    found = settings.spot()
    progress = _progress(found, limits, quiet=quiet)
    storage = chosen.get("storage", 32)
    if not quiet:
        _print_size(found, isomorphism=isomorphism, storage=storage, memory=memory)
    prepare(np.float32, equity=True)
    tree = build_spot(found, isomorphism=isomorphism, storage=storage, max_bytes=memory)
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
    from tacit.formats.solution import SolutionError
    from tacit.formats.spot_solution import load_spot_solution
    from tacit.games import GameError
    from tacit.solve.spot import resume_spot

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
            raise SolutionError(f"{path}: {error}") from None


def _progress(found: Spot, limits: SpotLimits, *, quiet: bool) -> SolveProgress:
    from tacit.cli.progress import SolveProgress

    def state(point: Checkpoint) -> str:
        percent = 100 * point.exploitability / found.pot
        mbb = 1000 * point.exploitability / found.rules.big_blind
        return f"exploitability {percent:.3g} % of the pot ({mbb:.3g} mbb/h)"

    return SolveProgress(limits.limits(found), "solving", visible=not quiet, describe=state)


def lock_policy(tree: PublicTree, path: str, lock: Lock) -> NDArray[Any]:
    """[A, 1326] the policy that a lock asks for at `path`; GameError says what is wrong with it."""
    import numpy as np

    from tacit.games import CHANCE, GameError
    from tacit.games.holdem.cards import NUM_HANDS
    from tacit.games.holdem.ranges import parse_range
    from tacit.solve.spot import find

    state = tree.state(find(tree, path).node)
    if state.mover >= CHANCE:
        raise GameError(f"no player moves after {path!r}, so nothing can be locked there")
    labels = state.expansion.labels
    for action in lock:
        if action not in labels:
            raise GameError(
                f"{action!r} is not possible after {path!r}; possible: {', '.join(labels)}"
            )
    policy = np.zeros((len(labels), NUM_HANDS))
    rest = [action for action, share in lock.items() if share == "rest"]
    for action, share in lock.items():
        if action not in rest:
            policy[labels.index(action)] = parse_range(share) if isinstance(share, str) else share
    left = 1 - policy.sum(axis=0)
    fits = policy.min() >= 0 and left.min() > -1e-6
    if len(rest) > 1 or not fits or not (rest or np.abs(left).max() < 1e-6):
        raise GameError(
            f"the lock after {path!r} is no policy: the shares of every hand must sum to 1; "
            "give one action 'rest' for what the others leave"
        )
    if rest:
        policy[labels.index(rest[0])] = np.maximum(left, 0)
    return policy


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


def _facts(found: Spot) -> dict[str, Any]:
    from tacit.games.holdem.cards import format_cards
    from tacit.games.holdem.ranges import format_range

    start = found.rules.start()
    return {
        "title": found.name,
        "board": format_cards(found.board),
        "pot": found.pot,
        "stacks": list(start.behind),
        "big_blind": found.rules.big_blind,
        "ranges": {
            name: format_range(weights)
            for name, weights in zip(("oop", "ip"), found.ranges, strict=True)
        },
    }


def _print_summary(solution: SpotSolution) -> None:
    click.echo(
        f"{solution.spot.name}: {solution.algorithm}, {solution.iterations:,} iterations, "
        f"{solution.seconds:.2f} s, exploitability {solution.percent_of_pot:.3g} % of the pot "
        f"({solution.mbb:.3g} mbb/h)"
    )


def _end(solution: SpotSolution, limits: SpotLimits, out: Path | None) -> None:
    """Exit as `tacit solve` does where the solve did not come to its end."""
    from tacit.games import GameError
    from tacit.solve.anytime import Stop

    if solution.stop is Stop.INTERRUPTED:
        kept = f"saved to {out}" if out else "not saved, without --out"
        if out and solution.memory:
            kept += f", go on with --resume {out}"
        click.echo(f"tacit: interrupted after {solution.iterations:,} iterations; {kept}", err=True)
        click.get_current_context().exit(130)
    asked = limits.limits(solution.spot).target
    if asked is not None and solution.exploitability > asked:
        raise GameError(
            f"the target {100 * asked / solution.spot.pot:.3g} % of the pot is not met: "
            f"{solution.percent_of_pot:.3g} % after {solution.iterations:,} iterations"
        )
