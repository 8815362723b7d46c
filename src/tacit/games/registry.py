"""The games by name: one line here for each file in this room."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass

from tacit.games.game import Game, GameError
from tacit.games.kuhn import Kuhn


@dataclass(frozen=True)
class Family:
    """Games of one kind: `pattern` matches their names, its groups are the arguments of `make`."""

    pattern: str
    make: Callable[..., Game]
    examples: tuple[str, ...]


FAMILIES = (Family("kuhn", Kuhn, ("kuhn",)),)


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
