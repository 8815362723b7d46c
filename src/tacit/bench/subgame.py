"""What a gadget costs, for `tacit bench subgame`: a river solved again, beside the plain solve."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from tacit.formats.spot_file import load_spot_file
from tacit.solve import Solver, find_algorithm
from tacit.solve.gadgets import RootGadgets
from tacit.subgame.blueprint import Blueprint, BlueprintValues
from tacit.subgame.methods import SolveBudget, find_method, gadget_of
from tacit.tree import Place
from tacit.tree.cards.builder import build_spot

SPOT = "river-bench"
ALGORITHM = "dcfr"
BLUEPRINT_ITERATIONS = 20
ROUNDS = 12


def measure(methods: Sequence[str], iterations: int) -> list[dict[str, Any]]:
    """For each method a row: milliseconds an iteration with its gadget and without.

    Times are those of the thread that works, which other programs do not lengthen.
    """
    chosen = [find_method(name) for name in methods]
    tree = build_spot(load_spot_file(SPOT).spot())
    weak = Solver(tree, find_algorithm(ALGORITHM))
    weak.run(BLUEPRINT_ITERATIONS)
    blueprint = Blueprint(tree, weak.average_policy(), weak.policy)
    view = BlueprintValues(blueprint, 1).at(Place(*tree.roots[0]))
    rows = []
    for method in chosen:
        root_gadgets = RootGadgets(view.opponent, [gadget_of(view, method, SolveBudget())[0]])
        plain = Solver(tree, find_algorithm(ALGORITHM))
        with_gadget = Solver(tree, find_algorithm(ALGORITHM), root=root_gadgets)
        paces: tuple[list[float], list[float]] = ([], [])
        for solver in (plain, with_gadget):
            solver.run(1)
        for _ in range(ROUNDS):
            for solver, found in zip((plain, with_gadget), paces, strict=True):
                start = time.thread_time()
                solver.run(iterations)
                found.append((time.thread_time() - start) / iterations)
        rows.append(
            {
                "spot": SPOT,
                "method": method.name,
                "algorithm": ALGORITHM,
                "iterations": iterations,
                "plain_ms_per_iteration": 1e3 * min(paces[0]),
                "ms_per_iteration": 1e3 * min(paces[1]),
                "ratio": min(paces[1]) / min(paces[0]),
            }
        )
    return rows
