"""Blueprints and what they say about subgames, beside slow and obvious versions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from support.subgames import coin_toss, tree_of, weak_blueprint
from tacit.games import GameError
from tacit.solvers import evaluate
from tacit.solvers.best_response import infostate_values
from tacit.subgame.abstraction import frontier, solve_abstraction
from tacit.subgame.blueprint import Blueprint, BlueprintValues, least_gifts, with_player
from tacit.tree import Place

GAMES = ("kuhn", "leduc", "liars-dice-1x3", "pursuit-ring")


def test_a_policy_of_another_game_is_no_blueprint() -> None:
    leduc = tree_of("leduc").uniform_policy()
    with pytest.raises(GameError, match=r"a blueprint of kuhn has .* it belongs to another game"):
        Blueprint(tree_of("kuhn"), leduc)
    tree = tree_of("kuhn")
    with pytest.raises(GameError, match="another game"):
        Blueprint(tree, tree.uniform_policy(), leduc)


def test_values_are_estimated_by_the_last_policy_of_the_solver() -> None:
    solution = solve_abstraction(tree_of("kuhn"), iterations=7)
    blueprint = Blueprint.of(solution)
    assert np.array_equal(blueprint.policy, solution.policy)
    assert blueprint.response is not None
    for player in (0, 1):
        mixed = blueprint.estimating(player)
        for node in np.flatnonzero(blueprint.tree.arrays.player < 2).tolist():
            own = blueprint.tree.arrays.player[node] == player
            source = blueprint.response if own else blueprint.policy
            assert np.array_equal(
                blueprint.tree.block(mixed, node), blueprint.tree.block(source, node)
            )
    plain = Blueprint(blueprint.tree, blueprint.policy)
    assert np.array_equal(plain.estimating(0), blueprint.policy)
    back = with_player(plain.tree, plain.policy, plain.policy, 1)
    assert np.array_equal(back, plain.policy)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("player", [0, 1])
def test_at_the_root_a_view_is_the_best_response_to_the_whole(game: str, player: int) -> None:
    blueprint = weak_blueprint(game, "few iterations", 1)
    blueprint_values = BlueprintValues(blueprint, player)
    worth = evaluate(blueprint.tree, blueprint.policy).best_response[1 - player]
    assert blueprint_values.value() == pytest.approx(worth)
    root = Place(*blueprint.tree.roots[0])
    view = blueprint_values.at(root)
    likely = view.weights * view.reach[view.opponent]
    assert np.nansum(likely * view.best) / likely.sum() == pytest.approx(worth)
    assert_allclose(view.gifts, 0)
    assert_allclose(view.whole_gifts, 0)
    assert blueprint_values.tree.path_to(root) == []
    assert blueprint_values.names(root) == ""


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("player", [0, 1])
def test_views_have_the_values_of_the_whole_tree(game: str, player: int) -> None:
    blueprint = weak_blueprint(game, "few iterations", 1)
    tree, blueprint_values = blueprint.tree, BlueprintValues(blueprint, player)
    best = infostate_values(tree, blueprint.policy, 1 - player, best=True)
    expected = infostate_values(tree, blueprint.estimating(1 - player), 1 - player)
    seen = 0
    for place in frontier(tree, 2):
        if blueprint_values.reaches(place):
            view = blueprint_values.at(place)
            possible = view.weights > 0
            for found, known in ((view.best, best), (view.estimate, expected)):
                assert_allclose(found[possible], known[place.node][place.copy][possible])
            assert np.all(view.best[possible] >= view.estimate[possible] - 1e-12)
            assert np.all(view.gifts >= 0)
            assert np.all(view.whole_gifts[possible] >= view.gifts[possible] - 1e-9)
            seen += 1
    assert seen > 0


def test_a_gift_is_what_the_move_on_the_way_was_worth_less_than_the_best() -> None:
    """Kuhn: player 1 has bet, which the best response would not do with every card."""
    blueprint = weak_blueprint("kuhn", "few iterations", 0)
    tree, blueprint_values = blueprint.tree, BlueprintValues(blueprint, 1)
    best = infostate_values(tree, blueprint.policy, 0, best=True)
    root, bet = Place(*tree.roots[0]), tree.find("bet")
    view = blueprint_values.at(bet)
    lost = best[root.node][root.copy] - best[bet.node][bet.copy]
    assert lost.max() > 0.1
    assert_allclose(view.gifts, np.maximum(lost, 0), atol=1e-12)
    # Player 2 has not moved yet: what is given away is given to this subgame alone.
    assert_allclose(view.whole_gifts, view.gifts, atol=1e-12)


@pytest.mark.parametrize("game", ["leduc", "liars-dice-1x3"])
def test_each_subgame_after_her_move_may_take_what_the_move_has_lost(game: str) -> None:
    blueprint = weak_blueprint(game, "few iterations", 0)
    tree, blueprint_values = blueprint.tree, BlueprintValues(blueprint, 0)
    for _, first in tree.children(Place(*tree.roots[0])):
        if not blueprint_values.reaches(first) or tree.arrays.player[first.node] != 1:
            continue
        above = blueprint_values.at(first)
        for _, below in tree.children(first):
            if blueprint_values.reaches(below) and tree.arrays.player[below.node] == 0:
                view = blueprint_values.at(below)
                # Only she has moved in between: as likely as before, and the gift is her loss.
                assert_allclose(view.weights, above.weights, atol=1e-12)
                lost = np.maximum(above.best - view.best, 0)
                assert_allclose(view.gifts, lost, atol=1e-9)


def test_paths_and_names_lead_from_the_root() -> None:
    blueprint = weak_blueprint("leduc", "few iterations", 0)
    tree, blueprint_values = blueprint.tree, BlueprintValues(blueprint, 0)
    for place in frontier(tree, 3):
        names = blueprint_values.names(place)
        assert tree.find(names) == place
        assert len(blueprint_values.tree.path_to(place)) == len(names.split())
    with pytest.raises(GameError, match="is no public state of this tree"):
        blueprint_values.tree.path_to(Place(tree.nodes - 1, 10_000))


def test_where_nobody_can_come_there_is_no_view() -> None:
    blueprint, view = coin_toss()
    blueprint_values = BlueprintValues(blueprint, 1)
    sold = blueprint.tree.find("sell")
    assert not blueprint_values.reaches(sold)
    assert blueprint_values.reaches(view.place)
    with pytest.raises(GameError, match="the game is over"):
        blueprint_values.at(sold)
    with pytest.raises(GameError, match="there is no player 2"):
        BlueprintValues(blueprint, 2)


def test_of_several_gifts_the_least_counts() -> None:
    found = least_gifts(4, np.array([0, 2, 2, 0]), np.array([3.0, 5.0, 4.0, 1.0]))
    assert_allclose(found, [1, 0, 4, 0])
