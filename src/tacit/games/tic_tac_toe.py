"""Tic-tac-toe: a game with nothing hidden."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.games.game import TERMINAL, Game, State

SQUARES = tuple(column + row for row in "321" for column in "abc")
"""The squares in the order of the actions: rows from the top, as they are drawn."""
LINES = (
    *((row, row + 1, row + 2) for row in (0, 3, 6)),
    *((column, column + 3, column + 6) for column in range(3)),
    (0, 4, 8),
    (2, 4, 6),
)
EMPTY, MARKS = ".", "XO"


@dataclass(frozen=True, slots=True)
class TicTacToeState(State):
    """`moves` are the squares taken, in order; `board` is the mark on each square."""

    moves: tuple[int, ...] = ()
    board: str = EMPTY * 9

    @property
    def player(self) -> int:
        over = len(self.moves) == 9 or self._last_mover_won()
        return TERMINAL if over else len(self.moves) % 2

    def _last_mover_won(self) -> bool:
        mark = MARKS[(len(self.moves) - 1) % 2]
        return any(all(self.board[square] == mark for square in line) for line in LINES)

    def actions(self) -> tuple[int, ...]:
        if self.player == TERMINAL:
            return ()
        return tuple(square for square in range(9) if self.board[square] == EMPTY)

    def child(self, action: int) -> TicTacToeState:
        mark = MARKS[len(self.moves) % 2]
        board = self.board[:action] + mark + self.board[action + 1 :]
        return TicTacToeState((*self.moves, action), board)

    def payoff(self) -> float:
        if not self._last_mover_won():
            return 0.0
        return 1.0 if len(self.moves) % 2 == 1 else -1.0

    def public(self) -> tuple[int, ...]:
        return self.moves

    def private(self, player: int) -> None:
        return None

    def subgame_key(self) -> str:
        """The board; it tells whose turn it is."""
        return self.board

    def label(self, action: int) -> str:
        return SQUARES[action]

    def render(self, player: int | None = None) -> str:
        rows = [f"{3 - row}  {' '.join(self.board[3 * row : 3 * row + 3])}" for row in range(3)]
        return "\n".join([*rows, "   a b c"])


class TicTacToe(Game):
    """Player 1 puts X on an empty square, player 2 puts O, and so on in turn.

    Three marks in a line win 1; a full board without one is a draw. Squares are named as in chess,
    from `a1` at the bottom left to `c3` at the top right.
    """

    name = "tic-tac-toe"
    title = "Tic-tac-toe"
    hidden = False

    def initial(self) -> TicTacToeState:
        return TicTacToeState()
