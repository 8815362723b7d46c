"""Card abstraction of hold'em: on every street similar hands of all boards share a bucket.

Before the flop each of the 169 kinds of hand has its own bucket. On later streets buckets are
clusters (`k_means`) of the features of hands (`tacit.tree.cards.hand_features`) over all boards, up
to a renaming of suits. They do not depend on earlier streets (imperfect recall), as in the papers.
They are computed once and kept in the user's cache folder.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.archive import ArchiveError, read_arrays, write_arrays
from tacit.cache import cache_root
from tacit.games import GameError
from tacit.games.holdem.betting import BOARD_SIZES, PREFLOP, RIVER, STREETS
from tacit.games.holdem.board_classes import board_classes, hand_classes
from tacit.games.holdem.cards import HAND_CLASS, NUM_CLASSES, NUM_HANDS, live_hands
from tacit.games.holdem.spot import permute_hands
from tacit.solvers.sharing.k_means import assign, k_means
from tacit.tree.cards.hand_features import BINS, GROUPS, Features, hand_features

VERSION = 2
"""To be raised when the same settings give other buckets."""
SAMPLE_BOARDS = 4_000
"""The most boards from which centres are computed; the hands of all boards are assigned to them."""

BucketRow = NDArray[np.int32]
OnStage = Callable[[str, float], None]
"""Called with the name of a stage and the share of it that is done."""

_warning = partial(warnings.warn, category=RuntimeWarning, stacklevel=3)


class Buckets(Protocol):
    """A card abstraction, as a solver uses it."""

    def count(self, street: int) -> int:
        """How many buckets a street has."""

    def of(self, board: Sequence[int]) -> BucketRow:
        """[1326] the bucket of every hand on a board, -1 for hands that the board kills."""


@dataclass(frozen=True, kw_only=True)
class BucketSettings:
    """The settings that determine the buckets of a game.

    counts: the number of buckets on the flop, the turn and the river, up to `last_street`, the
    street of the showdown.
    """

    counts: tuple[int, ...]
    last_street: int
    seed: int = 0

    def __post_init__(self) -> None:
        if not PREFLOP < self.last_street <= RIVER:
            raise GameError(
                f"street {self.last_street} cannot be the last; expected 1 (flop) to 3 (river)"
            )
        if len(self.counts) != self.last_street or min(self.counts) < 1:
            raise GameError(
                f"bucket counts {self.counts}: expected {self.last_street} numbers above 0, one "
                f"for each street from the flop to the {STREETS[self.last_street]}"
            )

    def file_name(self, street: int) -> str:
        """The name of the file with the buckets of one street."""
        count = self.counts[street - 1]
        return (
            f"buckets-v{VERSION}-{STREETS[street]}-of-{STREETS[self.last_street]}-game-{count}"
            f"-seed{self.seed}-bins{BINS}-groups{GROUPS}.npz"
        )


class CardBuckets:
    """The buckets of a game.

    tables[street]: int32[B, 1326] for the classes of the street's boards (`board_classes`), -1 for
    dead hands; none before the flop. Buckets are numbered from weak to strong.
    """

    def __init__(self, settings: BucketSettings, tables: dict[int, NDArray[np.int32]]) -> None:
        self.settings = settings
        self.tables = tables

    def count(self, street: int) -> int:
        """How many buckets a street has."""
        return NUM_CLASSES if street == PREFLOP else self.settings.counts[street - 1]

    def of(self, board: Sequence[int]) -> BucketRow:
        """[1326] the bucket of every hand on a board, -1 for hands that the board kills."""
        if not board:
            return HAND_CLASS.astype(np.int32)
        if len(board) not in BOARD_SIZES[: self.settings.last_street + 1]:
            raise GameError(
                f"no buckets for boards of {len(board)} cards; this game ends on the "
                f"{STREETS[self.settings.last_street]}"
            )
        number, suits = board_classes(len(board)).find(board)
        row: BucketRow = self.tables[BOARD_SIZES.index(len(board))][number]
        return row[permute_hands(suits)]


def card_buckets(
    settings: BucketSettings,
    *,
    folder: Path | None = None,
    on_stage: OnStage | None = None,
    report: Callable[[str], None] | None = None,
) -> CardBuckets:
    """The buckets of a game, from the cache or computed and put there.

    folder: by default `bucket_folder()`; report: called with a message about a damaged file, which
    is then rewritten (by default a warning).
    """
    place, tables = folder or bucket_folder(), {}
    for street in range(1, settings.last_street + 1):
        path = place / settings.file_name(street)
        table = _load(path, settings, street, report or _warning)
        if table is None:
            table = compute_street(settings, street, on_stage=on_stage)
            path.parent.mkdir(parents=True, exist_ok=True)
            small = table.astype(np.int16 if table.max() < 2**15 else np.int32)
            write_arrays(path, {"table": small}, compressed=True)
        tables[street] = table
    return CardBuckets(settings, tables)


def bucket_centres(
    settings: BucketSettings,
    street: int,
    *,
    boards: int = SAMPLE_BOARDS,
    on_stage: OnStage | None = None,
) -> Features:
    """[count, D] the centres of a street's buckets, weak to strong, from at most `boards` boards.

    They are kept apart from the hands' buckets, which `tacit.solvers.sharing.centre_buckets`
    computes when a board is dealt.
    """
    notify = on_stage or (lambda stage, share: None)
    name, last = STREETS[street], settings.last_street
    classes = board_classes(BOARD_SIZES[street])
    random = np.random.default_rng((settings.seed, street))
    chosen = np.arange(len(classes.boards))
    if len(chosen) > boards:
        chosen = np.sort(random.choice(len(chosen), boards, replace=False))
    # Hands of one class have the same features up to rounding; the first is used.
    features: list[Features] = []
    masses: list[NDArray[np.float64]] = []
    for done, number in enumerate(chosen.tolist()):
        board = tuple(classes.boards[number].tolist())
        same = hand_classes(board)
        live = live_hands(board)
        sizes = np.bincount(same[live], minlength=NUM_HANDS)
        first = np.flatnonzero(sizes)
        features.append(hand_features(board, last)[first])
        masses.append(sizes[first].astype(np.float64) * classes.weights[number])
        if done % 50 == 0:
            notify(f"{name}: equities", done / len(chosen))
    points, mass = np.concatenate(features), np.concatenate(masses)
    count = settings.counts[street - 1]
    clusters = k_means(
        points,
        count,
        weights=mass,
        seed=settings.seed,
        on_share=lambda share: notify(f"{name}: {count:,} buckets", share),
    )
    # Running sums of histograms are smaller where equities are larger.
    strength = clusters.centres.mean(axis=1) * (1 if street == last else -1)
    ordered: Features = clusters.centres[np.argsort(strength, kind="stable")]
    return ordered


def compute_street(
    settings: BucketSettings, street: int, *, on_stage: OnStage | None = None
) -> NDArray[np.int32]:
    """[B, 1326] the buckets of one street."""
    notify = on_stage or (lambda stage, share: None)
    name, last = STREETS[street], settings.last_street
    classes = board_classes(BOARD_SIZES[street])
    centres = bucket_centres(settings, street, on_stage=on_stage)
    table = np.full((len(classes.boards), NUM_HANDS), -1, np.int32)
    for number, row in enumerate(classes.boards.tolist()):
        board = tuple(row)
        same, alive = hand_classes(board), np.flatnonzero(live_hands(board))
        first = np.unique(same[alive])
        nearest = np.full(NUM_HANDS, -1, np.int32)
        nearest[first] = assign(hand_features(board, last)[first], centres)[0]
        table[number, alive] = nearest[same[alive]]
        if number % 50 == 0:
            notify(f"{name}: hands to buckets", number / len(table))
    notify(f"{name}: hands to buckets", 1.0)
    return table


def bucket_folder() -> Path:
    """Where buckets are kept: the user's cache folder."""
    return cache_root() / "buckets"


def _load(
    path: Path, settings: BucketSettings, street: int, report: Callable[[str], None]
) -> NDArray[np.int32] | None:
    """The table in a file; None if there is none, or if it is damaged, which is reported."""
    if not path.exists():
        return None
    boards = len(board_classes(BOARD_SIZES[street]).boards)
    try:
        table: NDArray[np.int32] = read_arrays(path, "buckets")["table"].astype(np.int32)
    except (ArchiveError, ValueError, KeyError) as error:
        report(f"{path}: cannot be read as buckets ({error}); computing them again")
        return None
    count = settings.counts[street - 1]
    if table.shape != (boards, NUM_HANDS) or table.min() < -1 or table.max() >= count:
        report(
            f"{path}: holds a table of shape {table.shape} with buckets {table.min()} to "
            f"{table.max()}, expected {(boards, NUM_HANDS)} and -1 to {count - 1}; computing again"
        )
        return None
    return table
