"""Rivers of a hold'em turn solved again: card removal, boards that share suits, ranges of nodes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tacit.games.holdem.spot import Spot
from tacit.solvers import Solver, evaluate, find_algorithm
from tacit.subgame.blueprint import Blueprint, BlueprintValues
from tacit.subgame.methods import SolveBudget, solve_roots
from tacit.tree import CHANCE, PLAYERS, Place, PublicTree
from tacit.tree.cards.builder import build_spot

SPOT = Spot.of(
    "2c7dJhQs",
    ranges=("AcAd,9s8s,KhTh,6h5h", "KsKd,Tc8c,AhJs,4c4d"),
    pot=100,
    behind=100,
    bets={"turn": "a", "river": "50%,a"},
)


def rivers(tree: PublicTree) -> list[Place]:
    """The public states that follow a deal and in which the game goes on."""
    found = []
    for place, _ in tree.walk():
        if tree.arrays.player[place.node] == CHANCE:
            found += [
                child
                for _, child in tree.children(place)
                if tree.state(child.node).mover in PLAYERS
            ]
    return found


@pytest.mark.parametrize("isomorphism", [True, False])
@pytest.mark.parametrize("method", ["maxmargin", "reach-maxmargin"])
def test_safe_rivers_do_not_raise_what_the_opponent_gets(method: str, isomorphism: bool) -> None:
    tree = build_spot(SPOT, isomorphism=isomorphism)
    weak = Solver(tree, find_algorithm("dcfr"), storage=64)
    weak.run(4)
    blueprint = Blueprint(tree, weak.average_policy(), weak.policy)
    before = evaluate(tree, blueprint.policy)
    for player in PLAYERS:
        blueprint_values = BlueprintValues(blueprint, player)
        assert blueprint_values.value() == pytest.approx(before.best_response[1 - player])
        written = blueprint.policy
        for place in rivers(tree):
            if blueprint_values.reaches(place):
                found = solve_roots(
                    tree,
                    [blueprint_values.at(place)],
                    method,
                    SolveBudget(iterations=100, double=True),
                )
                written = found.written_into(tree, written)
        after = evaluate(tree, written)
        assert after.best_response[1 - player] < before.best_response[1 - player] - 0.1


def test_a_river_solved_again_agrees_with_the_linear_program() -> None:
    tree = build_spot(SPOT, isomorphism=False)
    weak = Solver(tree, find_algorithm("dcfr"), storage=64)
    weak.run(4)
    blueprint_values = BlueprintValues(Blueprint(tree, weak.average_policy()), 1)
    view = next(
        blueprint_values.at(place) for place in rivers(tree) if blueprint_values.reaches(place)
    )
    exact = solve_roots(tree, [view], "maxmargin", SolveBudget(algorithm="lp"))
    found = solve_roots(tree, [view], "maxmargin", SolveBudget(iterations=2000, double=True))
    least = [float(np.nanmin(one.margins()[0])) for one in (exact, found)]
    assert_allclose(least[0], least[1], atol=0.05)
