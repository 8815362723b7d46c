"""Games of one deal and one payoff: a single public state."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacit.games import CHANCE, TERMINAL, Game, State


@dataclass(frozen=True, slots=True)
class MatrixState(State):
    payoffs: np.ndarray = field(hash=False, compare=False)
    dealt: tuple[int, int] | None = None

    @property
    def player(self) -> int:
        return CHANCE if self.dealt is None else TERMINAL

    def actions(self) -> range:
        return range(self.payoffs.size if self.dealt is None else 0)

    def chance(self) -> list[float]:
        return [1 / self.payoffs.size] * self.payoffs.size

    def child(self, action: int) -> MatrixState:
        first, second = divmod(action, self.payoffs.shape[1])
        return MatrixState(self.payoffs, (first, second))

    def payoff(self) -> float:
        assert self.dealt is not None
        return float(self.payoffs[self.dealt])

    def public(self) -> str:
        return "deal" if self.dealt is None else "end"

    def private(self, player: int) -> int | None:
        return None if self.dealt is None else self.dealt[player]

    def label(self, action: int) -> str:
        return str(action)

    def render(self, player: int | None = None) -> str:
        return str(self.dealt)


class MatrixGame(Game):
    """A row is dealt to player 0 and a column to player 1, and the game is over."""

    name = "matrix"
    title = "A matrix"

    def __init__(self, payoffs: np.ndarray) -> None:
        self.payoffs = payoffs

    def initial(self) -> MatrixState:
        return MatrixState(self.payoffs)
