from __future__ import annotations

import pickle

import pytest

from tacit.games import TERMINAL, load_game
from tacit.games.boards.connect_four import COLUMNS, HEIGHT, ROWS, has_four

GAME = load_game("connect-four")


@pytest.mark.parametrize(
    ("notation", "payoff"),
    [
        ("1 2 1 2 1 2 1", 1),
        ("1 1 2 2 3 3 4", 1),
        ("7 1 7 1 7 1 6 1", -1),
        ("1 2 2 3 3 4 3 4 4 6 4", 1),
        ("7 6 6 5 5 4 5 4 4 2 4", 1),
    ],
)
def test_four_in_a_line_win(notation: str, payoff: float) -> None:
    state = GAME.replay(notation)
    assert state.player == TERMINAL
    assert state.actions() == ()
    assert state.payoff() == payoff
    assert GAME.replay(notation.rsplit(" ", 1)[0]).player != TERMINAL


def test_lines_are_those_of_the_board() -> None:
    """Every set of four cells in a line wins, and four that wrap around an edge do not."""
    cells = {(c, r): 1 << HEIGHT * c + r for c in range(COLUMNS) for r in range(ROWS)}
    lines = 0
    for column, row in cells:
        for across, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            line = [(column + n * across, row + n * up) for n in range(4)]
            if all(cell in cells for cell in line):
                lines += 1
                assert has_four(sum(cells[cell] for cell in line))
                assert not has_four(sum(cells[cell] for cell in line[:3]))
    assert lines == 69
    for column in range(COLUMNS - 1):
        assert not has_four(sum(cells[column, r] for r in (3, 4, 5)) | cells[column + 1, 0])


def test_a_full_column_takes_no_more_and_a_full_board_is_a_draw() -> None:
    state = GAME.replay("1 1 1 1 1 1")
    assert state.actions() == (1, 2, 3, 4, 5, 6)
    full = GAME.replay(" ".join("121212212121343434434343565656656565777777"))
    assert full.player == TERMINAL
    assert full.payoff() == 0


def test_move_orders_that_lead_to_one_board_share_a_subgame() -> None:
    one, other = GAME.replay("1 2 3"), GAME.replay("3 2 1")
    assert one.subgame_key() == other.subgame_key()
    assert one.public() != other.public()
    assert one != other
    assert GAME.replay("1 2").subgame_key() != GAME.replay("2 1").subgame_key()
    assert pickle.loads(pickle.dumps(one)) == one


def test_the_board_is_drawn_with_its_columns() -> None:
    lines = GAME.replay("4 4 1").render().splitlines()
    assert lines[-3:] == [". . . O . . .", "X . . X . . .", "1 2 3 4 5 6 7"]
    assert lines[0] == ". . . . . . ."
