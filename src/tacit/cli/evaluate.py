"""`tacit evaluate`: the exploitability of a trained network's search."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, Literal

import click
from click.core import ParameterSource

from tacit.cli.options import command
from tacit.report.experiment import option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.cluster import Executor
    from tacit.learn.settings import Effort
    from tacit.learn.trainer import TrainedNetwork


OPTIONS = {
    "rebel": {"iterations", "depth", "algorithm", "mode", "blur", "playthroughs", "form"},
    "student-of-games": {"simulations"},
}
"""By method of training, the options of its search alone."""


@command
def evaluate(
    run: str,
    *,
    iterations: int | None = option(None, "Of the search.  [the preset's]", least=1),
    depth: int | None = option(
        None, "Moves after which a search ends.  [as trained]", least=1, most=64
    ),
    simulations: int | None = option(
        None, "Of the search of Student of Games.  [the preset's]", least=1
    ),
    seeds: int | None = option(
        None,
        "Measurements, with this and the following seeds.  [1; of Student of Games 10]",
        least=1,
    ),
    algorithm: str | None = option(None, "Of the search.  [as trained]"),
    mode: Literal["cfr-d", "cfr-avg", "cfr-avg-sound"] | None = option(
        None, "The beliefs at which leaves are evaluated.  [as trained]"
    ),
    blur: float | None = option(None, "Of fictitious play.  [as trained]"),
    playthroughs: int = option(512, least=1),
    form: Literal["exact", "sampled", "unsafe"] = option(
        "exact",
        "exact: mean over each search's iterations; sampled: as the paper; unsafe: not sound.",
    ),
    matches: int | None = option(
        None,
        "Instead, play this many games against simple opponents and a local best response.",
        least=2,
        metavar="GAMES",
    ),
    seed: int = option(0, least=0),
    executor: str | None = option(
        None, "Instead of this machine's cores: a Ray cluster.", metavar="ray[:ADDRESS]"
    ),
    as_json: bool,
) -> None:
    """Compute the policy of RUN's search over the whole game, and its exploitability.

    RUN is the folder of a run, a network file, or a game whose network comes with tacit.
    The beliefs that searches pass down are sampled, so `exploitability` is an upper bound, which
    falls as --playthroughs grows: the mean over --seeds, with `min` and `max`. `pooled` is that of
    the playthroughs of all seeds together, and `at_least` what best responses to one half of them
    win against the other half: where both agree, more playthroughs would change little.
    Where the game is too large for this, --matches plays against other agents; the winnings of a
    local best response are a lower bound of the exploitability.

    A network of Student of Games searches every public state once for each of the --seeds; the
    figures are the least, the mean and the largest exploitability.
    """
    import dataclasses
    import time
    from statistics import fmean

    from tacit.cli.progress import counting
    from tacit.cluster import find_executor
    from tacit.evaluation.search_play import measure_search
    from tacit.learn.settings import Effort
    from tacit.learn.trainer import trained
    from tacit.report.output import show
    from tacit.report.table import pick, table
    from tacit.solvers import find_algorithm

    where = find_executor(executor) if executor is not None else None
    source = trained(run)
    settings = source.settings
    _refuse_others_options(settings.method)
    effort = Effort(iterations=iterations, depth=depth)
    if matches is not None:
        if where is not None:
            raise click.UsageError("--executor has no effect on --matches; leave one of them out")
        if seeds is not None:
            raise click.UsageError("--seeds has no effect on --matches; give one --seed")
        _play_matches(source, effort, simulations, games=matches, seed=seed, as_json=as_json)
        return
    if settings.method == "student-of-games":
        chosen = range(seed, seed + (seeds or 10))
        _evaluate_student(source, simulations, chosen, where, as_json=as_json)
        return
    search = dataclasses.replace(
        effort.of(settings.play),
        algorithm=find_algorithm(algorithm or settings.search.algorithm).name,
        mode=mode or settings.search.mode,
        blur=settings.search.blur if blur is None else blur,
    )
    began = time.perf_counter()
    count = seeds or 1
    with (
        redirect_stdout(sys.stderr),  # Ray reports lost nodes on standard output
        counting(settings.game, playthroughs * count, "playthroughs", visible=not as_json) as each,
    ):
        measured = measure_search(
            source,
            search=search,
            playthroughs=playthroughs,
            seeds=range(seed, seed + count),
            form=form,
            each=each,
            executor=where,
        )
    figures = measured.exploitability
    found = {
        "game": settings.game,
        **pick(search, "algorithm mode iterations depth blur"),
        "form": form,
        "playthroughs": playthroughs,
        "seed": seed,
        "seeds": count,
        "value": measured.value,
        "exploitability": fmean(figures),
        "min": min(figures),
        "max": max(figures),
        **pick(measured, "pooled at_least"),
        "seconds": time.perf_counter() - began,
    }
    shown = table("", "")
    for name, value in found.items():
        shown.add_row(name, f"{value:.5f}" if isinstance(value, float) else str(value))
    show(as_json, found, [shown])


def _refuse_others_options(method: str) -> None:
    """Refuse the options of the other method's search; they would be ignored."""
    context = click.get_current_context()
    for name in {name for names in OPTIONS.values() for name in names} - OPTIONS[method]:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} has no effect on a network trained by {method}")


def _evaluate_student(
    source: TrainedNetwork,
    simulations: int | None,
    seeds: Sequence[int],
    executor: Executor | None,
    *,
    as_json: bool,
) -> None:
    import dataclasses
    import time
    from statistics import fmean

    from tacit.cli.progress import counting
    from tacit.evaluation.continual_play import continual_exploitabilities
    from tacit.report.output import show
    from tacit.report.table import table

    search = source.settings.growing_play
    search = dataclasses.replace(search, simulations=simulations or search.simulations)
    began = time.perf_counter()
    with (
        redirect_stdout(sys.stderr),  # Ray reports lost nodes on standard output
        counting(source.settings.game, len(seeds), "seeds", visible=not as_json) as each,
    ):
        found = continual_exploitabilities(
            source, search=search, seeds=seeds, each=each, executor=executor
        )
    row = {
        "game": source.settings.game,
        "simulations": search.simulations,
        "seeds": len(seeds),
        "min": min(found),
        "mean": fmean(found),
        "max": max(found),
        "unit": source.game.unit,
        "seconds": time.perf_counter() - began,
    }
    shown = table("", "")
    for name, value in row.items():
        shown.add_row(name, f"{value:.5f}" if isinstance(value, float) else str(value))
    show(as_json, row, [shown])


def _play_matches(
    source: TrainedNetwork,
    effort: Effort,
    simulations: int | None,
    *,
    games: int,
    seed: int,
    as_json: bool,
) -> None:
    from tacit.agents.named import trained_agent
    from tacit.agents.simple import baselines
    from tacit.cli.progress import counting
    from tacit.evaluation.local_best_response import local_best_response
    from tacit.evaluation.match import play_match
    from tacit.report.output import show
    from tacit.report.table import pick, table_of

    builder, settings = source.network.encoding.builder, source.settings
    agent = trained_agent(source, builder, effort=effort, simulations=simulations)
    work = {"iterations": effort.of(settings.play).iterations}
    if settings.method == "student-of-games":
        work = {"simulations": simulations or settings.growing_play.simulations}
    rows: list[dict[str, Any]] = []
    for name, opponent in baselines(builder).items():
        with counting(f"against {name}", games, "games", visible=not as_json) as each:
            found = play_match(builder, agent, opponent, games=games, seed=seed, each=each)
        rows.append({"opponent": name, **pick(found, "mean error")})
    with counting("local best response", games, "games", visible=not as_json) as each:
        found = local_best_response(builder, agent, games=games, seed=seed, replies=2, each=each)
    rows.append({"opponent": "local best response", "mean": -found.mean, "error": found.error})
    for row in rows:
        row |= {"game": builder.game.name, "games": games, **work}
    columns = {"opponent": "{opponent}", "won per game": "{mean:+.3f}", "±": "{error:.3f}"}
    [(unit, number)] = work.items()
    title = (
        f"{builder.game.name}: winnings per game of search with {number} {unit}, "
        f"over {games:,} games each"
    )
    show(as_json, rows, [table_of(rows, columns, title=title)])
