"""Leduc poker with several raise sizes: the smallest game with off-tree bets."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.games.game import CHANCE, TERMINAL, Game, GameError
from tacit.games.leduc import (
    CALL,
    DEALS,
    FOLD,
    MAX_RAISES,
    RAISE,
    RAISES,
    LeducEncoder,
    LeducState,
)

MOST_SIZES = 9


@dataclass(frozen=True, slots=True)
class LeducRaisesState(LeducState):
    """A world state of Leduc; `betting` writes a raise of `sizes[i]` as the digit i + 1.

    Action `RAISE + i` raises by `sizes[i]` times Leduc's raise in the round.
    """

    sizes: tuple[int, ...] = (1,)

    def actions(self) -> tuple[int, ...]:
        if not self.cards or self.mover in (CHANCE, TERMINAL):
            return LeducState.actions(self)
        fold = (FOLD,) if self.committed[0] != self.committed[1] else ()
        more = len(self.sizes) if self.raises < MAX_RAISES else 0
        return (*fold, CALL, *range(RAISE, RAISE + more))

    def child(self, action: int) -> LeducRaisesState:
        if not self.cards:
            return LeducRaisesState(DEALS[action], mover=0, sizes=self.sizes)
        if self.mover == CHANCE or action < RAISE:
            plain = LeducState.child(self, action)
            return LeducRaisesState(
                plain.cards, plain.board, plain.betting, plain.committed, plain.raises,
                plain.mover, self.sizes,
            )  # fmt: skip
        raised = self.committed[1 - self.mover] + self.amount(action)
        first, second = self.committed
        committed = (raised, second) if self.mover == 0 else (first, raised)
        betting = self.betting + str(action - RAISE + 1)
        return LeducRaisesState(
            self.cards, self.board, betting, committed, self.raises + 1, 1 - self.mover, self.sizes
        )

    def amount(self, action: int) -> int:
        """The chips of a raise, without the call."""
        return RAISES[self.board is not None] * self.sizes[action - RAISE]

    def action_size(self, action: int) -> float | None:
        if not self.cards or self.mover in (CHANCE, TERMINAL) or action < RAISE:
            return None
        return self.amount(action) / (2 * max(self.committed))

    def label(self, action: int) -> str:
        if not self.cards or self.mover in (CHANCE, TERMINAL) or action < RAISE:
            return LeducState.label(self, action)
        return f"raise{self.amount(action)}"


class LeducRaises(Game):
    """Leduc poker in which a raise has one of several sizes.

    The sizes are multiples of Leduc's raise, which is 2 chips in the first round and 4 in the
    second: in `leduc-raises-1-3` a player raises by 2 or 6, then by 4 or 12. A round has at most
    two raises of any size. A blueprint may have only some of the sizes.
    """

    unit = "chips"

    def __init__(self, sizes: str) -> None:
        self.sizes = tuple(int(size) for size in sizes.split("-"))
        if list(self.sizes) != sorted(set(self.sizes)) or len(self.sizes) > MOST_SIZES:
            raise GameError(
                f"leduc-raises-{sizes}: write up to {MOST_SIZES} sizes, each once, the smallest "
                "first, such as leduc-raises-1-2-4"
            )
        self.name = f"leduc-raises-{sizes}"
        self.title = f"Leduc poker with raises of {', '.join(map(str, self.sizes))} units"

    def initial(self) -> LeducRaisesState:
        return LeducRaisesState(sizes=self.sizes)

    def encoder(self) -> LeducEncoder:
        return LeducEncoder()
