"""`tacit blueprint`: a policy for a whole game, solved in an abstraction."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.cli.options import as_json, memory


@click.command()
@click.argument("game")
@click.option("--out", "-o", type=click.Path(path_type=Path), required=True, help="Save it here.")
@click.option("--iterations", "-n", type=click.IntRange(min=1), default=100, show_default=True)
@click.option(
    "--labels", type=click.IntRange(min=1), help="Merge infostates at random into this many groups."
)
@click.option(
    "--remove",
    type=click.FloatRange(0, 1),
    help="Share of states to lose an action.",
)
@click.option("--algorithm", "-a", default="linear-cfr", show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@memory
@as_json
def blueprint(
    game: str,
    *,
    out: Path,
    iterations: int,
    labels: int | None,
    remove: float | None,
    algorithm: str,
    seed: int,
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
    from tacit.report.output import console, print_json, print_table
    from tacit.report.table import table
    from tacit.subgame.abstraction import random_groups, random_removal, solve_abstraction
    from tacit.tree import build_tree

    check_writable(out)
    tree = build_tree(load_game(game), max_bytes=memory)
    random = np.random.default_rng(seed)
    groups = random_groups(tree, labels, random) if labels is not None else None
    keep = random_removal(tree, remove, random) if remove is not None else None
    solution = solve_abstraction(
        tree, iterations=iterations, groups=groups, keep=keep, algorithm=algorithm, seed=seed
    )
    save_solution(solution, out)
    if as_json:
        print_json(
            {
                "game": solution.game.name,
                "algorithm": solution.algorithm,
                "iterations": solution.iterations,
                "seed": seed,
                "value": solution.value,
                "exploitability": solution.exploitability,
                "out": str(out),
            }
        )
        return
    title = f"{solution.game.title}: a blueprint by {iterations:,} iterations"
    shown = table("", "", title=title, note=f"It is saved in {out}")
    unit = solution.game.unit
    shown.add_row("value to player 1", f"{solution.value:+.6f} {unit}")
    shown.add_row("exploitability", f"{solution.exploitability:.3e} {unit}")
    print_table(console(), shown)
