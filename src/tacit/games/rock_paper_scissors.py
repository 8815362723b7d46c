"""Rock-paper-scissors in which Scissors doubles the stake (ReBeL, Fig. 1a)."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.games.game import TERMINAL, Game, State

SIGNS = ("rock", "paper", "scissors")
ROCK, PAPER, SCISSORS = range(3)


@dataclass(frozen=True, slots=True)
class RockPaperScissorsState(State):
    """`signs`: those chosen so far. Only their number is public, even at the end."""

    signs: tuple[int, ...] = ()

    @property
    def player(self) -> int:
        return TERMINAL if len(self.signs) == 2 else len(self.signs)

    def actions(self) -> tuple[int, ...]:
        return () if len(self.signs) == 2 else (ROCK, PAPER, SCISSORS)

    def child(self, action: int) -> RockPaperScissorsState:
        return RockPaperScissorsState((*self.signs, action))

    def payoff(self) -> float:
        first, second = self.signs
        if first == second:
            return 0.0
        stake = 2.0 if SCISSORS in self.signs else 1.0
        return stake if (first - second) % 3 == 1 else -stake

    def public(self) -> int:
        return len(self.signs)

    def private(self, player: int) -> int | None:
        return self.signs[player] if player < len(self.signs) else None

    def label(self, action: int) -> str:
        return SIGNS[action]

    def render(self, player: int | None = None) -> str:
        chosen = [SIGNS[sign] for sign in self.signs] + ["nothing yet"] * (2 - len(self.signs))
        seen = [
            sign if player in (None, p) or p >= len(self.signs) else "a hidden sign"
            for p, sign in enumerate(chosen)
        ]
        return f"Player 1 has chosen {seen[0]}, player 2 {seen[1]}."


class RockPaperScissors(Game):
    """Each player chooses a sign without seeing the other's.

    Rock beats Scissors, Scissors beat Paper, Paper beats Rock. The winner gets 1, or 2 if either
    sign was Scissors; equal signs are a draw. Player 1 chooses first, player 2 does not see it.
    """

    name = "rock-paper-scissors"
    title = "Rock-paper-scissors with Scissors for double"

    def initial(self) -> RockPaperScissorsState:
        return RockPaperScissorsState()
