"""The mean policy of search over the whole game, and so its exploitability.

An agent that searches at every move plays, in each *playthrough*, by the policy of one randomly
sampled iteration of each search, and passes that iteration's beliefs down (ReBeL, section 6): those
of its policy in CFR-D, those of the average up to it in CFR-AVG and fictitious play. Its policy is
the mean over all playthroughs. It is estimated from a number of them, each over every public state.
An average over few is more exploitable than over many, so the figure is an upper bound in
expectation, as in the paper's Table 2. Where both players' reach is small, only some of the
playthroughs are searched, with larger weights.

Within one search the mean over the sampled iteration is known exactly: it is the search's average
policy. So only the beliefs that are passed down are sampled (`exact`, the default), stratified over
the playthroughs at one public state. The paper's measure (`sampled`) draws each independently, and
also plays each search by its sampled iteration. With `unsafe` the average policy's beliefs are
passed down instead, which is not sound.

Playthroughs are played in portions on all cores, each with its own stream of random numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.cluster import executor_of
from tacit.games import Game, GameError
from tacit.learn.network import Network
from tacit.learn.settings import SearchSettings
from tacit.learn.trainer import Measure, Run, TrainedNetwork, default_workers
from tacit.solvers.best_response import Evaluation, evaluate
from tacit.solvers.engine import Workspace, normalise
from tacit.solvers.leaves import Evaluator
from tacit.subgame.methods import matching_places
from tacit.tree import CHANCE, LEAF, PLAYERS, Place, PublicTree, build_forest, build_tree
from tacit.tree.kernels.passes import descend

Array = NDArray[Any]
Form = Literal["exact", "sampled", "unsafe"]
FOREST = 2048
"""Largest number of subgames in one forest."""
SHARE = 0.05
"""Where a player's mean reach is at least this, all playthroughs are searched."""
PORTION = 256
"""How many playthroughs are played together, whatever the number of workers."""
MOST_BYTES = 300 << 20
"""How large a game's tree may be for its policy to be written out, playthrough by playthrough."""


class _Unsearched(NamedTuple):
    """A subgame still to be searched.

    played: both reaches by the policies that are played; believed: both reaches by which it is
    searched; times: the number of playthroughs in which all this is the same; weight: the weight of
    each.
    """

    place: Place
    played: tuple[Array, Array]
    believed: tuple[Array, Array]
    times: int
    weight: float


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
    root = tree.roots[0]
    counts = tree.state(root.node).counts
    ones = (np.ones(counts[0]), np.ones(counts[1]))
    times = 1 if form == "unsafe" else playthroughs
    waiting = [_Unsearched(root, ones, ones, times, 1.0)]
    while waiting:
        batch, waiting = waiting[-FOREST:], waiting[:-FOREST]
        waiting += _search(tree, evaluator, settings, batch, random, form, sums)
        if each is not None:
            each(len(batch))
    return sums


def search_exploitability(
    tree: PublicTree, evaluator: Evaluator, settings: SearchSettings, **options: Any
) -> Evaluation:
    """The value and exploitability of search's mean policy; options as of `search_policy`."""
    return evaluate(tree, normalise(tree, search_policy(tree, evaluator, settings, **options)))


def _search(
    tree: PublicTree,
    evaluator: Evaluator,
    settings: SearchSettings,
    batch: list[_Unsearched],
    random: np.random.Generator,
    form: Form,
    sums: NDArray[np.float64],
) -> list[_Unsearched]:
    """Solve a batch of subgames, add their plans to `sums`, and return the subgames below."""
    forest = settings.forest(tree.game_builder, [tree.state(item.place.node) for item in batch])
    beliefs = [(_believable(item.believed[0]), _believable(item.believed[1])) for item in batch]
    search = settings.begin(forest, evaluator, beliefs)
    pairs = [
        list(matching_places(forest, root, tree, item.place))
        for root, item in zip(forest.roots, batch, strict=True)
    ]
    all_times = Counter({number: item.times for number, item in enumerate(batch)})
    when = {settings.iterations: all_times}
    if form != "unsafe":
        when = _draw_iterations(batch, settings, random, evenly=form == "exact")
    plans = np.zeros_like(search.sums)
    played = Workspace(forest, [item.played for item in batch], np.float32).reach
    below: list[_Unsearched] = []

    def play(policy: Array, share: float) -> None:
        """Carry the played reaches down by `policy`, and add its `share` to the plans."""
        for player in PLAYERS:
            descend(forest.arrays, player, policy, played[player], plans, np.float32(share))

    def add(times: Counter[int]) -> None:
        for number, count in times.items():
            for part, whole in pairs[number]:
                if forest.arrays.player[part.node] < CHANCE:
                    plan = forest.block(plans, part.node)[:, part.copy, :]
                    total = count * batch[number].weight
                    tree.block(sums, whole.node)[:, whole.copy, :] += total * plan

    def pass_down(times: Counter[int], believed: tuple[Array, Array]) -> None:
        for number, count in times.items():
            for part, whole in pairs[number]:
                if forest.arrays.player[part.node] != LEAF:
                    continue
                own, thought = (
                    tuple(
                        forest.vectors(r[p], p, part.node, values=False)[part.copy].copy()
                        for p in PLAYERS
                    )
                    for r in (played, believed)
                )
                reached = max(own[0].mean(), own[1].mean())
                share = 1.0 if form == "unsafe" else min(1.0, reached / SHARE)
                if reached > 0 and (kept := int(random.binomial(count, share))):
                    if form != "unsafe":
                        thought = settings.shaken(thought, random)
                    weight = batch[number].weight / share
                    below.append(_Unsearched(whole, own, thought, kept, weight))

    def each(iteration: int) -> None:
        due = when.get(iteration)
        if form == "exact":
            play(search.policy, settings.minimiser.weight(iteration))
        elif due:
            plans[:] = 0
            average = form == "unsafe"
            play(search.average_policy().astype(np.float32) if average else search.policy, 1)
            add(due)
        if due:
            pass_down(due, search.average_reach() if form == "unsafe" else search.believed_reach())

    search.run(settings.iterations, each=each)
    if form == "exact":
        plans /= search.limited.total_weight
        add(all_times)
    return below


def _draw_iterations(
    batch: list[_Unsearched], settings: SearchSettings, random: np.random.Generator, *, evenly: bool
) -> dict[int, Counter[int]]:
    """For each drawn iteration, the subgames that drew it, with counts.

    A subgame draws one for each of its playthroughs, by the iterations' weights; `evenly`: draws at
    the same place are stratified.
    """
    numbers = np.repeat(np.arange(len(batch)), [item.times for item in batch])
    points = random.random(len(numbers))
    if evenly:
        groups: dict[Place, list[int]] = {}
        for draw, number in enumerate(numbers.tolist()):
            groups.setdefault(batch[number].place, []).append(draw)
        for group in groups.values():
            points[group] = (random.permutation(len(group)) + points[group]) / len(group)
    drawn = settings.iterations_at(points)
    counts: dict[int, Counter[int]] = {}
    for number, iteration in zip(numbers.tolist(), drawn.tolist(), strict=True):
        counts.setdefault(iteration, Counter())[number] += 1
    return counts


def _believable(reach: Array) -> Array:
    """The reach by which to search: uniform if it is zero everywhere."""
    return reach if reach.any() else np.ones_like(reach)


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


def played_policy(
    run: TrainedNetwork,
    *,
    search: SearchSettings | None = None,
    playthroughs: int = 32,
    seed: int = 0,
    workers: int | None = None,
    form: Form = "exact",
    each: Callable[[int], None] | None = None,
) -> tuple[PublicTree, NDArray[np.float64]]:
    """The whole tree and the mean policy [slots] that search with a network plays on it.

    `search` is by default as the network's settings say. The policy is the same for any number of
    `workers`, by default one for each core. `each` is told how many playthroughs are done.
    """
    tree = whole_tree(run.game)
    portions = [
        (min(PORTION, playthroughs - at), seed, number)
        for number, at in enumerate(range(0, playthroughs, PORTION))
    ]
    done = 0

    def count(number: int, _: Any) -> None:
        nonlocal done
        done += portions[number][0]
        if each is not None:
            each(done)

    workers = min(default_workers() if workers is None else workers, len(portions))
    setup = partial(_set_up, run.network, search or run.settings.play, form)
    with executor_of(workers).open(setup) as session:
        sums: Any = sum(session.submit(portions).results(count))
    return tree, normalise(tree, sums)


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
