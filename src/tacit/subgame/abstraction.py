"""Blueprints of small games from abstractions: merged infostates, missing actions, few iterations.

Merged infostates share one policy, chosen by the sum of their regrets. Missing actions are barred
for both players. The result is a policy for the unabstracted game, with its exploitability there;
public states outside the abstraction are played uniformly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.anytime import Checkpoint, Stop
from tacit.solvers.best_response import Evaluation, evaluate
from tacit.solvers.engine import Solver
from tacit.solvers.sharing.layout import Groups, merge_infostates
from tacit.solvers.solution import Solution
from tacit.tree import CHANCE, PLAYERS, TERMINAL, Place, PublicState, PublicTree, SolveKind

KIND = SolveKind(storage=64, policy_bytes=16)
"""What `build_tree` is told of such a solve: it keeps the average and the last policy."""

Array = NDArray[Any]
Keep = Callable[[PublicState, str], bool]
"""Whether the abstraction has the action with this label at this public state."""


def solve_abstraction(
    tree: PublicTree,
    *,
    iterations: int,
    groups: Groups | None = None,
    keep: Keep | None = None,
    algorithm: str = "linear-cfr",
    seed: int = 0,
) -> Solution:
    """Solve an abstraction of `tree` for a number of iterations; the blueprint that results.

    It keeps the solver's last policy, which tends to a best response in the abstraction.
    """
    start = time.perf_counter()
    smaller = tree.restricted(keep) if keep is not None else tree
    sharing = merge_infostates(smaller, groups) if groups else None
    solver = Solver(smaller, find_algorithm(algorithm), sharing=sharing, storage=64)
    solver.run(iterations)
    return given_solution(
        tree,
        solver.average_policy(),
        algorithm=f"{algorithm}-abstracted" if groups or keep else algorithm,
        response=solver.current_policy(),
        iterations=iterations,
        seconds=time.perf_counter() - start,
        seed=seed,
    )


def given_solution(
    tree: PublicTree,
    policy: Array,
    *,
    algorithm: str,
    response: Array | None = None,
    iterations: int = 0,
    seconds: float = 0.0,
    seed: int = 0,
    evaluation: Evaluation | None = None,
) -> Solution:
    """An evaluated solution from a policy [slots]; it cannot be resumed.

    response: see `tacit.subgame.blueprint.Blueprint`.
    """
    evaluation = evaluation or evaluate(tree, policy)
    return Solution(
        tree=tree,
        algorithm=algorithm,
        minimiser=None,
        precision="double",
        seed=seed,
        stop=Stop.ITERATIONS,
        target=None,
        history=(Checkpoint(iterations, seconds, evaluation.exploitability, evaluation.value),),
        policy=policy,
        memory={} if response is None else {"policy": response},
    )


def random_groups(tree: PublicTree, labels: int, random: np.random.Generator) -> Groups:
    """Give every private key one of `labels` labels at random.

    Infostates with the same label and the same legal actions are merged.
    """
    if labels < 1:
        raise GameError(f"infostates cannot have {labels} labels; give one or more")
    known: dict[tuple[int, Hashable], int] = {}
    groups: dict[int, NDArray[np.int64]] = {}
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
        state = tree.state(node)
        legal = tree.legal(node)
        numbers: dict[tuple[int, bytes], int] = {}
        row = []
        for infostate, private in enumerate(state.privates[state.mover]):
            key = state.mover, private
            if key not in known:
                known[key] = int(random.integers(labels))
            group = known[key], legal[:, infostate].tobytes()
            row.append(numbers.setdefault(group, len(numbers)))
        if len(numbers) < len(row):
            groups[node] = np.array(row, dtype=np.int64)
    return groups


def random_removal(tree: PublicTree, share: float, random: np.random.Generator) -> Keep:
    """Remove one action at a share of the public states, where every infostate has another."""
    removed: set[tuple[int, str]] = set()
    for node in np.flatnonzero(tree.arrays.action_count > 1).tolist():
        legal, state = tree.legal(node), tree.state(node)
        action = int(random.integers(len(legal)))
        others = np.delete(legal, action, axis=0).any(axis=0)
        if random.random() < share and others.all():
            removed.add((id(state), tree.expansion(node).labels[action]))
    return lambda state, label: (id(state), label) not in removed


def frontier(tree: PublicTree, depth: int) -> list[Place]:
    """The decision nodes `depth` moves of the players below the root, not counting chance."""
    if depth < 1:
        raise GameError(f"a frontier must be at least 1 move below the root, not {depth}")
    places: list[Place] = []
    stack = [(tree.roots[0], depth)]
    while stack:
        place, left = stack.pop()
        mover = tree.arrays.player[place.node]
        if mover == TERMINAL:
            continue
        if left == 0 and mover in PLAYERS:
            places.append(place)
            continue
        below = left if mover == CHANCE else left - 1
        stack += [(child, below) for _, child in reversed(tree.children(place))]
    return places
