"""PBSs on streets of hold'em."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit.games.holdem.betting import BettingRules
from tacit.games.holdem.cards import NUM_HANDS, parse_board
from tacit.subgame.street import StreetPBS, blocked

EVEN = np.full(NUM_HANDS, 1 / NUM_HANDS)


def river(line: tuple[int, ...] = ()) -> StreetPBS:
    """A river with 1,000 chips of each player in the pot and 2,000 behind."""
    board = parse_board("2c7dJhQs3s")
    rules = BettingRules(stacks=(3000, 3000))
    ranges = blocked((EVEN, EVEN), board)
    return StreetPBS(rules=rules, board=board, committed=1000, line=line, ranges=ranges)


def turn() -> StreetPBS:
    """The turn before that river, with the same chips."""
    board = parse_board("2c7dJhQs")
    return replace(river(), board=board, ranges=blocked((EVEN, EVEN), board))
