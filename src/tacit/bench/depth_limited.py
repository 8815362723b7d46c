"""A depth-limited turn with exact rivers at its leaves, beside the whole tree.

Each iteration the rivers are solved for the beliefs of the current policy (CFR-D). What is played
is the average: on the turn that of the solver, on the rivers that of all their solutions, each
weighed by its iteration and by the player's reach.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.games.holdem.spot import Spot
from tacit.solvers import Solver, evaluate, find_algorithm, normalise
from tacit.solvers.depth_limited import way_down
from tacit.solvers.oracle import PBSOracle
from tacit.tree import PLAYERS, PublicTree
from tacit.tree.cards.builder import build_spot


def depth_limited_turn(
    spot: Spot,
    *,
    iterations: int,
    river_iterations: int = 100,
    algorithm: str = "dcfr",
    threads: int = 1,
) -> dict[str, float]:
    """Exploitability in chips of both ways to solve a turn, after as many iterations."""
    whole = build_spot(spot)
    plain = Solver(whole, find_algorithm(algorithm), threads=threads)
    plain.run(iterations)
    policy = limited_policy(
        whole,
        build_spot(spot, stop="street"),
        algorithm,
        iterations=iterations,
        river_iterations=river_iterations,
        threads=threads,
    )
    return {
        "iterations": iterations,
        "whole": evaluate(whole, plain.average_policy(), threads=threads).exploitability,
        "depth_limited": evaluate(whole, policy, threads=threads).exploitability,
    }


def limited_policy(
    whole: PublicTree,
    top: PublicTree,
    algorithm: str,
    *,
    iterations: int,
    river_iterations: int,
    threads: int = 1,
) -> NDArray[np.float64]:
    """[slots] of `whole`: what is played above the leaves of `top`, and below them."""
    minimiser = find_algorithm(algorithm)
    oracle = PBSOracle(top.builder, iterations=river_iterations, threads=threads)
    solver = Solver(top, minimiser, leaves=oracle)
    nodes = top.leaves.tolist()
    states = [top.state(node) for node in nodes]
    below: list[Solver] = []

    def each(iteration: int) -> None:
        """Add the rivers' solutions for this iteration's beliefs to their average."""
        reach = solver.believed_reach()
        beliefs = [
            tuple(top.vectors(reach[p], p, n, values=False)[0].astype(np.float64) for p in PLAYERS)
            for n in nodes
        ]
        forest, found = oracle.solve(states, beliefs)
        if not below:
            below.append(Solver(forest, minimiser, storage=64))
        rivers = below[0]
        rivers.policy[:] = found
        for player in PLAYERS:
            for root, pair in zip(forest.roots, beliefs, strict=True):
                at = forest.vectors(rivers.work.reach[player], player, root.node, values=False)
                at[root.copy] = pair[player]
            schedule = np.array([[0, 0, 0, 0, minimiser.weight(iteration)]])
            rivers.visit(way_down(forest.order), 1 - player, schedule, alternating=True)

    solver.run(iterations, each=each)
    written = whole.uniform_policy()
    numbers = {whole.state(node).key: node for node in range(whole.nodes)}
    parts = [(top, solver.average_policy())]
    parts += [(rivers.tree, normalise(rivers.tree, rivers.sums)) for rivers in below]
    for tree, policy in parts:
        for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
            there = numbers[tree.state(node).key]
            whole.block(written, there)[:] = tree.block(policy, node)
    return written
