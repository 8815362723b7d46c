"""`tacit blueprint`: a policy for a whole game, solved in an abstraction."""

from __future__ import annotations

from pathlib import Path

from tacit.cli.options import command
from tacit.report.experiment import option


@command
def blueprint(
    game: str,
    *,
    out: Path = option(..., "Save it here.", "-o"),
    iterations: int | None = option(None, "[default: 100; hold'em: 8,000]", "-n", least=1),
    labels: int | None = option(None, "Merge infostates at random into this many groups.", least=1),
    remove: float | None = option(None, "Share of states to lose an action.", least=0, most=1),
    algorithm: str = option("linear-cfr", "", "-a"),
    seed: int = option(0, least=0),
    memory: int,
    as_json: bool,
) -> None:
    """Solve an abstraction of GAME and save its policy for GAME.

    Infostates are merged and actions removed at random, by --seed. `tacit subgame` improves such a
    policy; `tacit exploitability` and `tacit show` read it like any solution.

    GAME `holdem` is whole heads-up no-limit hold'em in card buckets with a few bet sizes, for the
    player `blueprint:FILE` of `tacit match holdem`. If the solve is interrupted, the same command
    resumes it.
    """
    if game == "holdem":
        _holdem(out, iterations, seed, labels is None and remove is None, as_json=as_json)
        return
    iterations = iterations or 100
    import numpy as np

    from tacit.files import check_writable
    from tacit.formats.solution import save_solution
    from tacit.games import load_game
    from tacit.report.output import show
    from tacit.report.table import pick, table
    from tacit.solvers import find_algorithm
    from tacit.subgame.abstraction import KIND, random_groups, random_removal, solve_abstraction
    from tacit.tree import build_tree

    check_writable(out)
    find_algorithm(algorithm)
    tree = build_tree(load_game(game), max_bytes=memory, kind=KIND)
    random = np.random.default_rng(seed)
    groups = random_groups(tree, labels, random) if labels is not None else None
    keep = random_removal(tree, remove, random) if remove is not None else None
    solution = solve_abstraction(
        tree, iterations=iterations, groups=groups, keep=keep, algorithm=algorithm, seed=seed
    )
    save_solution(solution, out)
    value = {
        "game": solution.game.name,
        **pick(solution, "algorithm iterations seed value exploitability"),
        "out": str(out),
    }
    title = f"{solution.game.title}: a blueprint by {iterations:,} iterations"
    shown = table("", "", title=title, note=f"It is saved in {out}")
    unit = solution.game.unit
    shown.add_row("value to player 1", f"{solution.value:+.6f} {unit}")
    shown.add_row("exploitability", f"{solution.exploitability:.3e} {unit}")
    show(as_json, value, [shown])


def _holdem(out: Path, iterations: int | None, seed: int, plain: bool, *, as_json: bool) -> None:
    """Make the blueprint of hold'em."""
    from dataclasses import asdict, replace

    from tacit.cli.progress import StageProgress
    from tacit.files import check_writable
    from tacit.games import GameError
    from tacit.report.output import show
    from tacit.report.table import table
    from tacit.subgame.holdem.blueprint import BlueprintSettings, decisions, make_blueprint

    if not plain:
        raise GameError("--labels and --remove are for other games; hold'em has card buckets")
    checkpoint = out.with_name(f"{out.name}.checkpoint")
    check_writable(out, checkpoint)
    settings = replace(BlueprintSettings(), seed=seed)
    settings = replace(settings, iterations=iterations or settings.iterations)
    with StageProgress("hold'em", visible=not as_json) as progress:
        made = make_blueprint(settings, checkpoint=checkpoint, on_stage=progress.stage)
    made.save(out)
    nodes = decisions(made.tree)
    value = {**asdict(settings), "decisions": nodes, "slots": made.tree.slots, "out": str(out)}
    title = f"Hold'em: a blueprint by {settings.iterations:,} iterations"
    shown = table("", "", title=title, note=f"It is saved in {out}")
    shown.add_row("decisions of the betting", f"{nodes:,}")
    shown.add_row("probabilities", f"{made.tree.slots:,}")
    show(as_json, value, [shown])
