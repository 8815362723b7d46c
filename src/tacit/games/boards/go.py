"""Go on small boards: area scoring, positional superko, no suicide."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games.boards.board import SquareBoardEncoder
from tacit.games.boards.go_layout import BLACK, LEGAL, PLANES, STONES, WHITE
from tacit.games.game import TERMINAL, Game, GameError, State

SMALLEST, LARGEST = 5, 9
KOMI = {5: 7.5, 6: 3.5, 7: 8.5, 8: 9.5, 9: 6.5}
"""By size: half a point less than Black's lead under best play, as far as that is known; on 5x5,
where Black can take the whole board, 7.5 so that either player wins games of beginners."""
LETTERS = "ABCDEFGHJ"
"""The names of columns; Go leaves out I."""
MOVE_BITS = 7
"""Bits of an action in a history: 1 + action is below 128 up to 9x9."""
MOVE = (1 << MOVE_BITS) - 1

Array = NDArray[Any]
Position = tuple[Array, Array]
"""The arrays `cells` and `hashes` of `tacit.games.boards.go_layout`."""


@dataclass(frozen=True)
class Rules:
    """The constants of one game: the size of the board and White's komi."""

    size: int
    komi: float

    @cached_property
    def points(self) -> int:
        """The number of points, which is also the action that passes."""
        return self.size**2

    @cached_property
    def limit(self) -> int:
        """The largest number of moves, passes included."""
        return 2 * self.size**2

    def label(self, action: int) -> str:
        """The name of a point, such as D4, or pass."""
        if action == self.points:
            return "pass"
        row, column = divmod(action, self.size)
        return f"{LETTERS[column]}{self.size - row}"


class _Board:
    """The tables of one board size, and the kernels for them, which are loaded with the first."""

    def __init__(self, size: int) -> None:
        from tacit.games.boards import go_kernels
        from tacit.kernel import entry_point

        points = size**2
        where = np.full((size + 2, size + 2), points, dtype=np.int64)
        where[1:-1, 1:-1] = np.arange(points).reshape(size, size)
        sides = where[:-2, 1:-1], where[2:, 1:-1], where[1:-1, :-2], where[1:-1, 2:]
        self.neighbours = np.ascontiguousarray(np.stack(sides, axis=-1).reshape(points, 4))
        random = np.random.default_rng(size)
        self.zobrist = random.integers(1, 2**64, size=(3, points), dtype=np.uint64)
        self.first = go_kernels.begin(points, self.neighbours, self.zobrist)
        tables = self.neighbours, self.zobrist
        self.advance = entry_point(go_kernels.advance, *self.first, 0, 1, *tables)
        self.area_score = entry_point(go_kernels.area_score, self.first[0], self.neighbours)
        planes = np.empty((PLANES, points), dtype=np.float32)
        self.fill_planes = entry_point(go_kernels.fill_planes, self.first[0], 0, 0, 0, 0.0, planes)
        self.labels = tuple(Rules(size, 0).label(action) for action in range(points + 1))


@cache
def _board(size: int) -> _Board:
    return _Board(size)


@dataclass(frozen=True, slots=True)
class GoState(State):
    """A position and its history.

    `moves` are the actions so far, `MOVE_BITS` bits each, plus one; `count` is their number. The
    one entry of `source` is the parent, or the position once it is computed: when it is first
    asked, since a search asks few of the children that it lists.
    """

    rules: Rules = field(hash=False)
    moves: int = 0
    count: int = field(default=0, compare=False)
    mover: int = field(default=0, compare=False)
    source: list[GoState | Position | None] = field(
        default_factory=lambda: [None], compare=False, repr=False
    )

    @property
    def player(self) -> int:
        return self.mover

    def __reduce__(self) -> tuple[Any, ...]:
        return replayed, (self.rules, self.history())

    def history(self) -> tuple[int, ...]:
        """The actions so far."""
        shifts = range(MOVE_BITS * (self.count - 1), -1, -MOVE_BITS)
        return tuple([(self.moves >> shift & MOVE) - 1 for shift in shifts])

    @property
    def position(self) -> Position:
        """`cells` and `hashes`, as `tacit.games.boards.go_layout` describes them."""
        source = self.source[0]
        if type(source) is not tuple:
            board = _board(self.rules.size)
            if source is None:
                source = board.first
            else:
                assert isinstance(source, GoState)
                action, colour = (self.moves & MOVE) - 1, BLACK + (self.count - 1 & 1)
                source = board.advance(
                    *source.position, action, colour, board.neighbours, board.zobrist
                )
            self.source[0] = source
        return source

    def actions(self) -> tuple[int, ...]:
        if self.mover == TERMINAL:
            return ()
        legal = self.position[0][LEGAL].tobytes()
        points = len(legal) - 1
        return (*legal[: legal[points]], points)

    def child(self, action: int) -> GoState:
        rules, moves, count = self.rules, self.moves, self.count + 1
        points = rules.points
        over = (action == points and moves & MOVE == points + 1) or count == rules.limit
        mover = TERMINAL if over else count & 1
        return GoState(rules, moves << MOVE_BITS | action + 1, count, mover, [self])

    def area_score(self) -> int:
        """Black's points less White's, without komi: stones and the points they surround."""
        board = _board(self.rules.size)
        return int(board.area_score(self.position[0], board.neighbours))

    def payoff(self) -> float:
        lead = self.area_score() - self.rules.komi
        return float(lead > 0) - float(lead < 0)

    def public(self) -> int:
        return self.moves

    def private(self, player: int) -> None:
        return None

    def label(self, action: int) -> str:
        return _board(self.rules.size).labels[action]

    def render(self, player: int | None = None) -> str:
        size = self.rules.size
        marks = {BLACK: "X", WHITE: "O"}
        board = [marks.get(stone, ".") for stone in self.position[0][STONES].tolist()]
        rows = [
            f"{size - row}  {' '.join(board[row * size : row * size + size])}"
            for row in range(size)
        ]
        return "\n".join([*rows, f"   {' '.join(LETTERS[:size])}"])


def replayed(rules: Rules, actions: tuple[int, ...]) -> GoState:
    """The state after these actions."""
    state = GoState(rules)
    for action in actions:
        state = state.child(action)
        _ = state.position
    return state


class Go(Game):
    """Black (player 1, X) and White (player 2, O) put stones on the points of a square board.

    A group of stones without a liberty (an empty point beside it) is taken off, the opponent's
    groups first; a move that leaves an own group without one is forbidden, and so is a move that
    repeats any earlier position of the board (positional superko). A player may `pass`. Two passes
    in a row end the game, and so does move 2 * size * size. Then stones on the board and the empty
    points that only one colour surrounds are counted (area scoring, all stones are alive); White
    gets the komi in addition. The higher count wins 1; equal counts are a draw.

    The name states the size from 5x5 to 9x9 and may state the komi: `go-7x7`, `go-7x7-komi-9`.
    Points are named by a letter from the left (without I) and a number from the bottom.
    """

    hidden = False

    def __init__(
        self, height: int | str, width: int | str | None = None, komi: float | str | None = None
    ) -> None:
        size = int(height)
        if not SMALLEST <= size <= LARGEST or int(width or size) != size:
            raise GameError(
                f"go-{height}x{width or height} is not possible; the board is a square from "
                f"{SMALLEST}x{SMALLEST} to {LARGEST}x{LARGEST}"
            )
        points = KOMI[size] if komi is None else float(komi)
        if abs(points) > size**2 or points * 2 != int(points * 2):
            raise GameError(
                f"a komi of {points:g} is not possible on {size}x{size}; take a multiple of 0.5 "
                f"up to {size**2}"
            )
        self.rules = Rules(size, points)
        self.name = f"go-{size}x{size}"
        if points != KOMI[size]:
            self.name += f"-komi-{points:g}"
        self.title = f"Go on {size}x{size}, komi {points:g}"

    def initial(self) -> GoState:
        return GoState(self.rules)

    def encoder(self) -> SquareBoardEncoder:
        return _Encoder(self.rules)


class _Encoder(SquareBoardEncoder):
    """Twelve planes; the outputs are the points and the pass.

    Own stones, the opponent's, where the mover may play, the last move, the one before, own stones
    with one liberty, the opponent's, own stones with two, the opponent's; and, everywhere the same:
    whether Black moves, whether the last move was a pass, the share of the largest number of moves.
    """

    planes = PLANES
    others = 1

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.height = self.width = rules.size

    def features(self, world: State) -> NDArray[np.float32]:
        assert isinstance(world, GoState)
        planes = np.empty((PLANES, self.rules.points), dtype=np.float32)
        last, before = (world.moves & MOVE) - 1, (world.moves >> MOVE_BITS & MOVE) - 1
        share = world.count / self.rules.limit
        colour = BLACK + (world.count & 1)
        _board(self.rules.size).fill_planes(world.position[0], colour, last, before, share, planes)
        return planes.reshape(PLANES, self.height, self.width)
