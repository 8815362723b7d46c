"""Small subgames solved again exactly, by one linear program each.

The player's realisation plan x starts with its reach at the root. The program's duals v are the
player's values against the opponent's best response, for each infostate s of the opponent at the
root: v[s] = -CBV'(s) * weight(s). A method is an objective on them:

- unsafe: the sum of v, weighted by the opponent's reach;
- resolve: the sum of the negative parts of v + alternative * weight;
- maxmargin: the least of (v + alternative * weight) / weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import block_array, csr_array, eye_array, hstack

from tacit.games import GameError
from tacit.solvers.engine import normalise
from tacit.solvers.gadgets import Gadget
from tacit.solvers.linear_program import Flow, payoff_matrix
from tacit.subgame.blueprint import SubgameRoot
from tacit.tree import PublicTree

Vector = NDArray[np.float64]


def solve_root_exactly(
    tree: PublicTree, root: SubgameRoot, kind: str, gadget: Gadget, offered: Vector
) -> Vector:
    """[slots] the optimal policy in the subgame `tree` under a gadget with payoffs `offered` [K].

    `kind`: given, resolve or maxmargin. Infostates that are not reached play uniformly.
    """
    mine = Flow(tree, root.player, root.reach[root.player])
    other = Flow(tree, root.opponent)
    payoff = payoff_matrix(tree, (mine, other) if root.player == 0 else (other, mine))
    if root.player == 1:
        payoff = csr_array(-payoff.T)
    free = other.constraint.shape[0]
    dual_gain, highest = np.zeros(free), None
    rows = np.flatnonzero(gadget.possible)
    weights = gadget.weights[rows]
    alternatives = np.where(gadget.possible, offered, 0.0)[rows] * weights
    # Further variables z, with more @ z - v <= alternative * weight.
    if kind == "given":
        dual_gain[: other.roots] = gadget.previous
        rows, alternatives, more = rows[:0], alternatives[:0], csr_array((0, 0))
    elif kind == "maxmargin":
        more = csr_array(weights[:, None])
    else:
        more, highest = eye_array(len(rows), format="csr"), 0.0
    ones = (np.ones(len(rows)), (np.arange(len(rows)), rows))
    chosen = csr_array(ones, shape=(len(rows), free))
    extra = more.shape[1]
    bounds: Any = [(0, None)] * mine.variables + [(None, None)] * free + [(None, highest)] * extra
    result = linprog(
        -np.concatenate([np.zeros(mine.variables), dual_gain, np.ones(extra)]),
        A_ub=block_array(
            [[-payoff.T, other.constraint.T, None], [None, -chosen, more]], format="csr"
        ),
        b_ub=np.concatenate([np.zeros(other.variables), alternatives]),
        A_eq=hstack([mine.constraint, csr_array((len(mine.right), free + extra))], format="csr"),
        b_eq=np.array(mine.right),
        bounds=bounds,
        method="highs",
    )
    if not result.success:
        raise GameError(f"the linear program is not solved: {result.message}")
    sums = np.zeros(tree.sizes.slots)
    mine.write(result.x[: mine.variables], sums)
    return normalise(tree, sums)
