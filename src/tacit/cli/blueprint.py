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
    iterations: int = option(100, "", "-n", least=1),
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
    """
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
