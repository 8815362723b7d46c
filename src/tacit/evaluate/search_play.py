"""The policy that search plays, written out over the whole game, and so its exploitability.

An agent that searches at every move plays, in each *playthrough*, by the policy of one randomly
sampled iteration of each search, and passes that iteration's beliefs down (ReBeL, section 6). The
policy that counts is the mean over all playthroughs. It is estimated from a number of them, each
played out over every public state; since an average over few is more exploitable than over many,
the figure is an upper bound in expectation, as in the paper's Table 2.

Within one search the mean over its sampled iteration is known exactly: it is the search's average
policy. So only the beliefs that are passed down are sampled (`exact`, our default), and evenly: the
playthroughs that come to one public state share out the iterations there between them. The paper's
own measure (`sampled`) draws each by itself, and also plays each search by its sampled iteration.
With `unsafe` the average policy's beliefs are passed down instead, which is not sound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.learn.self_play import SearchSettings
from tacit.solve.engine import normalise
from tacit.solve.evaluation import Evaluation, evaluate
from tacit.solve.leaves import Evaluator
from tacit.solve.minimiser import find_algorithm
from tacit.solve.search import Search
from tacit.tree import CHANCE, LEAF, PLAYERS, Place, PublicTree, build_forest
from tacit.tree.passes import descend

Array = NDArray[Any]
Form = Literal["exact", "sampled", "unsafe"]
FOREST = 2048
"""How many subgames are solved as one forest."""


@dataclass(frozen=True)
class _Frontier:
    """A subgame still to be searched: where it stands, and both players' own reaches there."""

    place: Place
    reach: tuple[Array, Array]


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
    """[slots] sums over playthroughs of the realisation plans that search plays on a whole tree.

    `normalise` makes a policy of them, and sums of several calls may be added. `each` is told how
    many subgames have been solved.
    """
    sums = np.zeros(tree.sizes.slots)
    root = Place(*tree.roots[0])
    counts = tree.state(root.node).counts
    waiting = [_Frontier(root, (np.ones(counts[0]), np.ones(counts[1])))] * playthroughs
    if form == "unsafe":
        waiting = waiting[:1]
    while waiting:
        batch, waiting = waiting[-FOREST:], waiting[:-FOREST]
        waiting += _search(tree, evaluator, settings, batch, random, form, sums)
        if each is not None:
            each(len(batch))
    return sums


def search_exploitability(
    tree: PublicTree,
    evaluator: Evaluator,
    settings: SearchSettings,
    *,
    playthroughs: int,
    random: np.random.Generator,
    form: Form = "exact",
) -> Evaluation:
    """The value and exploitability of search's mean policy over `playthroughs`."""
    sums = search_policy(
        tree, evaluator, settings, playthroughs=playthroughs, random=random, form=form
    )
    return evaluate(tree, normalise(tree, sums))


def _search(
    tree: PublicTree,
    evaluator: Evaluator,
    settings: SearchSettings,
    batch: list[_Frontier],
    random: np.random.Generator,
    form: Form,
    sums: NDArray[np.float64],
) -> list[_Frontier]:
    """Solve a batch of subgames, add what they play to `sums`, and return what is below them."""
    states = [tree.state(item.place.node) for item in batch]
    forest = build_forest(tree.builder, states, depth=settings.depth)
    beliefs = [(_believable(item.reach[0]), _believable(item.reach[1])) for item in batch]
    search = Search(
        forest,
        find_algorithm(settings.algorithm),
        evaluator,
        beliefs=beliefs,
        mode=settings.mode,
    )
    pairs = [_pairs(tree, forest, item.place, number) for number, item in enumerate(batch)]
    places = [item.place for item in batch]
    when = _draw_iterations(places, settings.weights(), random, evenly=form == "exact")
    below: list[_Frontier] = []
    playing: list[tuple[int, int, Array]] = []

    def pass_down(numbers: list[int], reach: tuple[Array, Array]) -> None:
        for number in numbers:
            for whole, part in pairs[number]:
                if forest.arrays.player[part.node] != LEAF:
                    continue
                own = tuple(
                    forest.vectors(reach[p], p, part.node, values=False)[part.copy].astype(
                        np.float64
                    )
                    * _scale(batch[number].reach[p])
                    for p in PLAYERS
                )
                if own[0].any() or own[1].any():
                    below.append(_Frontier(whole, (own[0], own[1])))

    def each(iteration: int) -> None:
        due = np.flatnonzero(when == iteration).tolist()
        if due and form != "unsafe":
            pass_down(due, search.work.reach)
        if due and form == "sampled":
            for number in due:
                playing.append((number, iteration, search.policy.copy()))

    search.run(settings.iterations, each=each)
    if form == "unsafe":
        pass_down(list(range(len(batch))), search.average_reach())
    plans = search.sums / search.total_weight
    if form == "sampled":
        plans = _plans_of(search, playing)
    for number, item in enumerate(batch):
        for whole, part in pairs[number]:
            mover = forest.arrays.player[part.node]
            if mover < CHANCE:
                plan = forest.block(plans, part.node)[:, part.copy, :]
                tree.block(sums, whole.node)[:, whole.copy, :] += plan * _scale(item.reach[mover])
    return below


def _draw_iterations(
    places: list[Place], shares: Array, random: np.random.Generator, *, evenly: bool
) -> NDArray[np.int64]:
    """[places] an iteration for each, by its share; `evenly` over those at the same place."""
    points = random.random(len(places))
    if evenly:
        groups: dict[Place, list[int]] = {}
        for number, place in enumerate(places):
            groups.setdefault(place, []).append(number)
        for group in groups.values():
            points[group] = (random.permutation(len(group)) + points[group]) / len(group)
    found: NDArray[np.int64] = 1 + np.searchsorted(np.cumsum(shares)[:-1], points, side="right")
    return found


def _plans_of(search: Search, playing: list[tuple[int, int, Array]]) -> Array:
    """[slots] each root's part of the plan of the policy it was sampled to play."""
    forest = search.tree
    plans = np.zeros_like(search.sums)
    for number, _, policy in playing:
        own = np.zeros_like(search.sums)
        for player in PLAYERS:
            descend(forest.arrays, player, policy, search.spare_reach[player], own, np.float32(1))
        root = forest.roots[number]
        for place, _ in forest.walk(Place(root.node, root.copy)):
            if forest.arrays.player[place.node] < CHANCE:
                block = forest.block(plans, place.node)
                block[:, place.copy, :] = forest.block(own, place.node)[:, place.copy, :]
    return plans


def _believable(reach: Array) -> Array:
    """A reach to search with: where there is none at all, anything is as likely."""
    return reach if reach.any() else np.ones_like(reach)


def _scale(reach: Array) -> float:
    """What undoes `_believable`: a player who cannot be here adds nothing."""
    return 1.0 if reach.any() else 0.0


def _pairs(
    tree: PublicTree, forest: PublicTree, place: Place, number: int
) -> list[tuple[Place, Place]]:
    """The places of a subgame in the whole tree and in the forest, side by side."""
    root = forest.roots[number]
    stack = [(place, Place(root.node, root.copy))]
    found = []
    while stack:
        whole, part = stack.pop()
        found.append((whole, part))
        if forest.arrays.edge_count[part.node]:
            stack += zip(
                (child for _, child in tree.children(whole)),
                (child for _, child in forest.children(part)),
                strict=True,
            )
    return found
