"""Regret minimisers, fictitious play, best responses and the exact linear program."""

from tacit.solve.engine import Solver, normalise
from tacit.solve.evaluation import (
    Evaluation,
    best_response,
    evaluate,
    exploitability,
    infostate_values,
)
from tacit.solve.linear_program import ExactSolution, solve_exactly
from tacit.solve.minimiser import (
    ALGORITHMS,
    FictitiousPlay,
    Minimiser,
    RegretMatching,
    find_algorithm,
)

__all__ = [
    "ALGORITHMS",
    "Evaluation",
    "ExactSolution",
    "FictitiousPlay",
    "Minimiser",
    "RegretMatching",
    "Solver",
    "best_response",
    "evaluate",
    "exploitability",
    "find_algorithm",
    "infostate_values",
    "normalise",
    "solve_exactly",
]
