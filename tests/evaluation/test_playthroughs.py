"""Playthroughs: where they are, which leaves are drawn, and how evenly."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.evaluation import playthroughs
from tacit.evaluation.playthroughs import (
    Playthroughs,
    Samples,
    first_samples,
    levels,
    opposite_normals,
    search_samples,
)
from tacit.evaluation.search_play import search_policy
from tacit.games import load_game
from tacit.learn.settings import SearchSettings
from tacit.solvers import evaluate, normalise
from tacit.solvers.leaves import Zero
from tacit.subgame.methods import matching_places
from tacit.tree import Builder, Place, PublicTree, build_forest


def whole(game: str) -> PublicTree:
    builder = Builder(load_game(game))
    return build_forest(builder, [builder.root])


def below(tree: PublicTree, settings: SearchSettings, times: int, seed: int = 0) -> Samples:
    """The samples of the second level."""
    random, sums = np.random.default_rng(seed), np.zeros(tree.sizes.slots)
    first = first_samples(tree, times)
    [found] = search_samples(tree, Zero(), settings, first, random, "exact", sums)
    return found


@pytest.mark.parametrize("game", ["liars-dice-1x3", "leduc", "kuhn"])
def test_every_public_state_of_a_forest_is_found_in_the_whole_tree(game: str) -> None:
    tree = whole(game)
    settings = SearchSettings(iterations=8, depth=1)
    samples = below(tree, settings, times=40)
    forest = Playthroughs(tree, settings, samples)
    for number, root in enumerate(forest.forest.roots):
        place = Place(int(samples.node[number]), int(samples.copy[number]))
        for here, there in matching_places(forest.forest, root, tree, place):
            copy = forest.start[here.node] + here.copy
            found = forest.subgame[copy], forest.node[copy], forest.copy[copy]
            assert found == (number, there.node, there.copy)


def test_rare_places_are_searched_less_and_count_for_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = whole("liars-dice-1x3")
    settings = SearchSettings(iterations=16, depth=1)
    found, solved = {}, {}
    for share in (1e-9, 0.5):
        monkeypatch.setattr(playthroughs, "SHARE", share)
        counts: list[int] = []
        found[share] = search_policy(
            tree, Zero(), settings, playthroughs=256, random=np.random.default_rng(0),
            each=counts.append,
        )  # fmt: skip
        solved[share] = sum(counts)
    assert solved[0.5] < 0.7 * solved[1e-9]
    # The plans' totals are those of all playthroughs, but for luck.
    assert found[0.5].sum() == pytest.approx(found[1e-9].sum(), rel=0.03)
    values = [evaluate(tree, normalise(tree, sums)).value for sums in found.values()]
    assert values[0] == pytest.approx(values[1], abs=0.02)


def test_a_rare_place_has_no_larger_weight_than_its_reach_needs() -> None:
    tree = whole("liars-dice-1x3")
    settings = SearchSettings(iterations=16, depth=1)
    samples, random = first_samples(tree, 64), np.random.default_rng(0)
    deepest = 0
    while len(samples.node):
        parts = search_samples(
            tree, Zero(), settings, samples, random, "sampled", np.zeros(tree.sizes.slots)
        )
        if not parts:
            break
        [samples] = parts
        deepest += 1
        counts = np.array([tree.state(node).counts for node in samples.node.tolist()])
        reached = np.max([samples.played[p].sum(axis=1) / counts[:, p] for p in (0, 1)], axis=0)
        # However many levels thinned the playthroughs, weight times reach is one at most.
        assert np.all(samples.weight * reached <= 1 + 1e-5)
    assert deepest > 3


def test_the_form_that_is_drawn_evenly_differs_less_between_seeds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = whole("liars-dice-1x3")
    settings = SearchSettings(iterations=64, depth=1, algorithm="linear-cfr")

    def spread(form: playthroughs.Form, candidates: int) -> float:
        monkeypatch.setattr(playthroughs, "CANDIDATES", candidates)
        plans = []
        for seed in range(6):
            sums = np.zeros(tree.sizes.slots)
            first, random = first_samples(tree, 64), np.random.default_rng(seed)
            list(levels(tree, Zero(), settings, first, random, form, sums, largest=512))
            plans.append(sums / 64)
        return float(np.var(plans, axis=0).sum())

    alone = spread("exact", 1)
    assert alone < 0.5 * spread("sampled", 1)
    assert spread("exact", 8) < 0.8 * alone


def test_noise_comes_in_opposite_pairs_and_is_normal() -> None:
    noise = opposite_normals(4001, 12, np.random.default_rng(0))
    assert noise.shape == (4001, 12)
    assert np.array_equal(noise[0:4000:2], -noise[1:4000:2])
    assert noise.std(axis=0) == pytest.approx(np.ones(12), abs=0.03)
    correlations = np.corrcoef(noise.T) - np.eye(12)
    assert np.abs(correlations).max() < 0.1
    # Tails too: one in twenty variates is beyond 1.96.
    assert (np.abs(noise) > 1.96).mean() == pytest.approx(0.05, abs=0.005)


def test_samples_whose_beliefs_tremble_count_once() -> None:
    tree = whole("liars-dice-1x3")
    still = below(tree, SearchSettings(iterations=4, depth=1), times=200)
    shaken = below(tree, SearchSettings(iterations=4, depth=1, tremble=0.1), times=200)
    assert still.times.max() > 1
    assert np.all(shaken.times == 1)
    assert len(shaken.times) == still.times.sum()
    assert len(np.unique(shaken.believed[0], axis=0)) > len(np.unique(still.believed[0], axis=0))
