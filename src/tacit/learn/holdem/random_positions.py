"""Random PBSs of hold'em: boards, chips, bet sizes and ranges.

Ranges are DeepStack's (Moravčík et al. 2017, supplement): the weight of a set of hands of similar
strength is divided at random between its weaker and its stronger half, and so on down to single
hands. Half of the ranges are smoothed: nearby hands get similar weights, as they do in play.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import BOARD_SIZES, CALL, FLOP, RIVER, STREETS, TURN
from tacit.games.holdem.cards import NUM_CARDS
from tacit.games.holdem.spot import Spot, action_label
from tacit.learn.checked_settings import Checked, number
from tacit.learn.holdem.equity_table import equity_table
from tacit.tree.cards.states import CardState
from tacit.tree.pbs import PBS

SMOOTH = 15
"""The number of neighbours over which a smoothed range is averaged."""


@dataclass(frozen=True, kw_only=True)
class TableSettings(Checked):
    """The hands that are trained on: those of turn endgame hold'em by default (ReBeL, C.2)."""

    street: int = number(TURN, least=FLOP, most=RIVER)
    """The street that is searched: 1 (flop), 2 (turn) or 3 (river)."""
    pot: int = number(2000, least=2)
    """Chips in the pot when the street begins."""
    least_stack: int = number(5000, least=2)
    """The smallest stack, before the hand."""
    most_stack: int = number(50_000, least=2)
    """The largest stack."""
    bets: tuple[float, ...] = number((0.5, 1.0), above=0)
    """The sizes of a first bet in pots; all-in is there too."""
    raises: tuple[float, ...] = number((0.75,), above=0)
    """The sizes of raises in pots."""
    perturb: float = number(0.1)
    """How many pots the sizes of a hand and street are at most away from these, at random."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.pot / 2 < self.least_stack <= self.most_stack:
            raise GameError(
                f"a pot of {self.pot} and stacks of {self.least_stack} to {self.most_stack} are "
                "impossible; expected pot / 2 < least_stack <= most_stack"
            )
        if not self.perturb < min(*self.bets, *self.raises):
            raise GameError(f"perturb is {self.perturb}; expected less than every bet")

    def bet_settings(self, random: np.random.Generator | None) -> BetSettings:
        """The sizes of every street and all-in; without `random` as given."""

        def street() -> str:
            lists = []
            for sizes in (self.bets, self.raises):
                moved = [s + (random.uniform(-1, 1) * self.perturb if random else 0) for s in sizes]
                lists.append(",".join([*(f"{100 * size:.4f}%" for size in moved), "a"]))
            return "/".join(lists)

        return BetSettings.parse({name: street() for name in STREETS})

    def first_state(self, random: np.random.Generator) -> CardState:
        """The start of the street on a random board, with random stacks and bet sizes."""
        board = random_board(BOARD_SIZES[self.street], random)
        stack = int(random.integers(self.least_stack, self.most_stack + 1))
        return self.state(board, self.pot, stack - self.pot // 2, self.bet_settings(random))

    def state(
        self, board: tuple[int, ...], pot: int, behind: int, bets: BetSettings | None = None
    ) -> CardState:
        """The start of a street's betting with all hands; suits keep their names."""
        chosen = bets or self.bet_settings(None)
        return CardState.of(Spot.of(board, pot=pot, behind=behind, bets=chosen), isomorphism=False)


def checked_through(state: CardState) -> CardState:
    """The public state before the next card, when nobody bets on this street."""
    betting, history = state.betting, state.history
    for _ in range(2):
        history += action_label(betting, CALL)
        betting = betting.act(CALL)
    return CardState(state.spot, betting, state.deal, history)


def random_positions(
    settings: TableSettings, count: int, random: np.random.Generator, *, before_card: bool
) -> list[PBS]:
    """PBSs of one board with random pots and ranges, before the next card or at a street's start.

    Before a card the street is that of the settings, else the next one, if there is one.
    """
    street = settings.street if before_card else min(settings.street + 1, RIVER)
    board = random_board(BOARD_SIZES[street], random)
    least, made = settings.pot // 2, []
    for _ in range(count):
        stack = int(random.integers(settings.least_stack, settings.most_stack + 1))
        # Bets grow with the pot, so pots are about as likely on every scale.
        put_in = int(least * (0.95 * stack / least) ** (random.random() ** 1.5))
        state = settings.state(board, 2 * put_in, stack - put_in, settings.bet_settings(random))
        beliefs = _ordered(state, random_ranges(board, random))
        made.append(PBS(checked_through(state) if before_card else state, beliefs))
    return made


def _ordered(
    state: CardState, ranges: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ranges [2, 1326] in the order of the state's hands."""
    return ranges[0, state.deal.hands[0]], ranges[1, state.deal.hands[1]]


def random_board(cards: int, random: np.random.Generator) -> tuple[int, ...]:
    """Different cards."""
    return tuple(int(card) for card in random.choice(NUM_CARDS, cards, replace=False))


def random_ranges(board: tuple[int, ...], random: np.random.Generator) -> NDArray[np.float64]:
    """[2, 1326] two ranges, each of which sums to one."""
    table = equity_table(board)
    live = np.ones((1, len(table.hands)), np.float32)
    order = np.argsort(table.against(live)[0][0], kind="stable")
    ranges = np.zeros((2, 1326))
    for player in (0, 1):
        weights = _halved(len(order), random)
        if random.random() < 0.5:
            width = int(random.integers(2, SMOOTH + 1))
            weights = np.convolve(weights, np.ones(width) / width, mode="same")
        ranges[player, table.hands[order]] = weights / weights.sum()
    return ranges


def _halved(count: int, random: np.random.Generator) -> NDArray[np.float64]:
    """[count] weights by recursive division, summing to one."""
    weights = np.ones(count)
    spans = [(0, count)]
    while spans:
        following = []
        shares = random.random(len(spans))
        for (first, last), share in zip(spans, shares.tolist(), strict=True):
            if last - first > 1:
                middle = (first + last) // 2
                weights[first:middle] *= share
                weights[middle:last] *= 1 - share
                following += [(first, middle), (middle, last)]
        spans = following
    return weights
