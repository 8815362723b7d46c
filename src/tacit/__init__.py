"""tacit: learn, search, solve, play and explain games with hidden information.

>>> import tacit
>>> solution = tacit.solve_game("kuhn", target=1e-4)
>>> round(solution.value, 3)
-0.056
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.games import Game
    from tacit.solvers import Solution

__version__ = "0.1.0"

__all__ = ["check_game", "load_game", "load_solution", "save_solution", "solve_game"]


# Imports stand inside the functions: Numba takes half a second, and not all users solve.


def load_game(name: str | Game) -> Game:
    """The game called ``leduc``, ``openspiel:leduc_poker`` or ``module:Class``; or a `Game`."""
    from tacit import games

    return games.load_game(name)


def check_game(game: Game | str, *, playouts: int = 20, seed: int = 0) -> None:
    """Play a game against the whole contract of its rules: GameError says what breaks it, where.

    Its first levels are looked at in full, and deeper ones and `playouts` whole games at random.
    """
    from tacit.games import check
    from tacit.tree.check import check_public_states

    rules = load_game(game)
    check.check_game(rules, playouts=playouts, seed=seed)
    check_public_states(rules, playouts=playouts, seed=seed)


def solve_game(
    game: Game | str,
    *,
    target: float | None = None,
    seconds: float | None = None,
    iterations: int | None = None,
    **options: Any,
) -> Solution:
    """Solve a game to a target exploitability, for a time or for a number of iterations.

    `options` are those of `tacit.solvers.solve_tree`, such as ``algorithm="dcfr"``.
    """
    from tacit.solvers import Limits, solve_tree
    from tacit.tree import build_tree

    limits = Limits(target=target, seconds=seconds, iterations=iterations)
    tree = build_tree(load_game(game))
    return solve_tree(tree, limits, **options)


def save_solution(solution: Solution, path: str | Path) -> None:
    """Write a solution to a file, with all that is needed to check it and to go on solving."""
    from tacit.formats import solution as files

    files.save_solution(solution, path)


def load_solution(path: str | Path, *, game: Game | None = None) -> Solution:
    """Read a solution from a file and rebuild its game; give `game` if it is one of your own."""
    from tacit.formats import solution as files

    return files.load_solution(path, game=game)
