"""Bets that a blueprint does not know: nested solving against translation, exactly."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from support.subgames import coin_toss, tree_of
from tacit.games import GameError
from tacit.reproduce.safe_subgames.tables import knows_sizes
from tacit.solvers import evaluate
from tacit.subgame.abstraction import Keep, solve_abstraction
from tacit.subgame.blueprint import Blueprint, with_player
from tacit.subgame.methods import SolveBudget
from tacit.subgame.nested import Form, NestedState, Nesting, everything, nested_policy
from tacit.subgame.translation import KINDS, translated_policy

GAME = "leduc-raises-1-2-4"
EFFORT = SolveBudget(iterations=60)


@cache
def blueprint_without_two() -> tuple[Blueprint, Keep]:
    known = knows_sizes((1, 4))
    tree = tree_of(GAME)
    solution = solve_abstraction(tree, iterations=1000, keep=known, algorithm="dcfr")
    return Blueprint.of(solution), known


def nested_worth(player: int, method: str, form: Form) -> float:
    """What the opponent's best response gets against the written-out policy."""
    blueprint, known = blueprint_without_two()
    nesting = Nesting(player=player, known=known, method=method, form=form, budget=EFFORT)
    written = nested_policy(blueprint, nesting)
    return evaluate(blueprint.tree, written).best_response[1 - player]


def translated_worth(player: int) -> float:
    """The same for the better of both translations."""
    blueprint, known = blueprint_without_two()
    return min(
        evaluate(blueprint.tree, translated_policy(blueprint, known, player, kind)).best_response[
            1 - player
        ]
        for kind in KINDS
    )


@pytest.mark.parametrize("form", ["inexpensive", "full"])
@pytest.mark.parametrize("player", [0, 1])
def test_nested_solving_is_less_exploitable_than_both_translations(player: int, form: Form) -> None:
    assert nested_worth(player, "reach-maxmargin", form) < translated_worth(player) - 0.05


@pytest.mark.slow
@pytest.mark.parametrize("method", ["resolve", "maxmargin", "continual"])
@pytest.mark.parametrize("form", ["inexpensive", "full"])
@pytest.mark.parametrize("player", [0, 1])
def test_so_are_the_other_methods(player: int, form: Form, method: str) -> None:
    assert nested_worth(player, method, form) < translated_worth(player)


def test_with_every_action_known_nothing_is_solved() -> None:
    blueprint, _ = blueprint_without_two()
    for player in (0, 1):
        written = nested_policy(blueprint, Nesting(player=player, known=everything, budget=EFFORT))
        assert np.array_equal(written, blueprint.policy)


def test_solving_always_improves_on_the_blueprint_of_coin_toss() -> None:
    blueprint, _ = coin_toss()
    nesting = Nesting(
        player=1, method="reach-maxmargin", always=True, budget=SolveBudget(double=True)
    )
    written = nested_policy(blueprint, nesting)
    assert evaluate(blueprint.tree, written).best_response[0] == pytest.approx(0.25, abs=1e-3)


def test_a_course_leaves_the_blueprint_where_the_opponent_does() -> None:
    blueprint, known = blueprint_without_two()
    start = NestedState.start(blueprint, Nesting(player=1, known=known, budget=EFFORT))
    tree = blueprint.tree
    labels = [label for label, _ in tree.children(tree.find(""))]
    there = start.after(labels.index("raise2"))
    away = start.after(labels.index("raise4"))
    assert there.values is start.values
    assert not there.left
    assert away.values is not start.values
    assert away.left
    state = away.values.tree.state(away.place.node)
    assert state is tree.state(tree.find("raise4").node)
    chosen = away.chosen()
    unknown = state.expansion.labels.index("raise4")
    assert np.allclose(chosen.sum(axis=0), 1)
    assert np.all(chosen[unknown] == 0)


def test_a_player_keeps_to_himself() -> None:
    blueprint, known = blueprint_without_two()
    written = nested_policy(blueprint, Nesting(player=0, known=known, budget=EFFORT))
    other = with_player(blueprint.tree, written, blueprint.policy, 0)
    assert np.array_equal(other, blueprint.policy)


def test_unknown_forms_and_methods_are_refused() -> None:
    with pytest.raises(GameError, match="no form 'cheap'"):
        Nesting(player=0, form="cheap")  # type: ignore[arg-type]
    with pytest.raises(GameError, match="did you mean 'resolve'"):
        Nesting(player=0, method="resolv")
