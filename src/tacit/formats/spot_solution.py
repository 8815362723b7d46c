"""Solved spots as files, whole or small.

A file is NumPy's npz: `about` (a JSON text: board, chips, bet sizes, and how the spot was solved),
`ranges` [2, 1326], `history` [checkpoints, 4] and `policy` [slots]. If solving can be resumed, it
also holds the solver's arrays (`memory.*`). The small form keeps the policy before the last street
and at locked nodes, and the values of all hands before the last street (`values`); rivers are
solved again when they are shown. The tree is rebuilt on loading, and a fingerprint ensures that it
is the same.
"""

from __future__ import annotations

import json
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import __version__
from tacit.archive import ArchiveError, reading, write_arrays
from tacit.formats.solution import (
    checkpoints,
    fingerprint,
    memory_arrays,
    read_solution,
)
from tacit.games import CHANCE
from tacit.games.holdem.bet_sizes import BetSettings, BetSize, BothSizes, StreetSizes, Unit
from tacit.games.holdem.betting import BettingRules
from tacit.games.holdem.spot import Spot
from tacit.solvers import Stop
from tacit.solvers.engine import normalise
from tacit.solvers.spot import SpotSolution
from tacit.tree import PublicTree
from tacit.tree.cards.builder import build_spot
from tacit.tree.kernels.passes import EXPECT

FORMAT = "tacit-spot"
VERSION = 1
_MEMORY = ("policy", "sums", "regrets", "mixture", "regret_scales")


def save_spot_solution(solution: SpotSolution, path: str | Path, *, small: bool = False) -> None:
    """Write `solution` to `path` atomically.

    `small`: without rivers. A spot that starts on its last street has no small form and is written
    whole.
    """
    tree, rules = solution.tree, solution.spot.rules
    small = (small and rules.first_street < rules.last_street) or not solution.complete
    about = {
        "format": FORMAT,
        "version": VERSION,
        "tacit": __version__,
        "spot": _spot_to_dict(solution.spot),
        "fingerprint": fingerprint(tree),
        "isomorphism": _isomorphism(tree),
        "algorithm": solution.algorithm,
        "stop": solution.stop,
        "locked": list(solution.locked),
        "complete": not small,
        "storage": solution.storage,
    }
    arrays: dict[str, NDArray[Any]] = {
        "about": np.array(json.dumps(about)),
        "ranges": np.stack(solution.spot.ranges),
        "history": np.array([astuple(point) for point in solution.history]),
        "policy": solution.policy.astype(np.float32),
    }
    if not small:
        arrays |= {f"memory.{name}": array for name, array in solution.memory.items()}
    else:
        arrays["policy"] = arrays["policy"][_kept_slots(tree, solution.locked)]
        values = solution.values if not solution.complete else _values(solution)
        arrays["values"] = np.concatenate(
            [vector.astype(np.float32) for node in sorted(values) for vector in values[node]]
        )
    write_arrays(Path(path), arrays)


def load_spot_solution(path: str | Path, *, max_bytes: int = 8 << 30) -> SpotSolution:
    """Read a solution and rebuild its tree; ArchiveError says what is wrong with the file."""
    about, arrays = read_solution(
        Path(path),
        FORMAT,
        VERSION,
        keys={"spot", "fingerprint", "tacit", "algorithm", "complete"},
        parts={"ranges", "history", "policy"},
        makes="tacit spot --out",
        max_bytes=max_bytes,
    )
    with reading(path, "a solved spot"):
        spot = _spot_from_dict(about["spot"], arrays["ranges"])
    tree = build_spot(
        spot,
        isomorphism=bool(about.get("isomorphism", True)),
        storage=16 if about.get("storage") == 16 else 32,
        max_bytes=max_bytes,
    )
    if about["fingerprint"] != fingerprint(tree):
        raise ArchiveError(
            f"{path} was made by tacit {about['tacit']} for a spot with another tree than it has "
            "here; solve it again"
        )
    with reading(path, "a solved spot"):
        complete = bool(about["complete"])
        policy = arrays["policy"].astype(np.float32)
        locked = tuple(int(node) for node in about["locked"])
        if not complete:
            policy = _fill_rivers(tree, policy, locked)
        solution = SpotSolution(
            spot=spot,
            tree=tree,
            policy=policy,
            algorithm=str(about["algorithm"]),
            stop=Stop(about["stop"]),
            history=checkpoints(arrays),
            locked=locked,
            complete=complete,
            storage=int(about.get("storage", 32)),
            memory=memory_arrays(arrays),
            values={} if complete else _split_values(tree, arrays["values"]),
        )
        _check(solution)
    return solution


def _kept_slots(tree: PublicTree, locked: tuple[int, ...]) -> NDArray[np.bool_]:
    """[slots] those of the small form: before the last street, and at locked nodes."""
    kept = np.zeros(tree.sizes.slots, np.bool_)
    for node in (*_early(tree), *locked):
        if tree.arrays.action_count[node]:
            tree.block(kept, node)[:] = True
    return kept


def _fill_rivers(
    tree: PublicTree, policy: NDArray[np.float32], locked: tuple[int, ...]
) -> NDArray[np.float32]:
    """[slots] the whole policy from the small form; the last street is uniform where not locked."""
    whole = normalise(tree, np.zeros(tree.sizes.slots, np.float32))
    kept = _kept_slots(tree, locked)
    if len(policy) != kept.sum():
        raise ValueError("its policy does not fit the spot")
    whole[kept] = policy
    return whole


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


def _check(solution: SpotSolution) -> None:
    tree, policy = solution.tree, solution.policy
    right = policy.shape == (tree.sizes.slots,) and len(solution.history) > 0
    if right:
        shares = normalise(tree, policy.copy())
        right = bool(np.all(policy >= 0)) and np.allclose(policy, shares, rtol=0, atol=1e-5)
    for name, kept in solution.memory.items():
        scales = name == "regret_scales" and kept.ndim == 1
        right = right and name in _MEMORY and (scales or kept.shape == policy.shape)
    if not right or any(
        not 0 <= node < tree.nodes or tree.state(node).mover >= CHANCE for node in solution.locked
    ):
        raise ValueError("its policy does not fit the spot")


def _isomorphism(tree: PublicTree) -> bool:
    root = tree.cards.state(tree.roots[0].node)
    return len(root.deal.symmetries) == len(root.spot.symmetries())


def _spot_to_dict(spot: Spot) -> dict[str, Any]:
    bets = spot.bets
    return {
        "name": spot.name,
        "board": list(spot.board),
        "rules": asdict(spot.rules),
        "bets": {
            "sizes": [
                [[[_size(s) for s in sizes] for sizes in (p.bets, p.raises)] for p in both]
                for both in bets.sizes
            ],
            "add_all_in": bets.add_all_in,
            "force_all_in": bets.force_all_in,
            "merge": bets.merge,
        },
        "additions": {history: list(totals) for history, totals in spot.additions.items()},
    }


def _size(size: BetSize) -> list[Any]:
    return [size.unit.value, size.amount, None if np.isinf(size.cap) else size.cap]


def _spot_from_dict(fields: dict[str, Any], ranges: NDArray[Any]) -> Spot:
    def sizes(listed: list[Any]) -> tuple[BetSize, ...]:
        return tuple(
            BetSize(Unit(unit), float(amount), float("inf") if cap is None else float(cap))
            for unit, amount, cap in listed
        )

    def both(players: list[Any]) -> BothSizes:
        one, two = (StreetSizes(sizes(bets), sizes(raises)) for bets, raises in players)
        return one, two

    bets = dict(fields["bets"])
    first, second, third, fourth = (both(players) for players in bets.pop("sizes"))
    rules = dict(fields["rules"])
    one, two = (int(stack) for stack in rules.pop("stacks"))
    return Spot(
        board=tuple(int(card) for card in fields["board"]),
        rules=BettingRules(stacks=(one, two), **{key: int(rules[key]) for key in rules}),
        ranges=(ranges[0].astype(np.float32), ranges[1].astype(np.float32)),
        bets=BetSettings(sizes=(first, second, third, fourth), **bets),
        additions={
            str(history): tuple(int(total) for total in totals)
            for history, totals in fields["additions"].items()
        },
        name=str(fields["name"]),
    )
