"""What both players see of a hand of hold'em in play: the betting, the board, the history."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.games.game import GameError
from tacit.games.holdem.betting import BOARD_SIZES, STREETS, Betting, BettingRules
from tacit.games.holdem.cards import check_cards
from tacit.games.holdem.spot import action_label


@dataclass(frozen=True, slots=True)
class PublicHand:
    """A public state of a hand in play. Immutable: `act` and `deal` return a new one.

    history: the betting in the notation of `betting.replay`; actions: the same as numbers.
    """

    betting: Betting
    board: tuple[int, ...] = ()
    history: str = ""
    actions: tuple[int, ...] = ()

    @classmethod
    def start(cls, rules: BettingRules) -> PublicHand:
        """Before the first action of a whole hand."""
        return cls(rules.start())

    @property
    def mover(self) -> int:
        """0, 1, CHANCE when board cards are due, TERMINAL when the hand is over."""
        return self.betting.player

    def act(self, action: int) -> PublicHand:
        """After the mover's action, as in `betting`; GameError lists what is possible."""
        label = action_label(self.betting, action)
        after = self.betting.act(action)
        return PublicHand(after, self.board, self.history + label, (*self.actions, action))

    def deal(self, cards: tuple[int, ...]) -> PublicHand:
        """After the board cards of the next street: three on the flop, then one."""
        after, board = self.betting.deal(), (*self.board, *cards)
        check_cards(board, what="board")
        if len(board) != BOARD_SIZES[after.street]:
            raise GameError(
                f"the {STREETS[after.street]} has a board of {BOARD_SIZES[after.street]} cards, "
                f"not {len(board)}"
            )
        return PublicHand(after, board, self.history + "/", self.actions)
