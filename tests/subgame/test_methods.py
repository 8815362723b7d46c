"""Subgames solved again: Coin Toss row by row, and what each method promises in other games."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from support.subgames import WEAKNESSES, coin_toss, tree_of, views_of, weak_blueprint
from tacit.games import GameError
from tacit.reproduce.safe_subgames.tables import Weakness
from tacit.solvers import ALGORITHMS, evaluate
from tacit.solvers.oracle import Oracle
from tacit.solvers.solution import written_policy
from tacit.subgame.blueprint import Blueprint, BlueprintValues, SubgameRoot
from tacit.subgame.methods import (
    METHODS,
    SolveBudget,
    SubgameResult,
    find_method,
    improve,
    solve_roots,
    solve_to_the_end,
)

EXACT = ("unsafe", "resolve", "maxmargin", "reach-maxmargin")
LP = SolveBudget(algorithm="lp")
COIN_TOSS = {
    "unsafe": ((1, 0, 0), 0.75),
    "maxmargin": ((5 / 8, 3 / 8, 0), 0.375),
    "reach-maxmargin": ((1 / 2, 1 / 2, 0), 0.25),
}
"""Player 2's policy (heads, tails, forfeit), and what player 1's best response to it is worth."""
GAMES = {"leduc": 2, "liars-dice-1x3": 2, "pursuit-glasses": 2}
"""How many moves below the root the subgames stand."""
SAFE = ("resolve", "maxmargin", "reach-maxmargin")


def solve(view: SubgameRoot, method: str, by: str, whole: Blueprint) -> SubgameResult:
    budget = SolveBudget(algorithm=by, iterations=4000, double=True)
    return solve_roots(whole.tree, [view], method, budget)


def exploitability(blueprint: Blueprint, method: str, depth: int, *, by: str) -> float:
    """NashConv / 2 when both players solve all their subgames again."""
    tree, written = blueprint.tree, blueprint.policy
    for player in (0, 1):
        views = views_of(blueprint, player, depth)
        if by == "lp":
            for view in views:
                written = solve_roots(tree, [view], method, LP).written_into(tree, written)
        else:
            budget = SolveBudget(algorithm=by, iterations=600, double=True)
            written = solve_roots(tree, views, method, budget).written_into(tree, written)
    return evaluate(tree, written).exploitability


def test_the_blueprint_of_coin_toss_is_worth_what_the_paper_says() -> None:
    blueprint, view = coin_toss()
    assert evaluate(blueprint.tree, blueprint.policy).best_response[0] == pytest.approx(0.5)
    assert_allclose(view.best, [0, 0.5], atol=1e-12)
    assert_allclose(view.gifts, [0.5, 0], atol=1e-12)
    assert_allclose(view.whole_gifts, [0.5, 0], atol=1e-12)


@pytest.mark.parametrize("method", COIN_TOSS)
@pytest.mark.parametrize("by", [*ALGORITHMS, "lp"])
def test_coin_toss_row_by_row(method: str, by: str) -> None:
    blueprint, view = coin_toss()
    resolved = solve(view, method, by, blueprint)
    policy, worth = COIN_TOSS[method]
    assert_allclose(resolved.policy, policy, atol=1e-3)
    written = resolved.written_into(blueprint.tree, blueprint.policy)
    assert evaluate(blueprint.tree, written).best_response[0] == pytest.approx(worth, abs=1e-3)


@pytest.mark.parametrize("by", [*ALGORITHMS, "lp"])
def test_resolve_in_coin_toss_is_as_safe_as_the_blueprint(by: str) -> None:
    blueprint, view = coin_toss()
    resolved = solve(view, "resolve", by, blueprint)
    heads, _, forfeit = resolved.policy
    assert 0.5 - 1e-3 <= heads <= 0.75 + 1e-3
    assert forfeit < 1e-3
    assert np.all(resolved.margins()[0] > -1e-3)
    written = resolved.written_into(blueprint.tree, blueprint.policy)
    assert evaluate(blueprint.tree, written).best_response[0] < 0.5 + 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_every_method_keeps_the_margins_of_coin_toss_that_it_should(method: str) -> None:
    blueprint, view = coin_toss()
    resolved = solve_roots(blueprint.tree, [view], method, SolveBudget(double=True))
    offered = resolved.alternatives[0] - resolved.best()[0]
    if method == "unsafe":
        assert offered.min() < -0.4
    else:
        assert offered.min() > -2e-3


def test_scaled_gifts_move_from_maxmargin_to_reach_and_beyond() -> None:
    blueprint, view = coin_toss()
    heads = [
        solve_roots(
            blueprint.tree, [view], "reach-maxmargin", replace(LP, gift_scale=scale)
        ).policy[0]
        for scale in (0, 0.5, 1, 2)
    ]
    assert_allclose(heads, [5 / 8, 9 / 16, 1 / 2, 3 / 8], atol=1e-6)


@pytest.mark.parametrize("weakness", WEAKNESSES)
@pytest.mark.parametrize("game", GAMES)
def test_exact_safe_methods_never_raise_exploitability(game: str, weakness: Weakness) -> None:
    blueprint = weak_blueprint(game, weakness, 0)
    before = evaluate(blueprint.tree, blueprint.policy).exploitability
    for method in SAFE:
        assert exploitability(blueprint, method, GAMES[game], by="lp") < before + 1e-6


@pytest.mark.parametrize("method", SAFE)
def test_safe_methods_hold_for_one_player_at_a_time(method: str) -> None:
    blueprint = weak_blueprint("leduc", "merged infostates", 1)
    before = evaluate(blueprint.tree, blueprint.policy).best_response
    for player in (0, 1):
        views = views_of(blueprint, player, 2)
        resolved = solve_roots(blueprint.tree, views, method, SolveBudget(double=True))
        assert min(float(np.nanmin(margins)) for margins in resolved.margins()) > (
            -0.02 if method != "reach-maxmargin" else -np.inf
        )
        after = evaluate(
            blueprint.tree, resolved.written_into(blueprint.tree, blueprint.policy)
        ).best_response
        assert after[1 - player] < before[1 - player] + 1e-3
        assert after[player] == before[player]


def test_unsafe_solving_raises_exploitability_here_and_safe_solving_does_not() -> None:
    # With some seeds an infostate is indifferent between all its actions, so that rounding chooses
    # its policy, and this policy decides whether unsafe solving fails; not with this one.
    blueprint = weak_blueprint("liars-dice-1x3", "merged infostates", 9)
    before = evaluate(blueprint.tree, blueprint.policy).exploitability
    assert exploitability(blueprint, "unsafe", 2, by="pcfr+") > before + 0.05
    assert exploitability(blueprint, "reach-maxmargin", 2, by="pcfr+") < before + 1e-3


def test_subgames_side_by_side_are_what_they_are_one_by_one() -> None:
    blueprint = weak_blueprint("leduc", "few iterations", 0)
    views = views_of(blueprint, 0, 2)
    budget = SolveBudget(iterations=50, double=True)
    together = solve_roots(blueprint.tree, views, "reach-maxmargin", budget)
    for view, margins in zip(views, together.margins(), strict=True):
        alone = solve_roots(blueprint.tree, [view], "reach-maxmargin", budget)
        assert_allclose(alone.margins()[0], margins, atol=1e-9)


def test_threads_and_single_precision_change_little() -> None:
    blueprint, view = coin_toss()
    single = solve_roots(blueprint.tree, [view], "maxmargin", SolveBudget(threads=2))
    assert_allclose(single.policy, COIN_TOSS["maxmargin"][0], atol=1e-3)


@pytest.mark.parametrize(
    ("algorithm", "mode"), [("linear-cfr", "cfr-d"), ("linear-cfr", "cfr-avg"), ("flop", "cfr-d")]
)
def test_a_depth_limited_subgame_with_a_perfect_evaluator_is_as_safe(
    algorithm: str, mode: str
) -> None:
    blueprint = weak_blueprint("kuhn", "few iterations", 0)
    tree = blueprint.tree
    blueprint_values = BlueprintValues(blueprint, 1)
    place = tree.find("pass")
    budget = SolveBudget(
        algorithm=algorithm,
        iterations=60,
        depth=1,
        evaluator=Oracle(tree.builder, iterations=30),
        mode=mode,  # type: ignore[arg-type]
    )
    view = blueprint_values.at(place)
    shallow = solve_roots(tree, [view], "maxmargin", budget)
    deep = solve_roots(tree, [view], "maxmargin", replace(budget, depth=None))
    assert len(shallow.tree.leaves) > 0
    # What follows is the opponent's alone, so that the root's policy makes all of the margins.
    changed = deep.policy.copy()
    chosen = shallow.tree.block(shallow.policy, shallow.tree.roots[0].node)
    deep.tree.block(changed, deep.tree.roots[0].node)[:] = chosen
    least = [
        float(np.nanmin(found.margins()[0])) for found in (deep, replace(deep, policy=changed))
    ]
    assert least[1] > least[0] - 0.05


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("algorithm", ["linear-cfr", "pcfr+"])
def test_depth_limited_subgames_are_solved_to_the_end_and_stay_safe(
    algorithm: str, player: int
) -> None:
    blueprint = weak_blueprint("kuhn", "few iterations", 0)
    tree = blueprint.tree
    before = evaluate(tree, blueprint.policy).best_response
    views = views_of(blueprint, player, 1)
    budget = SolveBudget(
        algorithm=algorithm,
        iterations=100,
        depth=1,
        evaluator=Oracle(tree.builder, iterations=50),
    )
    for method in SAFE:
        first, *below = solve_to_the_end(tree, views, method, budget)
        assert len(first.tree.leaves) > 0
        assert len(below) > 0
        assert len(below[-1].tree.leaves) == 0
        written = blueprint.policy
        for resolved in (first, *below):
            written = resolved.written_into(tree, written)
        after = evaluate(tree, written).best_response
        assert after[1 - player] < before[1 - player] + 1e-3
        assert after[player] == before[player]


def test_leaves_are_offered_what_the_search_has_counted_on() -> None:
    """With a perfect evaluator those values can be kept below every leaf."""
    blueprint = weak_blueprint("leduc", "merged infostates", 0)
    tree = blueprint.tree
    views = views_of(blueprint, 0, 2)[:2]
    evaluator = Oracle(tree.builder, iterations=100)
    budget = SolveBudget(algorithm="linear-cfr", iterations=100, depth=2, evaluator=evaluator)
    first = solve_roots(tree, views, "maxmargin", budget)
    below = solve_roots(tree, first.below, "maxmargin", SolveBudget(iterations=500, double=True))
    short = [float(np.nanmin(margins)) for margins in below.margins()]
    assert len(short) > 2
    assert min(short) > -0.15
    assert np.mean(short) > -0.02


def test_what_follows_the_leaves_of_fictitious_play_is_not_solved() -> None:
    blueprint, view = coin_toss()
    with pytest.raises(GameError, match="algorithm by regret matching"):
        solve_to_the_end(blueprint.tree, [view], "resolve", SolveBudget(algorithm="flop", depth=1))


def test_both_players_are_solved_again_each_by_themselves() -> None:
    blueprint = weak_blueprint("leduc", "few iterations", 1)
    places = [view.place for view in views_of(blueprint, 0, 2)]
    written = blueprint.policy
    for player in (0, 1):
        values = BlueprintValues(blueprint, player)
        [result] = improve(values, places, "maxmargin", SolveBudget(iterations=300))
        written = result.written_into(blueprint.tree, written)
    before, after = evaluate(blueprint.tree, blueprint.policy), evaluate(blueprint.tree, written)
    assert after.best_response[0] < before.best_response[0]
    assert after.best_response[1] < before.best_response[1]


def test_a_public_state_that_the_blueprint_never_reaches_is_refused() -> None:
    tree = tree_of("kuhn")
    never = {"": {card: {"pass": 1.0} for card in "JQK"}}
    blueprint = Blueprint(tree, written_policy(tree, never))
    with pytest.raises(GameError, match=r"never reaches .* player 1 does not come here"):
        BlueprintValues(blueprint, 0).at(tree.find("bet"))
    blueprint_values = BlueprintValues(blueprint, 1)
    place = tree.find("bet")
    with pytest.raises(GameError, match=r"of the opponent has any reach here.* safe method"):
        improve(blueprint_values, [place], "unsafe", SolveBudget())
    [safe] = improve(blueprint_values, [place], "maxmargin", SolveBudget())
    assert safe.margins()[0].min() > -1e-3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0.0, np.nan], "not all numbers"),
        ([0.0, 0.5, 0.5], "shape \\(3,\\)"),
        ([0.0, 1.5], "1.5 is impossible: this game pays the opponent from -1 to 1"),
    ],
)
def test_impossible_alternative_payoffs_are_refused(wrong: list[float], message: str) -> None:
    blueprint, view = coin_toss()
    with pytest.raises(GameError, match=message):
        solve_roots(blueprint.tree, [replace(view, best=np.array(wrong))], "maxmargin")
    with pytest.raises(GameError, match=message):
        solve_roots(blueprint.tree, [replace(view, best=np.array(wrong))], "maxmargin", LP)


def test_other_wrong_requests_are_refused() -> None:
    blueprint, view = coin_toss()
    with pytest.raises(GameError, match="did you mean 'maxmargin'"):
        find_method("maxmargim")
    with pytest.raises(GameError, match="no subgame is given"):
        solve_roots(blueprint.tree, [], "resolve")
    with pytest.raises(GameError, match="cannot be scaled by -1"):
        solve_roots(blueprint.tree, [view], "reach-maxmargin", SolveBudget(gift_scale=-1))
    with pytest.raises(GameError, match="needs an evaluator"):
        solve_roots(blueprint.tree, [view], "resolve", SolveBudget(depth=1))
    with pytest.raises(GameError, match="is no linear program"):
        solve_roots(blueprint.tree, [view], "continual", LP)
    with pytest.raises(GameError, match="solves one subgame to its end"):
        solve_roots(blueprint.tree, [view, view], "resolve", LP)
