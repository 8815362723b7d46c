"""`tacit evaluate`: the exploitability of a trained network's search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import as_json

if TYPE_CHECKING:
    from tacit.learn.network import Network
    from tacit.learn.settings import SearchSettings


@click.command()
@click.argument("run")
@click.option("--iterations", type=click.IntRange(min=1), help="Of the search.  [the preset's]")
@click.option("--algorithm", help="Of the search.  [as trained]")
@click.option(
    "--mode",
    type=click.Choice(["cfr-d", "cfr-avg", "cfr-avg-sound"]),
    help="The beliefs at which leaves are evaluated.  [as trained]",
)
@click.option("--blur", type=float, help="Of fictitious play.  [as trained]")
@click.option("--playthroughs", type=click.IntRange(min=1), default=32, show_default=True)
@click.option(
    "--form",
    type=click.Choice(["exact", "sampled", "unsafe"]),
    default="exact",
    show_default=True,
    help="exact: mean over each search's iterations; sampled: as the paper; unsafe: not sound.",
)
@click.option(
    "--matches",
    type=click.IntRange(min=2),
    metavar="GAMES",
    help="Instead, play this many games against simple opponents and a local best response.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@as_json
def evaluate(
    run: str,
    *,
    iterations: int | None,
    algorithm: str | None,
    mode: str | None,
    blur: float | None,
    playthroughs: int,
    form: str,
    matches: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Compute the policy of RUN's search over the whole game, and its exploitability.

    RUN is the folder of a run, a network file, or a game whose network comes with tacit.
    The beliefs that searches pass down are sampled, so the figure is an upper bound; it falls as
    --playthroughs grows. Where the game is too large for this, --matches plays against other
    agents; the winnings of a local best response are a lower bound of the exploitability.
    """
    import dataclasses
    import time

    from tacit.cli.progress import counting
    from tacit.evaluation.search_play import played_policy
    from tacit.learn.trainer import trained
    from tacit.report.output import console, print_json, print_table
    from tacit.report.table import table
    from tacit.solvers import evaluate as evaluate_policy
    from tacit.solvers import find_algorithm

    source = trained(run)
    settings = source.settings
    search = dataclasses.replace(
        settings.play,
        algorithm=find_algorithm(algorithm or settings.search.algorithm).name,
        mode=mode or settings.search.mode,  # type: ignore[arg-type]
        iterations=iterations or settings.evaluation.play_iterations,
        blur=settings.search.blur if blur is None else blur,
    )
    if matches is not None:
        _play_matches(source.network, search, games=matches, seed=seed, as_json=as_json)
        return
    began = time.perf_counter()
    with counting(settings.game, playthroughs, "playthroughs", visible=not as_json) as each:
        played = played_policy(
            source,
            search=search,
            playthroughs=playthroughs,
            seed=seed,
            form=form,  # type: ignore[arg-type]
            each=each,
        )
    worth = evaluate_policy(*played)
    seconds = time.perf_counter() - began
    found = {
        "game": settings.game,
        "algorithm": search.algorithm,
        "mode": search.mode,
        "iterations": search.iterations,
        "depth": search.depth,
        "blur": search.blur,
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


def _play_matches(
    network: Network, search: SearchSettings, *, games: int, seed: int, as_json: bool
) -> None:
    from tacit.agents.search_agent import SearchAgent
    from tacit.agents.simple import baselines
    from tacit.cli.progress import counting
    from tacit.evaluation.local_best_response import local_best_response
    from tacit.evaluation.match import play_match
    from tacit.report.output import console, print_json, print_table
    from tacit.report.table import table

    builder = network.encoding.builder
    agent = SearchAgent(builder, network, search)
    rows: list[dict[str, Any]] = []
    for name, opponent in baselines(builder).items():
        with counting(f"against {name}", games, "games", visible=not as_json) as each:
            found = play_match(builder, agent, opponent, games=games, seed=seed, each=each)
        rows.append({"opponent": name, "mean": found.mean, "error": found.error})
    with counting("local best response", games, "games", visible=not as_json) as each:
        found = local_best_response(builder, agent, games=games, seed=seed, replies=2, each=each)
    rows.append({"opponent": "local best response", "mean": -found.mean, "error": found.error})
    for row in rows:
        row |= {"game": builder.game.name, "games": games, "iterations": search.iterations}
    if as_json:
        print_json(rows)
        return
    shown = table("opponent", "won per game", "±")
    for row in rows:
        shown.add_row(row["opponent"], f"{row['mean']:+.3f}", f"{row['error']:.3f}")
    shown.title = (
        f"{builder.game.name}: winnings per game of search with {search.iterations} iterations, "
        f"over {games:,} games each"
    )
    print_table(console(), shown)
