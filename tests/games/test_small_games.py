"""Facts about the games that fit on a page."""

from __future__ import annotations

import pytest

from tacit.games import TERMINAL, GameError, State, load_game


def terminals(state: State) -> list[State]:
    if state.player == TERMINAL:
        return [state]
    return [end for action in state.actions() for end in terminals(state.child(action))]


@pytest.mark.parametrize(
    ("notation", "payoff"),
    [
        ("rock rock", 0),
        ("rock paper", -1),
        ("rock scissors", 2),
        ("paper rock", 1),
        ("paper paper", 0),
        ("paper scissors", -2),
        ("scissors rock", -2),
        ("scissors paper", 2),
        ("scissors scissors", 0),
    ],
)
def test_scissors_count_double(notation: str, payoff: float) -> None:
    assert load_game("rock-paper-scissors").replay(notation).payoff() == payoff


def test_a_chosen_sign_is_hidden() -> None:
    state = load_game("rock-paper-scissors").replay("paper")
    assert state.private(0) == 1
    assert state.private(1) is None
    assert "paper" in state.render(0)
    assert "paper" not in state.render(1)


@pytest.mark.parametrize(
    ("notation", "payoff"),
    [
        ("heads sell", 0.5),
        ("tails sell", -0.5),
        ("heads play heads", -1),
        ("heads play tails", 1),
        ("heads play forfeit", 1),
        ("tails play heads", 1),
        ("tails play tails", -1),
        ("tails play forfeit", 1),
    ],
)
def test_coin_toss_pays_as_published(notation: str, payoff: float) -> None:
    assert load_game("coin-toss").replay(notation).payoff() == payoff


def test_coin_toss_has_no_other_ends() -> None:
    assert len(terminals(load_game("coin-toss").initial())) == 8


@pytest.mark.parametrize(
    ("notation", "payoff"),
    [
        ("KQ pass pass", 1),
        ("JQ pass pass", -1),
        ("JQ bet pass", 1),
        ("KQ pass bet pass", -1),
        ("KQ bet bet", 2),
        ("QK pass bet bet", -2),
    ],
)
def test_kuhn_pays(notation: str, payoff: float) -> None:
    assert load_game("kuhn").replay(notation).payoff() == payoff


def test_kuhn_has_thirty_ends_in_five_public_ones() -> None:
    ends = terminals(load_game("kuhn").initial())
    assert len(ends) == 30
    assert len({end.public() for end in ends}) == 5


def test_a_move_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(GameError, match=r"move 2 of 'KQ call': 'call' .* pass, bet"):
        load_game("kuhn").replay("KQ call")
