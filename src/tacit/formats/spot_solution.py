"""Solved spots as files, whole or small.

A file is NumPy's npz: `about` (a JSON text: board, chips, bet sizes, and how the spot was solved),
`ranges` [2, 1326], `history` [checkpoints, 4] and `policy` [slots]. If solving can be resumed, it
also holds the solver's arrays (`memory.*`). The small form keeps the policy before the last street
and at locked nodes, and the values of all hands before the last street (`values`); rivers are
solved again when they are shown. The tree is rebuilt on loading, and a fingerprint ensures that it
is the same.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from tacit.archive import reading
from tacit.formats.solution import (
    check_arrays,
    common_fields,
    from_json,
    memory_left,
    read_solution,
    write_solution,
)
from tacit.games import CHANCE
from tacit.games.holdem.spot import Spot
from tacit.solvers.engine import normalise
from tacit.solvers.spot import SpotSolution
from tacit.tree import PublicTree
from tacit.tree.cards.builder import build_spot
from tacit.tree.kernels.passes import EXPECT

FORMAT = "tacit-spot"


def save_spot_solution(solution: SpotSolution, path: str | Path, *, small: bool = False) -> None:
    """Write `solution` to `path` atomically.

    `small`: without rivers. A spot that starts on its last street has no small form and is written
    whole.
    """
    tree, rules = solution.tree, solution.spot.rules
    small = (small and rules.first_street < rules.last_street) or not solution.complete
    root = tree.cards.state(tree.roots[0].node)
    spot = asdict(solution.spot)
    ranges = np.stack(spot.pop("ranges"))
    about = {
        "spot": spot,
        "isomorphism": len(root.deal.symmetries) == len(root.spot.symmetries()),
        "locked": list(solution.locked),
        "complete": not small,
        "storage": solution.storage,
    }
    policy = solution.policy.astype(np.float32, copy=False)
    arrays: dict[str, NDArray[Any]] = {"ranges": ranges, "policy": policy}
    if small:
        arrays["policy"] = policy[_kept_slots(tree, solution.locked)]
        values = solution.values if not solution.complete else _values(solution)
        arrays["values"] = np.concatenate(
            [vector.astype(np.float32) for node in sorted(values) for vector in values[node]]
        )
        solution = replace(solution, memory={})
    write_solution(solution, path, FORMAT, about, arrays)


def load_spot_solution(path: str | Path, *, max_bytes: int = 8 << 30) -> SpotSolution:
    """Read a solution and rebuild its tree; ArchiveError says what is wrong with the file."""
    about, arrays = read_solution(path, FORMAT, makes="tacit spot --out", max_bytes=max_bytes)
    with reading(path, "a solved spot"):
        kinds = get_type_hints(Spot)
        fields = {name: from_json(kinds[name], value) for name, value in about["spot"].items()}
        first, second = arrays["ranges"].astype(np.float32, casting="same_kind")
        spot = Spot(**fields, ranges=(first, second))
        isomorphism, complete = (from_json(bool, about[key]) for key in ("isomorphism", "complete"))
        locked = from_json(tuple[int, ...], about["locked"])
        if (storage := from_json(int, about["storage"])) not in (16, 32):
            raise ValueError(f"its storage is {storage} bits")
    left = memory_left(arrays, max_bytes)
    tree = build_spot(spot, isomorphism=isomorphism, storage=storage, max_bytes=left)
    with reading(path, "a solved spot"):
        common = common_fields(path, about, arrays, tree, "a spot")
        policy = arrays["policy"].astype(np.float32, casting="same_kind")
        if any(not 0 <= node < tree.nodes or tree.state(node).mover >= CHANCE for node in locked):
            raise ValueError("no player moves at a locked node")
        if not complete:  # the last street is uniform where not locked
            kept, early = _kept_slots(tree, locked), policy
            if early.shape != (kept.sum(),):
                raise ValueError("its policy does not fit the spot")
            policy = normalise(tree, np.zeros(tree.sizes.slots, np.float32))
            policy[kept] = early
        solution = SpotSolution(
            spot=spot,
            policy=policy,
            locked=locked,
            complete=complete,
            storage=storage,
            values={} if complete else _split_values(tree, arrays["values"]),
            **common,
        )
        check_arrays(solution)
    return solution


def _kept_slots(tree: PublicTree, locked: tuple[int, ...]) -> NDArray[np.bool_]:
    """[slots] those of the small form: before the last street, and at locked nodes."""
    kept = np.zeros(tree.sizes.slots, np.bool_)
    for node in (*_early(tree), *locked):
        if tree.arrays.action_count[node]:
            tree.block(kept, node)[:] = True
    return kept


def _early(tree: PublicTree) -> list[int]:
    """The nodes before the last street, in their order."""
    last = tree.cards.state(tree.roots[0].node).spot.rules.last_street
    early: list[int] = np.flatnonzero(tree.cards.street < last).tolist()
    return early


def _values(
    solution: SpotSolution,
) -> dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Both players' values at the nodes before the last street."""
    tree, responder = solution.tree, solution.responder
    early = _early(tree)
    values: dict[int, list[NDArray[np.float64]]] = {node: [] for node in early}
    for part in tree.ranges:
        inside = [node for node in early if part.first <= node < part.last]
        for player in (0, 1) if inside else ():
            responder.look(player, part.first, EXPECT)
            for node in inside:
                values[node].append(responder.expected(player, node)[0].copy())
    return {node: (both[0], both[1]) for node, both in values.items()}


def _split_values(
    tree: PublicTree, flat: NDArray[Any]
) -> dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    values, start = {}, 0
    for node in _early(tree):
        both = []
        for count in tree.state(node).counts:
            both.append(flat[start : start + count].astype(np.float64))
            start += count
        values[node] = both[0], both[1]
    if flat.shape != (start,):
        raise ValueError("its values do not fit the spot")
    return values
