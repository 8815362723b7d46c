from __future__ import annotations

from collections.abc import Hashable

import pytest

from tacit.games import TERMINAL, State, load_game

GAME = load_game("tic-tac-toe")


@pytest.mark.parametrize(
    ("notation", "payoff"),
    [
        ("a1 b1 a2 b2 a3", 1),
        ("a1 a3 a2 b3 c1 c3", -1),
        ("b2 b1 a1 c1 c3", 1),
        ("b2 a1 a3 c1 b1 b3 a2 c2 c3", 0),
    ],
)
def test_three_in_a_line_win(notation: str, payoff: float) -> None:
    state = GAME.replay(notation)
    assert state.player == TERMINAL
    assert state.payoff() == payoff


def test_the_board_is_drawn_with_its_coordinates() -> None:
    assert GAME.replay("a1 b2 c3").render() == "3  . . X\n2  . O .\n1  X . .\n   a b c"


def test_all_games_are_counted() -> None:
    """255,168 games over 5,478 positions, and a draw between players who make no mistake."""
    known: dict[Hashable, tuple[int, float]] = {}

    def look(state: State) -> tuple[int, float]:
        key = state.subgame_key()
        if key not in known:
            if state.player == TERMINAL:
                known[key] = (1, state.payoff())
            else:
                below = [look(state.child(action)) for action in state.actions()]
                best = max if state.player == 0 else min
                known[key] = (sum(games for games, _ in below), best(value for _, value in below))
        return known[key]

    assert look(GAME.initial()) == (255_168, 0.0)
    assert len(known) == 5_478
