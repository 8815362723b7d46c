"""Regret minimisers, fictitious play, best responses and the exact linear program."""

from typing import TYPE_CHECKING, Any

from tacit.solvers.algorithms import (
    ALGORITHMS,
    FictitiousPlay,
    Minimiser,
    RegretMatching,
    find_algorithm,
)
from tacit.solvers.anytime import Checkpoint, Limits, Run, Stop, run
from tacit.solvers.best_response import (
    Evaluation,
    best_response,
    evaluate,
    exploitability,
    infostate_values,
)
from tacit.solvers.engine import Solver, normalise
from tacit.solvers.solution import (
    DEFAULT_ALGORITHM,
    LINEAR_PROGRAM,
    Solution,
    resume,
    solve_tree,
)

if TYPE_CHECKING:
    from tacit.solvers.linear_program import ExactSolution, solve_exactly

__all__ = [
    "ALGORITHMS",
    "DEFAULT_ALGORITHM",
    "LINEAR_PROGRAM",
    "Checkpoint",
    "Evaluation",
    "ExactSolution",
    "FictitiousPlay",
    "Limits",
    "Minimiser",
    "RegretMatching",
    "Run",
    "Solution",
    "Solver",
    "Stop",
    "best_response",
    "evaluate",
    "exploitability",
    "find_algorithm",
    "infostate_values",
    "normalise",
    "resume",
    "run",
    "solve_exactly",
    "solve_tree",
]


def __getattr__(name: str) -> Any:
    """Import the linear program on first use: SciPy takes a second to load."""
    if name in ("ExactSolution", "solve_exactly"):
        from tacit.solvers import linear_program

        return getattr(linear_program, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
