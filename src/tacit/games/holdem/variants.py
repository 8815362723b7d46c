"""The variants of hold'em in the papers, as spots.

Heads-up no-limit hold'em (HUNL), turn endgame hold'em (ReBeL, appendix C.2), and no-limit flop and
turn hold'em (Brown and Sandholm 2017, appendix G), which are HUNL without its last streets. All are
played with blinds of 50 and 100 chips; without other stacks each player has 20,000.

For the games of appendix G the paper does not state the bet sizes (turn hold'em has two), so the
caller gives them.
"""

from __future__ import annotations

from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import FLOP, RIVER, TURN, BettingRules
from tacit.games.holdem.cards import parse_board
from tacit.games.holdem.ranges import parse_range
from tacit.games.holdem.spot import Spot

STACK = 20_000
HUNL_BETS = "50%,100%,200%,a"
"""RL-CFR's fixed choice (section 4): half the pot, the pot, twice the pot, all in."""

TEH_BOARD = "3s7hTdKs"
TEH_COMMITTED = 1_000
"""Each player's chips in the pot on the turn."""
TEH_BETS = "50%,100%,a/75%,a"


def hunl(*, stack: int = STACK, bets: str | BetSettings = HUNL_BETS) -> Spot:
    """Heads-up no-limit hold'em from the blinds on."""
    return _all_hands("heads-up no-limit hold'em", bets, stack, last_street=RIVER)


def flop_holdem(bets: str | BetSettings, *, stack: int = STACK) -> Spot:
    """No-limit flop hold'em: two rounds of betting, three board cards, five cards each."""
    return _all_hands("no-limit flop hold'em", bets, stack, last_street=FLOP)


def turn_holdem(bets: str | BetSettings, *, stack: int = STACK) -> Spot:
    """No-limit turn hold'em: three rounds of betting, four board cards, six cards each."""
    return _all_hands("no-limit turn hold'em", bets, stack, last_street=TURN)


def turn_endgame(
    board: str = TEH_BOARD, *, stack: int = STACK, bets: str | BetSettings = TEH_BETS
) -> Spot:
    """Turn endgame hold'em: the turn, with 1,000 chips of each player in the pot.

    By default the game on which the paper measures exploitability.
    """
    chips = {"first_street": TURN, "committed": TEH_COMMITTED}
    return _all_hands("turn endgame hold'em", bets, stack, board, **chips)


def _all_hands(
    name: str, bets: str | BetSettings, stack: int, board: str = "", **rules: int
) -> Spot:
    every = parse_range("random")
    return Spot(
        board=parse_board(board),
        rules=BettingRules(stacks=(stack, stack), **rules),
        ranges=(every, every),
        bets=bets if isinstance(bets, BetSettings) else BetSettings.parse(bets),
        name=name,
    )
