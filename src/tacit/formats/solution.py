"""Solutions as files: all that is needed to check a policy and to resume solving.

A file is NumPy's npz: `about` (a JSON text), `history` [checkpoints, 4], `policy` [slots] and the
solver's arrays under `memory.<name>`. The game is stored by name and rebuilt on loading. A
fingerprint of its public tree ensures that it is the same game.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, astuple, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from tacit import __version__
from tacit.archive import ArchiveError, open_archive, read_arrays, reading, write_arrays
from tacit.games import Game, load_game
from tacit.solvers import (
    Checkpoint,
    FictitiousPlay,
    Minimiser,
    RegretMatching,
    Solution,
    Stop,
    solve_kind,
)
from tacit.solvers.engine import normalise
from tacit.solvers.solution import PRECISIONS
from tacit.tree import PublicTree, build_tree

if TYPE_CHECKING:
    from tacit.solvers.spot import SpotSolution

FORMAT = "tacit-solution"
VERSION = 1
PIECE = 1 << 16
DIGITS = 9
"""Payoffs and chances are compared to this many decimals."""

_SHOWN_BY = {FORMAT: "tacit show", "tacit-spot": "tacit spot --load"}
_MEMORY = ("policy", "sums", "regrets", "mixture", "regret_scales")


def save_solution(solution: Solution, path: str | Path) -> None:
    """Write `solution` to `path` atomically."""
    minimiser = solution.minimiser
    about = {
        "game": solution.game.name,
        "settings": minimiser and {"kind": type(minimiser).__name__, **asdict(minimiser)},
        "precision": solution.precision,
        "seed": solution.seed,
        "target": solution.target,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "value": solution.value,
        "exploitability": solution.exploitability,
    }
    write_solution(solution, path, FORMAT, about, {"policy": solution.policy})


def load_solution(
    path: str | Path, *, game: Game | None = None, max_bytes: int = 8 << 30
) -> Solution:
    """Read a solution and rebuild its tree; ArchiveError says what is wrong with the file.

    `game` is needed if `load_game` does not find it by name.
    """
    about, arrays = read_solution(path, FORMAT, makes="tacit solve GAME --out", max_bytes=max_bytes)
    with reading(path, "a solution"):
        name = from_json(str, about["game"])
    if game is not None and game.name != name:
        raise ArchiveError(f"{path} is a solution of {name}, not of {game.name}")
    kind = solve_kind(precision="double" if about.get("precision") == "double" else "single")
    left = memory_left(arrays, max_bytes)
    tree = build_tree(game or load_game(name), max_bytes=left, kind=kind)
    with reading(path, "a solution"):
        solution = Solution(
            minimiser=_minimiser(about["settings"]),
            precision=_one_of(PRECISIONS, about["precision"]),
            seed=from_json(int, about["seed"]),
            target=None if about["target"] is None else from_json(float, about["target"]),
            policy=arrays["policy"].astype(np.float64, casting="same_kind"),
            **common_fields(path, about, arrays, tree, f"a game {name!r}"),
        )
        check_arrays(solution)
    return solution


def _minimiser(settings: dict[str, Any] | None) -> Minimiser | None:
    if settings is None:
        return None
    kinds = {"RegretMatching": RegretMatching, "FictitiousPlay": FictitiousPlay}
    minimiser: Minimiser = from_json(kinds[settings.pop("kind")], settings)
    return minimiser


def _one_of(known: Collection[str], value: Any) -> str:
    if value not in known:
        raise ValueError(f"{value!r} is none of {', '.join(known)}")
    return str(value)


def from_json(kind: Any, value: Any) -> Any:
    """A value of the type `kind` (a dataclass, tuple, mapping or plain type) from its JSON.

    ValueError (or what NumPy and Python raise) if it is of another type, or not a number.
    """
    parts = get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{name: from_json(hints[name], item) for name, item in value.items()})
    if get_origin(kind) is tuple:
        kinds = parts[:1] * len(value) if parts[-1] is ... else parts
        return tuple(from_json(*pair) for pair in zip(kinds, value, strict=True))
    if get_origin(kind) is Mapping:
        return {str(name): from_json(parts[1], item) for name, item in value.items()}
    given = float if kind is float and type(value) is int else type(value)
    if kind in (bool, int, float, str) and (given is not kind or value != value):
        raise ValueError(f"{value!r} is not of the type {kind.__name__}")
    return kind(value)


def write_solution(
    solution: Solution | SpotSolution,
    path: str | Path,
    kind: str,
    about: dict[str, Any],
    arrays: dict[str, NDArray[Any]],
) -> None:
    """Write a file of a `kind` with these and the parts that all kinds have."""
    about = {
        "format": kind,
        "version": VERSION,
        "tacit": __version__,
        "fingerprint": fingerprint(solution.tree),
        "algorithm": solution.algorithm,
        "stop": solution.stop,
    } | about
    arrays |= {f"memory.{name}": kept for name, kept in solution.memory.items()}
    arrays["about"] = np.array(json.dumps(about))
    arrays["history"] = np.array([astuple(point) for point in solution.history])
    write_arrays(Path(path), arrays)


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
        for piece in _pieces(whole):
            digest.update(np.ascontiguousarray(piece, dtype=np.int64).tobytes())
    for measured in (arrays.edge_factor, arrays.terminal_scale, tree.matrices):
        for piece in _pieces(measured):
            digest.update((np.round(piece, DIGITS) + 0.0).tobytes())
    return digest.hexdigest()


def _pieces(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """The rows of an array, cut into pieces, so that no copy of it is large."""
    for row in np.atleast_2d(array):
        for start in range(0, len(row), PIECE):
            yield row[start : start + PIECE]


def file_format(path: Path) -> str | None:
    """The format that a file says it has; None if it is no file of ours."""
    try:
        with open_archive(path, "a solution") as file, np.load(file) as arrays:
            return str(json.loads(str(arrays["about"]))["format"])
    except Exception:  # NumPy, zip and JSON raise many kinds of errors over other files
        return None


def read_solution(
    path: str | Path, kind: str, *, makes: str, max_bytes: int
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The JSON `about` and the arrays of a file of this `kind`; the command `makes` writes such."""
    foreign = ArchiveError(f"{path} is not a solution of tacit; `{makes}` makes one")
    arrays = read_arrays(path, "a solution", max_bytes=max_bytes)
    with reading(path, "a solution"):
        about = json.loads(str(arrays.pop("about")))
    if not isinstance(about, dict):
        raise foreign
    if (given := about.get("format")) != kind:
        if isinstance(given, str) and (shows := _SHOWN_BY.get(given)):
            raise ArchiveError(f"{path} is a solution of another kind; `{shows} {path}` shows it")
        raise foreign
    if about.get("version") != VERSION:
        raise ArchiveError(
            f"{path} has version {about.get('version')} of the format, this tacit reads version "
            f"{VERSION}; it was made by tacit {about.get('tacit')}"
        )
    return about, arrays


def memory_left(arrays: Mapping[str, NDArray[Any]], max_bytes: int) -> int:
    """What the arrays of a file, which stay while it is resumed, leave of a limit of memory."""
    return max(0, max_bytes - sum(array.nbytes for array in arrays.values()))


def common_fields(
    path: str | Path,
    about: dict[str, Any],
    arrays: dict[str, NDArray[Any]],
    tree: PublicTree,
    what: str,
) -> dict[str, Any]:
    """The fields that all kinds of solution have; refuses a file made for another tree."""
    if about["fingerprint"] != fingerprint(tree):
        raise ArchiveError(
            f"{path} was made by tacit {about['tacit']} for {what} with another tree than it has "
            "here; solve it again"
        )
    points = arrays["history"].astype(np.float64, casting="same_kind")
    if points.shape[1:] != (4,) or not len(points) or not np.all(np.isfinite(points)):
        raise ValueError("its history is not one of checkpoints")
    history = (Checkpoint(int(point[0]), *map(float, point[1:])) for point in points)
    prefix = "memory."
    kept = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
    return {
        "tree": tree,
        "algorithm": from_json(str, about["algorithm"]),
        "stop": Stop(about["stop"]),
        "history": tuple(history),
        "memory": kept,
    }


def check_arrays(solution: Solution | SpotSolution) -> None:
    """Refuse arrays that do not fit the tree; ValueError."""
    tree, policy = solution.tree, solution.policy
    right = policy.shape == (tree.sizes.slots,) and bool(np.all(policy >= 0))
    right = right and np.allclose(policy, normalise(tree, policy.copy()))
    for name, kept in solution.memory.items():
        scales = name == "regret_scales" and kept.ndim == 1
        right = right and name in _MEMORY and (scales or kept.shape == policy.shape)
        right = right and bool(np.all(np.isfinite(kept)))
    if not right:
        raise ValueError("its policy does not fit the game")
