from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tacit.games import CHANCE, TERMINAL, GameError, State, load_game
from tacit.solvers import Limits, solve_tree
from tacit.tree import build_tree

LEDUC = load_game("leduc")


@pytest.mark.parametrize(
    ("notation", "payoff"),
    [
        ("JK raise fold", 1),
        ("JK check raise fold", -1),
        ("JK raise raise fold", -3),
        ("JK check check J check check", 1),
        ("JK check check Q check check", -1),
        ("JK check check K check check", -1),
        ("QQ raise call K raise call", 0),
        ("KJ raise raise call Q raise raise call", 13),
        ("KJ raise raise call J raise raise call", -13),
        ("KJ raise call J raise fold", 3),
        ("KJ raise call J raise raise fold", -7),
    ],
)
def test_hands_pay_as_they_should(notation: str, payoff: float) -> None:
    assert LEDUC.replay(notation).payoff() == payoff


@pytest.mark.parametrize(
    ("notation", "labels"),
    [
        ("JQ", "check raise"),
        ("JQ check", "check raise"),
        ("JQ raise", "fold call raise"),
        ("JQ raise raise", "fold call"),
        ("JQ check check K", "check raise"),
        ("JJ check check", "Q K"),
    ],
)
def test_moves_that_are_possible(notation: str, labels: str) -> None:
    state = LEDUC.replay(notation)
    assert " ".join(state.label(action) for action in state.actions()) == labels


def test_no_one_folds_for_free() -> None:
    with pytest.raises(GameError, match="check, raise"):
        LEDUC.replay("JQ fold")


def test_ranks_stand_for_the_six_cards() -> None:
    """With six cards there are 5,520 ends, from 30 deals of two cards or 120 of three."""

    def ends(state: State, chance: float, deals: int) -> Iterator[float]:
        if state.player == TERMINAL:
            yield chance * deals
        elif state.player == CHANCE:
            further = 30 if deals == 1 else deals * 4
            for action, weight in zip(state.actions(), state.chance(), strict=True):
                yield from ends(state.child(action), chance * weight, further)
        else:
            for action in state.actions():
                yield from ends(state.child(action), chance, deals)

    assert sum(ends(LEDUC.initial(), 1.0, 1)) == pytest.approx(5520)


def test_chance_knows_that_cards_come_twice() -> None:
    start = LEDUC.initial()
    deals = dict(zip(map(start.label, start.actions()), start.chance(), strict=True))
    assert deals["JJ"] == pytest.approx(1 / 15)
    assert deals["JQ"] == pytest.approx(2 / 15)
    assert LEDUC.replay("JJ check check").chance() == (0.5, 0.5)
    assert LEDUC.replay("JQ check check").chance() == (0.25, 0.25, 0.5)


def test_one_size_is_leduc() -> None:
    limits = Limits(iterations=300)
    plain = solve_tree(build_tree(load_game("leduc")), limits)
    single = solve_tree(build_tree(load_game("leduc-raises-1")), limits)
    assert single.value == pytest.approx(plain.value, abs=1e-9)
    assert single.tree.public_states == plain.tree.public_states


def test_raises_put_in_what_they_say() -> None:
    game = load_game("leduc-raises-1-3")
    state = game.replay("JQ raise6 raise2 call K")
    assert state.render().endswith("In the pot: 9 and 9. Betting: 21c/.")
    assert [state.label(action) for action in state.actions()] == ["check", "raise4", "raise12"]
    assert [state.action_size(action) for action in state.actions()] == [None, 4 / 18, 12 / 18]
    end = game.replay("JQ raise6 raise2 call K check raise12 fold")
    assert end.payoff() == -9


def test_no_more_than_two_raises_a_round() -> None:
    state = load_game("leduc-raises-1-2-4").replay("JQ raise8 raise8")
    assert [state.label(action) for action in state.actions()] == ["fold", "call"]


def test_sizes_are_written_in_order() -> None:
    for wrong in ("2-1", "1-1", "-".join(map(str, range(1, 12)))):
        with pytest.raises(GameError, match="the smallest first"):
            load_game(f"leduc-raises-{wrong}")


def test_players_alternate_whatever_the_size() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        end, notation = load_game("leduc-raises-1-2-4").playout(random)
        assert abs(end.payoff()) <= 1 + 2 * 8 + 2 * 16, notation
