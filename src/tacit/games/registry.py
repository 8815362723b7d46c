"""The games by name: one line here for each file in this room."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass

from tacit.games.coin_toss import CoinToss
from tacit.games.game import Game, GameError
from tacit.games.kuhn import Kuhn
from tacit.games.leduc import Leduc
from tacit.games.leduc_raises import LeducRaises
from tacit.games.liars_dice import LiarsDice
from tacit.games.preflop43 import Preflop43
from tacit.games.pursuit import Pursuit
from tacit.games.rock_paper_scissors import RockPaperScissors
from tacit.games.tic_tac_toe import TicTacToe


@dataclass(frozen=True)
class Family:
    """Games of one kind: `pattern` matches their names, its groups are the arguments of `make`."""

    pattern: str
    make: Callable[..., Game]
    examples: tuple[str, ...]


FAMILIES = (
    Family("rock-paper-scissors", RockPaperScissors, ("rock-paper-scissors",)),
    Family("coin-toss", CoinToss, ("coin-toss",)),
    Family("kuhn", Kuhn, ("kuhn",)),
    Family("leduc", Leduc, ("leduc",)),
    Family(r"leduc-raises-([1-9]\d?(?:-[1-9]\d?)*)", LeducRaises, ("leduc-raises-1-2-4",)),
    Family(
        r"liars-dice-(\d+)x(\d+)",
        LiarsDice,
        tuple(f"liars-dice-{size}" for size in ("1x3", "1x4", "1x5", "1x6", "2x2", "2x3")),
    ),
    Family("preflop43-([^-]+)-([0-9]{1,9})", Preflop43, ("preflop43-AsKsQhJdTc9c5h5d2s-10",)),
    Family("pursuit-(.+)", Pursuit, ("pursuit-glasses",)),
    Family("tic-tac-toe", TicTacToe, ("tic-tac-toe",)),
)


def families() -> tuple[Family, ...]:
    """Every family of games in the package."""
    return FAMILIES


def load(name: str) -> Game:
    """The game called `name`; GameError names the nearest one if there is none."""
    for family in FAMILIES:
        if match := re.fullmatch(family.pattern, name):
            return family.make(*match.groups())
    known = [example for family in FAMILIES for example in family.examples]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else "`tacit games` lists them"
    raise GameError(f"unknown game {name!r}; {hint}")
