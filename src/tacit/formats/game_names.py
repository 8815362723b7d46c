"""Games by name, wherever they come from: built in, or ``openspiel:<game string>``."""

from __future__ import annotations

from tacit.games import Game, load

OPENSPIEL = "openspiel:"


def load_game(name: str) -> Game:
    """The game called `name`; GameError says what is wrong with it if there is none."""
    if name.startswith(OPENSPIEL):
        from tacit.formats.openspiel import load_openspiel

        return load_openspiel(name.removeprefix(OPENSPIEL))
    return load(name)
