"""The games by name: one line for each family of games, and names of games elsewhere."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from tacit.games.boards.connect_four import ConnectFour
from tacit.games.boards.go import Go
from tacit.games.boards.tic_tac_toe import TicTacToe
from tacit.games.coin_toss import CoinToss
from tacit.games.game import Game, GameError
from tacit.games.holdem.preflop43 import Preflop43
from tacit.games.kuhn import Kuhn
from tacit.games.leduc import Leduc, LeducRaises
from tacit.games.liars_dice import LiarsDice
from tacit.games.pursuit import Pursuit
from tacit.games.rock_paper_scissors import RockPaperScissors
from tacit.suggest import closest, unknown


@dataclass(frozen=True)
class Family:
    """Games of one kind: `pattern` matches their names, its groups are the arguments of `make`."""

    pattern: str
    make: Callable[..., Game]
    examples: tuple[str, ...]
    countable: bool = True
    """Whether the examples are small enough for their public states to be counted."""


FAMILIES = (
    Family("rock-paper-scissors", RockPaperScissors, ("rock-paper-scissors",)),
    Family("coin-toss", CoinToss, ("coin-toss",)),
    Family("kuhn", Kuhn, ("kuhn",)),
    Family("leduc", Leduc, ("leduc",)),
    Family(r"leduc-raises-([1-9]\d?(?:-[1-9]\d?)*)", LeducRaises, ("leduc-raises-1-2-4",)),
    Family(
        r"liars-dice-(\d{1,4})x(\d{1,4})",
        LiarsDice,
        tuple(f"liars-dice-{size}" for size in ("1x3", "1x4", "1x5", "1x6", "2x2", "2x3")),
    ),
    Family("preflop43-([^-]+)-([0-9]{1,9})", Preflop43, ("preflop43-AsKsQhJdTc9c5h5d2s-10",)),
    Family("pursuit-(.+)", Pursuit, ("pursuit-glasses",)),
    Family("tic-tac-toe", TicTacToe, ("tic-tac-toe",)),
    Family("connect-four", ConnectFour, ("connect-four",), countable=False),
    Family(
        r"go-(\d{1,4})x(\d{1,4})(?:-komi-(-?\d{1,4}(?:\.\d{1,4})?))?",
        Go,
        ("go-5x5", "go-7x7", "go-9x9"),
        countable=False,
    ),
)

SCHEMES = {"openspiel": "tacit.formats.openspiel:load_openspiel"}
"""The loader of names that start with a scheme and a colon, imported when it is needed."""


def families() -> tuple[Family, ...]:
    """Every family of games in the package."""
    return FAMILIES


def family_of(name: str) -> Family | None:
    """The family with a game of that name; None if it is elsewhere or there is none."""
    return next((family for family in FAMILIES if re.fullmatch(family.pattern, name)), None)


def load_game(name: str | Game) -> Game:
    """The game called `name`; GameError says in one line what is wrong if there is none.

    A name is one of the package's (``leduc``), a scheme's (``openspiel:leduc_poker``), or a class
    in a module that can be imported from here (``module:Class``, ``module:Class(3, size=4)``). A
    `Game` is returned as it is.
    """
    if isinstance(name, Game):
        return name
    scheme, colon, rest = name.partition(":")
    if scheme in SCHEMES and colon:
        module, function = SCHEMES[scheme].split(":")
        loaded: Game = getattr(import_module(module), function)(rest)
        return loaded
    if colon:
        return _load_class(name, scheme, rest)
    for family in FAMILIES:
        if match := re.fullmatch(family.pattern, name):
            return family.make(*match.groups())
    known = [example for family in FAMILIES for example in family.examples]
    raise GameError(unknown("game", name, known, otherwise="`tacit games` lists them"))


def _load_class(name: str, module: str, call: str) -> Game:
    """The game of a class outside the package, named so that `load_game` finds it again."""
    if not (match := re.fullmatch(r"(\w+)(\(.*\))?", call)) or not re.fullmatch(r"[\w.]+", module):
        raise GameError(f"{name!r} is not a game; write module:Class or module:Class(arguments)")
    try:
        arguments = ast.parse(f"f{match[2] or '()'}", mode="eval").body
        if not isinstance(arguments, ast.Call) or not isinstance(arguments.func, ast.Name):
            raise SyntaxError("more than one call")
        values = [ast.literal_eval(value) for value in arguments.args]
        options = {str(word.arg): ast.literal_eval(word.value) for word in arguments.keywords}
    except (SyntaxError, ValueError):
        raise GameError(f"{name!r}: arguments must be numbers, strings or other literals") from None
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.append(os.getcwd())  # last, so that nothing there replaces another module
    try:
        kind = vars(import_module(module)).get(match[1])
    except Exception as error:
        near = closest(module, SCHEMES)
        hint = f"; did you mean '{near}:'?" if near else ""
        raise GameError(f"{name!r}: cannot import {module!r}: {_one_line(error)}{hint}") from error
    if not (isinstance(kind, type) and issubclass(kind, Game)):
        games = [
            word
            for word, value in vars(sys.modules[module]).items()
            if isinstance(value, type) and issubclass(value, Game) and value is not Game
        ]
        otherwise = "it must be a subclass of tacit.games.Game"
        raise GameError(unknown(f"game in {module}", match[1], games, otherwise=otherwise))
    try:
        game = kind(*values, **options)
    except GameError:
        raise
    except Exception as error:
        raise GameError(f"{name!r}: cannot make the game: {_one_line(error)}") from error
    game.name = name
    return game


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]
