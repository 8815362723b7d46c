"""Solutions as files: all that is needed to check a policy and to resume solving.

A file is NumPy's npz: `about` (a JSON text), `history` [checkpoints, 4], `policy` [slots] and the
solver's arrays under `memory.<name>`. The game is stored by name and rebuilt on loading. A
fingerprint of its public tree ensures that it is the same game.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import __version__
from tacit.archive import ArchiveError, open_archive, read_arrays, reading, write_arrays
from tacit.games import Game, load_game
from tacit.solvers import Checkpoint, FictitiousPlay, Minimiser, RegretMatching, Solution, Stop
from tacit.tree import PublicTree, build_tree

FORMAT = "tacit-solution"
VERSION = 1
DIGITS = 9
"""Payoffs and chances are compared to this many decimals."""

_SHOWN_BY = {FORMAT: "tacit show", "tacit-spot": "tacit spot --load"}
_KINDS: dict[str, type[RegretMatching] | type[FictitiousPlay]] = {
    kind.__name__: kind for kind in (RegretMatching, FictitiousPlay)
}


def save_solution(solution: Solution, path: str | Path) -> None:
    """Write `solution` to `path` atomically."""
    about = {
        "format": FORMAT,
        "version": VERSION,
        "tacit": __version__,
        "game": solution.game.name,
        "fingerprint": fingerprint(solution.tree),
        "algorithm": solution.algorithm,
        "settings": _settings(solution.minimiser),
        "precision": solution.precision,
        "seed": solution.seed,
        "stop": solution.stop,
        "target": solution.target,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "value": solution.value,
        "exploitability": solution.exploitability,
    }
    arrays: dict[str, NDArray[Any]] = {
        "about": np.array(json.dumps(about)),
        "history": np.array([astuple(point) for point in solution.history]),
        "policy": solution.policy,
    }
    arrays |= {f"memory.{name}": kept for name, kept in solution.memory.items()}
    write_arrays(Path(path), arrays)


def load_solution(
    path: str | Path, *, game: Game | None = None, max_bytes: int = 8 << 30
) -> Solution:
    """Read a solution and rebuild its tree; ArchiveError says what is wrong with the file.

    `game` is needed if `load_game` does not find it by name.
    """
    about, arrays = read_solution(
        Path(path),
        FORMAT,
        VERSION,
        keys={"game", "fingerprint", "tacit", "algorithm"},
        parts={"history", "policy"},
        makes="tacit solve GAME --out",
        max_bytes=max_bytes,
    )
    if game is not None and game.name != about["game"]:
        raise ArchiveError(f"{path} is a solution of {about['game']}, not of {game.name}")
    tree = build_tree(game or load_game(str(about["game"])), max_bytes=max_bytes)
    if about["fingerprint"] != fingerprint(tree):
        raise ArchiveError(
            f"{path} was made by tacit {about['tacit']} for a game {about['game']!r} with another "
            "tree than it has here; solve it again"
        )
    with reading(path, "a solution"):
        solution = Solution(
            tree=tree,
            algorithm=str(about["algorithm"]),
            minimiser=_minimiser(about["settings"]),
            precision=str(about["precision"]),
            seed=int(about["seed"]),
            stop=Stop(about["stop"]),
            target=about["target"],
            history=checkpoints(arrays),
            policy=arrays["policy"].astype(np.float64),
            memory=memory_arrays(arrays),
        )
    _check_arrays(solution, path)
    return solution


def checkpoints(arrays: dict[str, NDArray[Any]]) -> tuple[Checkpoint, ...]:
    """The history of a file."""
    return tuple(Checkpoint(int(point[0]), *map(float, point[1:])) for point in arrays["history"])


def memory_arrays(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The solver's arrays of a file, by name."""
    prefix = "memory."
    return {n.removeprefix(prefix): kept for n, kept in arrays.items() if n.startswith(prefix)}


def fingerprint(tree: PublicTree) -> str:
    """A digest of a tree: movers, infostates, transitions and payoffs."""
    arrays = tree.arrays
    digest = hashlib.sha256()
    for whole in (
        arrays.player,
        arrays.copies,
        arrays.edge_count,
        arrays.edge_child,
        arrays.edge_copy,
        arrays.action_count,
        arrays.slot_start,
        arrays.info_count,
        arrays.legal_start,
        arrays.legal,
        arrays.map_count,
        arrays.map_source,
        arrays.map_target,
        arrays.terminal_matrix,
    ):
        digest.update(np.ascontiguousarray(whole, dtype=np.int64).tobytes())
    for measured in (arrays.edge_factor, arrays.terminal_scale, tree.matrices):
        digest.update((np.round(measured, DIGITS) + 0.0).tobytes())
    return digest.hexdigest()


def _settings(minimiser: Minimiser | None) -> dict[str, Any] | None:
    """A minimiser as JSON; infinite exponents, for which JSON has no numbers, are strings."""
    if minimiser is None:
        return None
    fields = {
        name: str(value) if isinstance(value, float) and np.isinf(value) else value
        for name, value in asdict(minimiser).items()
    }
    return {"kind": type(minimiser).__name__, **fields}


def _minimiser(settings: dict[str, Any] | None) -> Minimiser | None:
    if settings is None:
        return None
    fields: dict[str, Any] = {
        name: float(value) if value == "inf" else value
        for name, value in settings.items()
        if name != "kind"
    }
    return _KINDS[settings["kind"]](**fields)


def file_format(path: Path) -> str | None:
    """The format that a file says it has; None if it is no file of ours."""
    try:
        with open_archive(path, "a solution") as file, np.load(file) as arrays:
            return str(json.loads(str(arrays["about"]))["format"])
    except Exception:  # NumPy, zip and JSON raise many kinds of errors over other files
        return None


def read_solution(
    path: Path,
    kind: str,
    version: int,
    *,
    keys: set[str],
    parts: set[str],
    makes: str,
    max_bytes: int,
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The JSON `about` and the other arrays of a file of this `kind`.

    keys, parts: the required keys of `about` and arrays of the file; makes: the command that writes
    such files.
    """
    foreign = ArchiveError(f"{path} is not a solution of tacit; `{makes}` makes one")
    arrays = read_arrays(path, "a solution", max_bytes=max_bytes)
    with reading(path, "a solution"):
        about = json.loads(str(arrays.pop("about")))
    if not isinstance(about, dict):
        raise foreign
    if about.get("format") != kind:
        if about.get("format") in _SHOWN_BY:
            shows = _SHOWN_BY[about["format"]]
            raise ArchiveError(f"{path} is a solution of another kind; `{shows} {path}` shows it")
        raise foreign
    if about.get("version") != version:
        raise ArchiveError(
            f"{path} has version {about.get('version')} of the format, this tacit reads version "
            f"{version}; it was made by tacit {about.get('tacit')}"
        )
    if keys - about.keys() or parts - arrays.keys():
        raise ArchiveError(f"{path} is damaged: parts are missing")
    return about, arrays


def _check_arrays(solution: Solution, path: str | Path) -> None:
    tree, policy = solution.tree, solution.policy
    right = policy.shape == (tree.sizes.slots,) and len(solution.history) > 0
    right = right and all(kept.shape == policy.shape for kept in solution.memory.values())
    if right:
        for node in np.flatnonzero(tree.arrays.action_count > 0):
            block = tree.block(policy, int(node))
            right = right and bool(np.all(block >= 0) and np.allclose(block.sum(axis=0), 1))
    if not right:
        raise ArchiveError(f"{path} is damaged: its policy does not fit the game")
