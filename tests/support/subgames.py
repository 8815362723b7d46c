"""Coin Toss with its blueprint, and weak blueprints of small games."""

from __future__ import annotations

from functools import cache

from support.small_games import small_game
from tacit.reproduce.safe_subgames import tables as safe_tables
from tacit.reproduce.safe_subgames.tables import WEAKNESSES, Weakness, views_of
from tacit.solvers.solution import written_policy
from tacit.subgame.blueprint import Blueprint, BlueprintValues, SubgameRoot
from tacit.tree import PublicTree, build_tree

__all__ = ["WEAKNESSES", "coin_toss", "tree_of", "views_of", "weak_blueprint"]


@cache
def tree_of(game: str) -> PublicTree:
    return build_tree(small_game(game))


def coin_toss() -> tuple[Blueprint, SubgameRoot]:
    """The blueprint of references, and player 2's view of what follows *play*."""
    tree = tree_of("coin-toss")
    blueprint = Blueprint(tree, written_policy(tree, tree.game.blueprint))
    return blueprint, BlueprintValues(blueprint, 1).at(tree.find("play"))


@cache
def weak_blueprint(game: str, weakness: Weakness, seed: int) -> Blueprint:
    return safe_tables.weak_blueprint(tree_of(game), weakness, seed)
