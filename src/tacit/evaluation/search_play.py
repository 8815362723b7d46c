"""The mean policy of search over the whole game, and so its exploitability.

An agent that searches at every move plays, in each *playthrough*, by the policy of one randomly
sampled iteration of each search, and passes that iteration's beliefs down (ReBeL, section 6): those
of its policy in CFR-D, those of the average up to it in CFR-AVG and fictitious play. Its policy is
the mean over all playthroughs. It is estimated from a number of them, each over every public state.
An average over few is more exploitable than over many, so the figure is an upper bound in
expectation, as in the paper's Table 2. Best responses to one half of the playthroughs, measured
against the other half, win what does not depend on the choice of playthroughs.

Within one search the mean over the sampled iteration is known exactly: it is the search's average
policy. So only the beliefs that are passed down are sampled (`exact`, the default), stratified over
the playthroughs at one public state. The paper's measure (`sampled`) draws each independently, and
also plays each search by its sampled iteration. With `unsafe` the average policy's beliefs are
passed down instead, which is not sound.

Playthroughs are played in portions on all cores, each with its own stream of random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.cluster import Executor, executor_of
from tacit.evaluation.playthroughs import Form, first_samples, levels
from tacit.games import Game, GameError
from tacit.learn.network import Network
from tacit.learn.settings import SearchSettings
from tacit.learn.trainer import Measure, Run, TrainedNetwork, default_workers
from tacit.solvers.best_response import BestResponse, Evaluation, best_response, evaluate
from tacit.solvers.engine import normalise
from tacit.solvers.leaves import Evaluator
from tacit.tree import PLAYERS, PublicTree, build_forest, build_tree
from tacit.tree.kernels.passes import EXPECT

FOREST = 2048
"""Largest number of subgames in one forest."""
PORTION = 1024
"""How many playthroughs are played together at most, whatever the number of workers."""
MOST_BYTES = 300 << 20
"""How large a game's tree may be for its policy to be written out, playthrough by playthrough."""


def search_policy(
    tree: PublicTree,
    evaluator: Evaluator,
    settings: SearchSettings,
    *,
    playthroughs: int,
    random: np.random.Generator,
    form: Form = "exact",
    each: Callable[[int], None] | None = None,
) -> NDArray[np.float64]:
    """[slots] the sum over playthroughs of search's realisation plans on a whole tree.

    `normalise` makes it a policy; sums of several calls may be added. `each` is called with the
    number of subgames solved.
    """
    sums = np.zeros(tree.sizes.slots)
    samples = first_samples(tree, 1 if form == "unsafe" else playthroughs)
    for searched in levels(tree, evaluator, settings, samples, random, form, sums, largest=FOREST):
        if each is not None:
            each(searched)
    return sums


def search_exploitability(
    tree: PublicTree, evaluator: Evaluator, settings: SearchSettings, **options: Any
) -> Evaluation:
    """The value and exploitability of search's mean policy; options as of `search_policy`."""
    return evaluate(tree, normalise(tree, search_policy(tree, evaluator, settings, **options)))


def whole_tree(game: Game) -> PublicTree:
    """The tree of a game; GameError if it is too large for a policy to be written out over it."""
    try:
        return build_tree(game, max_bytes=MOST_BYTES)
    except GameError as error:
        raise GameError(
            f"a policy cannot be written out over the whole game ({error}); measure it in play: "
            "tacit evaluate --matches 2000"
        ) from None


def _set_up(
    network: Network, search: SearchSettings, form: Form
) -> Callable[[tuple[int, int, int]], NDArray[np.float64]]:
    """What gives the sums [slots] of the plans of a portion: playthroughs, seed and number."""
    builder = network.encoding.builder
    tree = build_forest(builder, [builder.root])

    def play(portion: tuple[int, int, int]) -> NDArray[np.float64]:
        playthroughs, *seed = portion
        random = np.random.default_rng(seed)
        return search_policy(
            tree, network, search, playthroughs=playthroughs, random=random, form=form
        )

    return play


@dataclass(frozen=True)
class SearchMeasure:
    """What search plays: its `value` to player 0, and bounds of its exploitability.

    exploitability: for each seed, an upper bound in expectation; pooled: that of the mean over the
    playthroughs of all seeds; at_least: see `least_exploitability`, None of one portion.
    """

    value: float
    exploitability: tuple[float, ...]
    pooled: float
    at_least: float | None


def played_plans(
    run: TrainedNetwork,
    *,
    search: SearchSettings | None = None,
    playthroughs: int = 512,
    seed: int = 0,
    workers: int | None = None,
    form: Form = "exact",
    each: Callable[[int], None] | None = None,
    executor: Executor | None = None,
) -> tuple[PublicTree, list[NDArray[np.float64]]]:
    """The whole tree, and of each portion the sum [slots] of the plans of its playthroughs.

    `search` is by default as the network's settings say. Portions are the same for any number of
    `workers`, by default one for each core, and on any `executor` that takes their place. `each` is
    told how many playthroughs are done.
    """
    tree = whole_tree(run.game)
    count = 1 if form == "unsafe" else playthroughs
    parts = -(-count // PORTION)
    ends = [count * number // parts for number in range(parts + 1)]
    portions = [(ends[number + 1] - ends[number], seed, number) for number in range(parts)]
    done = 0

    def tell(number: int, _: Any) -> None:
        nonlocal done
        done += portions[number][0]
        if each is not None:
            each(done)

    workers = min(default_workers() if workers is None else workers, parts)
    setup = partial(_set_up, run.network, search or run.settings.play, form)
    with (executor or executor_of(workers)).open(setup) as session:
        return tree, list(session.submit(portions).results(tell))


def played_policy(run: TrainedNetwork, **options: Any) -> tuple[PublicTree, NDArray[np.float64]]:
    """The whole tree and the mean policy [slots] that search with a network plays on it.

    Options as of `played_plans`.
    """
    tree, plans = played_plans(run, **options)
    return tree, normalise(tree, np.sum(plans, axis=0))


def measure_search(
    run: TrainedNetwork,
    *,
    seeds: Sequence[int] = (0,),
    playthroughs: int = 512,
    each: Callable[[int], None] | None = None,
    **options: Any,
) -> SearchMeasure:
    """The value and the exploitability of search with a network, `playthroughs` for each seed.

    Options as of `played_plans`; `each` is told how many playthroughs of all seeds are done.
    """
    figures, pool = [], list[NDArray[np.float64]]()
    for number, seed in enumerate(seeds):

        def tell(done: int, before: int = number * playthroughs) -> None:
            if each is not None:
                each(before + done)

        tree, plans = played_plans(run, seed=seed, playthroughs=playthroughs, each=tell, **options)
        figures.append(evaluate(tree, normalise(tree, np.sum(plans, axis=0))).exploitability)
        pool += plans
    worth = evaluate(tree, normalise(tree, np.sum(pool, axis=0)))
    lower = least_exploitability(tree, pool) if len(pool) > 1 else None
    return SearchMeasure(worth.value, tuple(figures), worth.exploitability, lower)


def least_exploitability(tree: PublicTree, plans: Sequence[NDArray[np.float64]]) -> float:
    """What best responses to each half of the `plans` [slots] win against the other half, halved.

    A response that does not depend on the plans that it meets wins no more, in expectation, than a
    best response to what search plays, but for infostates that these plans never reach: there the
    policy is uniform, and the figure is too large.
    """
    halves = [normalise(tree, np.sum(plans[first::2], axis=0)) for first in (0, 1)]
    nodes = [np.flatnonzero(tree.arrays.player == player).tolist() for player in PLAYERS]
    total = 0.0
    for met, known in (halves, halves[::-1]):
        for player in PLAYERS:
            _, response = best_response(tree, known, player)
            profile = met.copy()
            for node in nodes[player]:
                tree.block(profile, node)[:] = tree.block(response, node)
            total += BestResponse(tree, profile).value(player, EXPECT)
    return total / 4


def measure_of_search(run: Run) -> Measure:
    """What measures a run's networks while it trains by ReBeL."""
    builder = run.encoding.builder
    tree = build_forest(builder, [builder.root])

    def measure(network: Network) -> float:
        return search_exploitability(
            tree,
            network,
            run.settings.play,
            playthroughs=run.settings.evaluation.evaluate_playthroughs,
            random=np.random.default_rng(run.settings.seed),
        ).exploitability

    return measure
