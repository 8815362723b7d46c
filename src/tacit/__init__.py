"""tacit: learn, search, solve, play and explain games with hidden information.

>>> import tacit
>>> solution = tacit.solve("kuhn", target=1e-4)
>>> round(solution.value, 3)
-0.056

The names in `__all__` are imported when they are first used: Numba and PyTorch take seconds to
load, and not all users need them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit import agents
    from tacit.api import (
        SearchResult,
        check_game,
        evaluate,
        load,
        save,
        search,
        solve,
        train,
    )
    from tacit.evaluation.match import play_match
    from tacit.games import CHANCE, TERMINAL, Game, GameError, State, load_game
    from tacit.games.holdem.spot import Spot
    from tacit.tree.pbs import PBS

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "PBS",
    "TERMINAL",
    "Game",
    "GameError",
    "SearchResult",
    "Spot",
    "State",
    "agents",
    "check_game",
    "evaluate",
    "load",
    "load_game",
    "play_match",
    "save",
    "search",
    "solve",
    "train",
]

_MODULES = {
    "PBS": "tacit.tree.pbs",
    "Spot": "tacit.games.holdem.spot",
    "play_match": "tacit.evaluation.match",
    **dict.fromkeys(
        ("CHANCE", "TERMINAL", "Game", "GameError", "State", "load_game"), "tacit.games"
    ),
}
"""Where names are defined that are not in `tacit.api`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "agents":
        return import_module("tacit.agents")
    return getattr(import_module(_MODULES.get(name, "tacit.api")), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
