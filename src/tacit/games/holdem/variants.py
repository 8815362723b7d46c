"""The variants of hold'em in the papers, as spots.

Heads-up no-limit hold'em (HUNL), turn endgame hold'em (ReBeL, appendix C.2), and no-limit flop and
turn hold'em (Brown and Sandholm 2017, appendix G), which are HUNL without its last streets. All are
played with blinds of 50 and 100 chips; without other stacks each player has 20,000.

For the games of appendix G the paper does not state the bet sizes (turn hold'em has two), so the
caller gives them.
"""

from __future__ import annotations

import numpy as np

from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import FLOP, RIVER, TURN, BettingRules
from tacit.games.holdem.cards import NUM_CARDS, parse_board
from tacit.games.holdem.ranges import parse_range
from tacit.games.holdem.spot import Spot

STACK = 20_000
HUNL_BETS = "50%,100%,200%,a"
"""RL-CFR's fixed choice (section 4): half the pot, the pot, twice the pot, all in."""

TEH_BOARD = "3s7hTdKs"
TEH_COMMITTED = 1_000
"""Each player's chips in the pot on the turn."""
TEH_BETS = "50%,100%,a/75%,a"
TEH_STACKS = (5_000, 50_000)
"""The smallest and largest stack in the paper's training."""
TEH_PERTURBATION = 0.1
"""Largest change of a bet size in training, in pots."""


def hunl(*, stack: int = STACK, bets: str | BetSettings = HUNL_BETS) -> Spot:
    """Heads-up no-limit hold'em from the blinds on."""
    return _from_the_blinds("heads-up no-limit hold'em", RIVER, stack, bets)


def flop_holdem(bets: str | BetSettings, *, stack: int = STACK) -> Spot:
    """No-limit flop hold'em: two rounds of betting, three board cards, five cards each."""
    return _from_the_blinds("no-limit flop hold'em", FLOP, stack, bets)


def turn_holdem(bets: str | BetSettings, *, stack: int = STACK) -> Spot:
    """No-limit turn hold'em: three rounds of betting, four board cards, six cards each."""
    return _from_the_blinds("no-limit turn hold'em", TURN, stack, bets)


def turn_endgame(
    board: str | tuple[int, ...] = TEH_BOARD,
    *,
    stack: int = STACK,
    bets: str | BetSettings = TEH_BETS,
) -> Spot:
    """Turn endgame hold'em: the turn, with 1,000 chips of each player in the pot.

    By default the game on which the paper measures exploitability.
    """
    return Spot(
        board=parse_board(board) if isinstance(board, str) else board,
        rules=BettingRules(stacks=(stack, stack), first_street=TURN, committed=TEH_COMMITTED),
        ranges=(parse_range("random"), parse_range("random")),
        bets=_settings(bets),
        name="turn endgame hold'em",
    )


def random_turn_endgame(random: np.random.Generator) -> Spot:
    """A turn endgame with random board, stacks and bet sizes, as in the paper's training."""
    board = tuple(int(card) for card in random.choice(NUM_CARDS, 4, replace=False))
    shift = TEH_PERTURBATION
    half, pot, later = (
        f"{100 * (size + random.uniform(-shift, shift)):.4f}%" for size in (0.5, 1.0, 0.75)
    )
    stack = int(random.integers(TEH_STACKS[0], TEH_STACKS[1], endpoint=True))
    return turn_endgame(board, stack=stack, bets=f"{half},{pot},a/{later},a")


def _from_the_blinds(name: str, last_street: int, stack: int, bets: str | BetSettings) -> Spot:
    return Spot(
        board=(),
        rules=BettingRules(stacks=(stack, stack), last_street=last_street),
        ranges=(parse_range("random"), parse_range("random")),
        bets=_settings(bets),
        name=name,
    )


def _settings(bets: str | BetSettings) -> BetSettings:
    return bets if isinstance(bets, BetSettings) else BetSettings.parse(bets)
