"""Kuhn poker: three cards, one each, one bet (Kuhn 1950)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

from tacit.games.game import CHANCE, TERMINAL, Game, State

RANKS = "JQK"
DEALS = tuple(permutations(range(3), 2))
PASS, BET = 0, 1


@dataclass(frozen=True, slots=True)
class KuhnState(State):
    """`cards[player]` is a rank, or `cards` is empty before the deal; `moves` are `p` and `b`."""

    cards: tuple[int, ...] = ()
    moves: str = ""

    @property
    def player(self) -> int:
        if not self.cards:
            return CHANCE
        if self.moves in ("pp", "bp", "bb", "pbp", "pbb"):
            return TERMINAL
        return len(self.moves) % 2

    def actions(self) -> tuple[int, ...]:
        if self.player == TERMINAL:
            return ()
        return tuple(range(len(DEALS))) if self.player == CHANCE else (PASS, BET)

    def chance(self) -> list[float]:
        return [1 / len(DEALS)] * len(DEALS)

    def child(self, action: int) -> KuhnState:
        if not self.cards:
            return KuhnState(DEALS[action])
        return KuhnState(self.cards, self.moves + "pb"[action])

    def payoff(self) -> float:
        if self.moves == "bp":
            return 1.0
        if self.moves == "pbp":
            return -1.0
        stake = 2.0 if self.moves.endswith("bb") else 1.0
        return stake if self.cards[0] > self.cards[1] else -stake

    def public(self) -> str:
        return self.moves if self.cards else "deal"

    def private(self, player: int) -> int | None:
        return self.cards[player] if self.cards else None

    def label(self, action: int) -> str:
        if not self.cards:
            return "".join(RANKS[card] for card in DEALS[action])
        return "bet" if action == BET else "pass"

    def render(self, player: int | None = None) -> str:
        if not self.cards:
            return "The cards are not dealt yet."
        seen = [RANKS[c] if player in (None, p) else "?" for p, c in enumerate(self.cards)]
        moves = " ".join("bet" if move == "b" else "pass" for move in self.moves) or "none"
        return f"Player 1 holds {seen[0]}, player 2 holds {seen[1]}. Moves so far: {moves}."


class Kuhn(Game):
    """Ante 1, bet 1; the higher of J, Q, K wins."""

    name = "kuhn"
    title = "Kuhn poker"
    unit = "chips"

    def initial(self) -> KuhnState:
        return KuhnState()
