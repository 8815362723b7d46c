"""Encoders of board games with nothing hidden: planes, and the symmetries of a board.

A plane is a set of cells, one number each, in rows from the top as the board is drawn. Planes are
seen by the player to move: own stones first.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.games.encoder import GameEncoder, Symmetry
from tacit.games.game import State

Turn = Callable[[NDArray[np.int32]], NDArray[np.int32]]
"""A turned or mirrored board: [.., height, width] to the same shape."""


class BoardEncoder(GameEncoder):
    """Planes [planes, height, width]; an action is the number of its policy output.

    Actions are cells or columns; after them may come actions elsewhere than on the board, such as
    a pass, which symmetries keep.
    """

    symmetric = True
    planes: int
    height: int
    width: int
    outputs: int
    """Number of policy outputs."""

    @abstractmethod
    def features(self, world: State) -> NDArray[np.float32]:
        """[planes, height, width] for the player to move."""

    @abstractmethod
    def turn_outputs(self, turn: Turn) -> NDArray[np.int32]:
        """[outputs] for each action of the turned board, the same action before."""

    @property
    @abstractmethod
    def turns(self) -> Sequence[Turn]:
        """The symmetries of the board, the identity first."""

    def private_keys(self, player: int) -> tuple[None]:
        """Nothing is hidden."""
        return (None,)

    def action_key(self, world: State, action: int) -> int:
        """The action itself."""
        return action

    def action_keys(self) -> range:
        """One for each policy output."""
        return range(self.outputs)

    def largest_payoff(self) -> float:
        """A win is 1."""
        return 1.0

    def symmetries(self) -> Sequence[Symmetry]:
        """One for each of `turns`."""
        return self._symmetries

    @cached_property
    def _symmetries(self) -> tuple[Symmetry, ...]:
        shape = self.planes, self.height, self.width
        cells = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        return tuple(
            Symmetry(np.ascontiguousarray(turn(cells)).ravel(), self.turn_outputs(turn))
            for turn in self.turns
        )


class SquareBoardEncoder(BoardEncoder):
    """A square board whose actions are its cells in rows from the top, then `others`.

    It has eight symmetries: four rotations, each of them mirrored or not.
    """

    others: int = 0
    """Number of actions that are no cells."""

    @property
    def outputs(self) -> int:  # type: ignore[override]
        """A cell each, and the others."""
        return self.height * self.width + self.others

    @property
    def turns(self) -> Sequence[Turn]:
        """Rotations first."""
        return SQUARE_TURNS

    def turn_outputs(self, turn: Turn) -> NDArray[np.int32]:
        """Cells are turned, other actions stay."""
        places = np.arange(self.outputs, dtype=np.int32)
        cells = self.height * self.width
        places[:cells] = turn(places[:cells].reshape(self.height, self.width)).ravel()
        return places


def _rotation(quarters: int, mirrored: bool) -> Turn:
    def turn(cells: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.rot90(cells[..., ::-1] if mirrored else cells, quarters, axes=(-2, -1))

    return turn


SQUARE_TURNS: Sequence[Turn] = tuple(
    _rotation(quarters, mirrored) for mirrored in (False, True) for quarters in range(4)
)


def unpack(cells: int, count: int) -> NDArray[np.float32]:
    """[count] ones for the set bits of `cells`, from bit 0 on, and zeros."""
    packed = np.frombuffer(cells.to_bytes((count + 7) // 8, "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=count, bitorder="little").astype(np.float32)
