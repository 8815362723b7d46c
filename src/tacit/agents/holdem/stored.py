"""Solutions before the flop that come with the package, by stack.

They hold the average policy of each class of hands at every decision, in 16 bits. `write_plans`
makes the file with the networks that come with the package:

    python -m tacit.agents.holdem.stored
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacit.archive import read_arrays, reading, write_arrays
from tacit.games.holdem.betting import BettingRules
from tacit.games.holdem.cards import HAND_CLASS, NUM_CLASSES, NUM_HANDS
from tacit.solvers.leaves import PBSEvaluator
from tacit.subgame.street import BetMenu, Decision, StreetPBS, StreetPlan
from tacit.subgame.street_search import SearchBudget, StreetSearch

PATH = Path(__file__).parent / "preflop.npz"
STACKS = (2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 20_000, 30_000, 40_000, 50_000)
ITERATIONS = 200
WHAT = "a file of solutions before the flop"


def solve_preflop(
    stack: int, menu: BetMenu, leaves: PBSEvaluator, *, iterations: int = ITERATIONS
) -> StreetPlan:
    """The average policies before the flop with blinds of 50 and 100."""
    budget = SearchBudget(seconds=1.0, least=iterations, most=iterations)
    search = StreetSearch(menu=menu, budget=budget, leaves=leaves, sampled=False)
    root = StreetPBS.first(BettingRules(stacks=(stack, stack)))
    return search.solve(root, np.random.default_rng(0))


def save_plans(path: Path, plans: Mapping[int, StreetPlan]) -> None:
    """Write solutions before the flop by stack."""
    arrays: dict[str, NDArray[np.generic]] = {}
    head = []
    for stack, plan in plans.items():
        names = list(plan.decisions)
        entry = {
            "stack": stack,
            "histories": names,
            "players": [plan.decisions[name].player for name in names],
            "actions": [list(plan.decisions[name].actions) for name in names],
            "counts": [plan.iteration, plan.iterations, plan.nodes, plan.leaves],
        }
        head.append(entry)
        policies = [_by_class(plan.decisions[name].played) for name in names]
        arrays[f"policies{stack}"] = np.concatenate(policies).astype(np.float16)
        arrays[f"values{stack}"] = _by_class(np.stack(plan.values)).astype(np.float32)
    text = np.frombuffer(json.dumps(head).encode(), np.uint8)
    write_arrays(path, {"head": text, **arrays}, compressed=True)


def load_plans(path: Path = PATH) -> dict[int, StreetPlan]:
    """The solutions of a file; none if there is no file."""
    if not path.exists():
        return {}
    arrays = read_arrays(path, WHAT)
    with reading(path, WHAT):
        plans = {}
        for entry in json.loads(arrays["head"].tobytes()):
            stack = int(entry["stack"])
            policies = arrays[f"policies{stack}"].astype(np.float32)[:, HAND_CLASS]
            first, decisions = 0, {}
            named = zip(entry["histories"], entry["players"], entry["actions"], strict=True)
            for history, player, actions in named:
                policy = policies[first : first + len(actions)]
                policy = policy / policy.sum(axis=0)
                first += len(actions)
                decisions[history] = Decision(
                    player=player, actions=tuple(actions), played=policy, believed=policy
                )
            values = arrays[f"values{stack}"].astype(np.float64)[:, HAND_CLASS]
            iteration, iterations, nodes, leaves = entry["counts"]
            plans[stack] = StreetPlan(
                root=StreetPBS.first(BettingRules(stacks=(stack, stack))),
                decisions=decisions,
                values=(values[0], values[1]),
                iteration=iteration,
                iterations=iterations,
                nodes=nodes,
                leaves=leaves,
            )
        return plans


def _by_class(rows: NDArray[np.floating]) -> NDArray[np.float64]:
    """[n, 169] the means over the hands of each class of rows [n, 1326]."""
    hands = np.bincount(HAND_CLASS, minlength=NUM_CLASSES)
    assert rows.shape[1] == NUM_HANDS
    sums = [np.bincount(HAND_CLASS, weights=row, minlength=NUM_CLASSES) for row in rows]
    means: NDArray[np.float64] = np.stack(sums) / hands
    return means


def write_plans(path: Path = PATH) -> None:
    """Solve all `STACKS` and write the file."""
    from tacit.agents.holdem.searching import evaluators
    from tacit.agents.holdem.settings import Menus
    from tacit.games.holdem.betting import PREFLOP

    menu, leaves = Menus().preflop, evaluators(network=True)[PREFLOP]
    save_plans(path, {stack: solve_preflop(stack, menu, leaves) for stack in STACKS})


if __name__ == "__main__":
    write_plans()
