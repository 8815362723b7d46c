"""A blueprint of heads-up no-limit hold'em: a policy in card buckets for a few bet sizes.

It is made by `make_blueprint` and kept in one small file: probabilities in 8 bits, the centres of
the buckets, and the settings that made it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.archive import ArchiveError, read_arrays, reading, write_arrays
from tacit.games import GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import STREETS, BettingRules
from tacit.solvers.sharing.centre_buckets import CentreBuckets
from tacit.subgame.holdem.betting_tree import FOLDED, BettingTree, betting_tree
from tacit.subgame.holdem.sampled_cfr import SampledCFR

WHAT = "a blueprint of hold'em"
FORMAT = "tacit hold'em blueprint 1"
SHIPPED = "holdem.npz"
SCALE = 255
"""What a probability of one is in 8 bits."""
KEEP_EVERY = 250
"""Iterations between two checkpoints."""

OnStage = Callable[[str, float], None]
"""Called with the name of a stage and the share of it that is done."""


@dataclass(frozen=True, kw_only=True)
class BlueprintSettings:
    """What determines a blueprint.

    bets: the sizes of each street from before the flop on, in the notation of `bet_sizes`; buckets:
    their number on the flop, the turn and the river; boards: the most boards of a street from which
    the buckets are computed.
    """

    stack: int = 20_000
    big_blind: int = 100
    small_blind: int = 50
    bets: tuple[str, str, str, str] = (
        "100%,a",
        "50%,100%/100%,a",
        "50%,100%,a/100%,a",
        "50%,100%,a/100%,a",
    )
    force_all_in: float = 0.3
    buckets: tuple[int, int, int] = (200, 150, 100)
    boards: int = 400
    iterations: int = 8_000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.iterations < 1 or self.boards < 1:
            raise GameError("a blueprint needs at least one iteration and one board")
        self.tree_of((169, *self.buckets))

    @property
    def rules(self) -> BettingRules:
        """Blinds and stacks."""
        blinds = {"big_blind": self.big_blind, "small_blind": self.small_blind}
        return BettingRules(stacks=(self.stack, self.stack), **blinds)

    def tree_of(self, counts: tuple[int, ...]) -> BettingTree:
        """The betting tree for so many buckets on each street."""
        sizes = dict(zip(STREETS, self.bets, strict=True))
        return betting_tree(
            self.rules, BetSettings.parse(sizes, force_all_in=self.force_all_in), counts
        )


@dataclass(frozen=True)
class HoldemBlueprint:
    """A policy for whole hands. policy: uint8 [slots] of the tree, in parts of `SCALE`."""

    settings: BlueprintSettings
    tree: BettingTree = field(repr=False)
    buckets: CentreBuckets = field(repr=False)
    policy: NDArray[np.uint8] = field(repr=False)

    def chances(self, node: int, board: tuple[int, ...]) -> NDArray[np.float64]:
        """[A, 1326] the policy of every hand at a node; uniform for hands that the board kills."""
        street = int(self.tree.street[node])
        rows = self.buckets.of(board)
        block = self.tree.block(self.policy, node, self.buckets.count(street)).astype(np.float64)
        total = block.sum(axis=0)
        uniform = np.full_like(block, 1 / len(block))
        shares = np.divide(block, total, out=uniform.copy(), where=total > 0)
        chances: NDArray[np.float64] = np.where(rows >= 0, shares[:, rows], 1 / len(block))
        return chances

    def save(self, path: str | Path) -> None:
        """Write the file."""
        about = {"format": FORMAT, "command": self.command, **dataclasses.asdict(self.settings)}
        arrays: dict[str, NDArray[Any]] = {
            "about": np.frombuffer(json.dumps(about).encode(), np.uint8),
            "policy": self.policy,
            "groups": self.buckets.groups.astype(np.int8),
        }
        for street, centres in zip(STREETS[1:], self.buckets.centres, strict=True):
            arrays[street] = centres.astype(np.float16)
        write_arrays(path, arrays, compressed=True)

    @property
    def command(self) -> str:
        """The command that makes it again, where all but iterations and seed are defaults."""
        settings = self.settings
        return f"tacit blueprint holdem -n {settings.iterations} --seed {settings.seed}"


def load_blueprint(path: str | Path) -> HoldemBlueprint:
    """The blueprint in a file; ArchiveError says what is wrong with it."""
    arrays = read_arrays(path, WHAT)
    with reading(path, WHAT):
        about = json.loads(arrays["about"].tobytes())
        if about.pop("format") != FORMAT:
            raise ArchiveError(f"{path} is not {WHAT}")
        about.pop("command")
        lists = {name: tuple(value) for name, value in about.items() if isinstance(value, list)}
        settings = BlueprintSettings(**{**about, **lists})
        centres = [arrays[street].astype(np.float32) for street in STREETS[1:]]
        buckets = CentreBuckets(centres, arrays["groups"].astype(np.int64))
        tree = settings.tree_of(tuple(buckets.count(street) for street in range(4)))
        if arrays["policy"].shape != (tree.slots,) or arrays["policy"].dtype != np.uint8:
            raise ArchiveError(f"{path} has a policy of {arrays['policy'].shape}, not {tree.slots}")
        return HoldemBlueprint(settings, tree, buckets, arrays["policy"])


@cache
def shipped_blueprint() -> HoldemBlueprint:
    """The blueprint that comes with the package."""
    with as_file(files("tacit.subgame.holdem") / SHIPPED) as path:
        return load_blueprint(path)


def make_blueprint(
    settings: BlueprintSettings,
    *,
    checkpoint: Path | None = None,
    on_stage: OnStage | None = None,
) -> HoldemBlueprint:
    """Compute buckets, then solve.

    checkpoint: a file that is written every `KEEP_EVERY` iterations; an interrupted solve with the
    same settings is resumed from it. It is removed at the end.
    """
    notify = on_stage or (lambda stage, share: None)
    kept = _read_checkpoint(checkpoint, settings)
    if kept is None:
        buckets = CentreBuckets.compute(
            settings.buckets, seed=settings.seed, boards=settings.boards, on_stage=on_stage
        )
        # As they are in the file, so that play and solve put hands into the same buckets.
        rounded = [centres.astype(np.float16).astype(np.float32) for centres in buckets.centres]
        buckets = CentreBuckets(rounded, buckets.groups)
    else:
        buckets = CentreBuckets([kept[name] for name in STREETS[1:]], kept["groups"])
    tree = settings.tree_of(tuple(buckets.count(street) for street in range(4)))
    solver = SampledCFR(tree, buckets, seed=settings.seed)
    if kept is not None:
        solver.iteration = int(kept["iteration"][0])
        solver.regrets[:], solver.sums[:] = kept["regrets"], kept["sums"]
    while solver.iteration < settings.iterations:
        solver.run(
            min(KEEP_EVERY, settings.iterations - solver.iteration),
            lambda done: notify("iterations", done / settings.iterations),
        )
        if checkpoint is not None:
            _write_checkpoint(checkpoint, settings, solver, buckets)
    policy = np.rint(SCALE * solver.average_policy()).astype(np.uint8)
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    return HoldemBlueprint(settings, tree, buckets, policy)


def _write_checkpoint(
    path: Path, settings: BlueprintSettings, solver: SampledCFR, buckets: CentreBuckets
) -> None:
    arrays: dict[str, NDArray[Any]] = {
        "about": np.frombuffer(_about(settings), np.uint8),
        "iteration": np.array([solver.iteration]),
        "regrets": solver.regrets,
        "sums": solver.sums,
        "groups": buckets.groups,
    }
    write_arrays(path, arrays | dict(zip(STREETS[1:], buckets.centres, strict=True)))


def _read_checkpoint(
    path: Path | None, settings: BlueprintSettings
) -> dict[str, NDArray[Any]] | None:
    """The arrays of an interrupted solve; GameError if it has other settings."""
    if path is None or not path.exists():
        return None
    kept = read_arrays(path, "a checkpoint of a blueprint")
    if kept["about"].tobytes() != _about(settings):
        raise GameError(
            f"{path} is the checkpoint of a blueprint with other settings; finish that one with "
            "its settings, remove the file, or name another"
        )
    return kept


def _about(settings: BlueprintSettings) -> bytes:
    """The settings as text; the number of iterations may change."""
    values = dataclasses.asdict(settings)
    values.pop("iterations")
    return json.dumps(values).encode()


def decisions(tree: BettingTree) -> int:
    """The number of nodes at which a player decides."""
    return int((tree.player < FOLDED).sum())
