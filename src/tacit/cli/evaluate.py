"""`tacit evaluate`: how exploitable a trained network's search is."""

from __future__ import annotations

import click

from tacit.cli.options import as_json


@click.command()
@click.argument("run")
@click.option("--iterations", type=click.IntRange(min=1), help="Of the search.  [the preset's]")
@click.option("--algorithm", help="Of the search.  [as trained]")
@click.option("--playthroughs", type=click.IntRange(min=1), default=32, show_default=True)
@click.option(
    "--form",
    type=click.Choice(["exact", "sampled", "unsafe"]),
    default="exact",
    show_default=True,
    help="exact: mean over each search's iterations; sampled: as the paper; unsafe: not sound.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@as_json
def evaluate(
    run: str,
    *,
    iterations: int | None,
    algorithm: str | None,
    playthroughs: int,
    form: str,
    seed: int,
    as_json: bool,
) -> None:
    """Write out over the whole game what RUN's search plays, and measure its exploitability.

    RUN is the folder of a run, a network file, or a game whose network comes with tacit.
    The beliefs that searches pass down are sampled, so the figure is an upper bound; it falls as
    --playthroughs grows.
    """
    import dataclasses
    import os
    import time

    from tacit.cli.counting import counting
    from tacit.cli.output import console, print_json, print_table, table
    from tacit.evaluate.search_play_pool import measure_search
    from tacit.learn.shipped import find_network
    from tacit.learn.trainer import load_origin
    from tacit.solve import find_algorithm

    path = find_network(run)
    settings = load_origin(path).settings
    search = dataclasses.replace(
        settings.play,
        algorithm=find_algorithm(algorithm or settings.algorithm).name,
        iterations=iterations or settings.play_iterations,
    )
    began = time.perf_counter()
    with counting(settings.game, playthroughs, "playthroughs", visible=not as_json) as each:
        worth = measure_search(
            path,
            search,
            playthroughs=playthroughs,
            seed=seed,
            workers=os.cpu_count() or 1,
            form=form,  # type: ignore[arg-type]
            each=each,
        )
    seconds = time.perf_counter() - began
    found = {
        "game": settings.game,
        "algorithm": search.algorithm,
        "iterations": search.iterations,
        "depth": search.depth,
        "form": form,
        "playthroughs": playthroughs,
        "seed": seed,
        "value": worth.value,
        "exploitability": worth.exploitability,
        "seconds": seconds,
    }
    if as_json:
        print_json(found)
        return
    shown = table("", "")
    for name, value in found.items():
        shown.add_row(name, f"{value:.5f}" if isinstance(value, float) else str(value))
    print_table(console(), shown)
