"""Games as rules, one file each. `load_game` returns a game by its name."""

from tacit.games.game import CHANCE, TERMINAL, Game, GameError, State, find_action
from tacit.games.registry import Family, families, load_game

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Family",
    "Game",
    "GameError",
    "State",
    "families",
    "find_action",
    "load_game",
]
