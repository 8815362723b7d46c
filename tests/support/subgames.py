"""Coin Toss with its blueprint, and weak blueprints of small games."""

from __future__ import annotations

from functools import cache

import numpy as np

from support.small_games import small_game
from tacit.solve.abstraction import frontier, random_groups, random_removal, solve_abstraction
from tacit.solve.blueprint import Blueprint, Survey, View
from tacit.solve.words import find_place, written_policy
from tacit.tree import PublicTree, build_tree

WEAKNESSES = ("few iterations", "merged infostates", "missing actions")


@cache
def tree_of(game: str) -> PublicTree:
    return build_tree(small_game(game))


def coin_toss() -> tuple[Blueprint, View]:
    """The blueprint of references, and player 2's view of what follows *play*."""
    tree = tree_of("coin-toss")
    blueprint = Blueprint(tree, written_policy(tree, tree.game.blueprint))
    return blueprint, Survey(blueprint, 1).at(find_place(tree, "play"))


@cache
def weak_blueprint(game: str, weakness: str, seed: int) -> Blueprint:
    tree = tree_of(game)
    random = np.random.default_rng([seed, WEAKNESSES.index(weakness)])
    groups = random_groups(tree, 2, random) if weakness == "merged infostates" else None
    keep = random_removal(tree, 0.3, random) if weakness == "missing actions" else None
    iterations = 2 + seed if weakness == "few iterations" else 50
    return Blueprint.of(solve_abstraction(tree, iterations=iterations, groups=groups, keep=keep))


def views_below(blueprint: Blueprint, player: int, depth: int) -> list[View]:
    """What the player sees in all subgames so many moves below the root that he comes to."""
    survey = Survey(blueprint, player)
    places = [place for place in frontier(blueprint.tree, depth) if survey.comes_to(place)]
    return [survey.at(place) for place in places]
