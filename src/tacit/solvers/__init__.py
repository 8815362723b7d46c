"""Regret minimisers, fictitious play, best responses and the exact linear program."""

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
from tacit.solvers.linear_program import solve_exactly
from tacit.solvers.solution import (
    DEFAULT_ALGORITHM,
    LINEAR_PROGRAM,
    Solution,
    resume,
    solve_kind,
    solve_tree,
)

__all__ = [
    "ALGORITHMS",
    "DEFAULT_ALGORITHM",
    "LINEAR_PROGRAM",
    "Checkpoint",
    "Evaluation",
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
    "solve_kind",
    "solve_tree",
]
