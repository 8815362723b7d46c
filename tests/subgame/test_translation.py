"""Which known bet an unknown one is taken for."""

from __future__ import annotations

import numpy as np
import pytest

from support.subgames import tree_of
from tacit.games import GameError
from tacit.reproduce.safe_subgames.tables import knows_sizes
from tacit.subgame.abstraction import solve_abstraction
from tacit.subgame.blueprint import Blueprint
from tacit.subgame.translation import translate, translated_policy


def test_pseudo_harmonic_translation_of_worked_examples() -> None:
    assert translate(0.5, [0.0, 1.0]) == [(0, pytest.approx(1 / 3)), (1, pytest.approx(2 / 3))]
    assert translate(1 / 3, [0.0, 1.0])[0][1] == pytest.approx(0.5)
    assert translate(1.0, [0.5, 1.0]) == [(0, 0.0), (1, 1.0)]


def test_nearest_translation_takes_the_smaller_of_two_as_near() -> None:
    assert translate(0.7, [0.5, 1.0], "nearest") == [(0, 1.0)]
    assert translate(0.75, [0.5, 1.0], "nearest") == [(0, 1.0)]
    assert translate(0.8, [0.5, 1.0], "nearest") == [(1, 1.0)]


@pytest.mark.parametrize("kind", ["pseudo-harmonic", "nearest"])
def test_bets_beyond_all_known_ones_are_the_last(kind: str) -> None:
    assert translate(0.1, [0.5, 1.0], kind) == [(0, 1.0)]  # type: ignore[arg-type]
    assert translate(9.0, [0.5, 1.0], kind) == [(1, 1.0)]  # type: ignore[arg-type]


def test_what_cannot_be_translated_is_refused() -> None:
    with pytest.raises(GameError, match="no known bet"):
        translate(1.0, [])
    with pytest.raises(GameError, match="no translation 'farthest'"):
        translate(1.0, [1.0], "farthest")  # type: ignore[arg-type]
    tree = tree_of("kuhn")
    blueprint = Blueprint(tree, tree.uniform_policy())
    with pytest.raises(GameError, match="'bet' cannot be translated"):
        translated_policy(blueprint, lambda state, label: label != "bet", 1, "nearest")


def test_an_unknown_raise_is_answered_as_the_known_ones_around_it() -> None:
    tree = tree_of("leduc-raises-1-2-4")
    known = knows_sizes((1, 4))
    solution = solve_abstraction(tree, iterations=200, keep=known, algorithm="dcfr")
    blueprint = Blueprint.of(solution)

    def answer(policy: np.ndarray, moves: str) -> np.ndarray:
        place = tree.find(moves)
        return tree.block(policy, place.node)[:, place.copy]

    drawn = translated_policy(blueprint, known, 1, "pseudo-harmonic")
    nearest = translated_policy(blueprint, known, 1, "nearest")
    small, large = answer(drawn, "raise2"), answer(drawn, "raise8")
    share = translate(2.0, [1.0, 4.0])[0][1]
    assert np.allclose(answer(drawn, "raise4"), share * small + (1 - share) * large)
    assert np.allclose(answer(nearest, "raise4"), small)
    assert np.array_equal(answer(drawn, "raise2"), answer(blueprint.policy, "raise2"))
