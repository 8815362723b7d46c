"""Card buckets that are computed when a board is dealt, from the centres of their clusters.

They are the buckets of `tacit.solvers.sharing.card_buckets` without tables of all boards: a few
kilobytes that can be shipped. A flop takes some hundredths of a second, later boards a thousandth.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.betting import BOARD_SIZES, FLOP, PREFLOP, RIVER
from tacit.games.holdem.board_classes import canonical_board
from tacit.games.holdem.cards import HAND_CLASS, NUM_CLASSES, NUM_HANDS, live_hands
from tacit.games.holdem.hand_rank import rank_boards
from tacit.games.holdem.spot import permute_hands
from tacit.solvers.sharing.card_buckets import BucketRow, BucketSettings, OnStage, bucket_centres
from tacit.solvers.sharing.k_means import assign
from tacit.tree.cards.hand_features import (
    BINS,
    GROUPS,
    Features,
    group_equities,
    hand_features,
    opponent_groups,
)

KEPT = 2_000
"""The number of boards whose buckets are kept; there are 1,755 flops up to the names of suits."""


class CentreBuckets:
    """The buckets of whole hold'em.

    centres: [count, D] for the flop, the turn and the river, weak to strong; groups: [169] the
    group of the opponent's hands of each class, for features on the river.
    """

    def __init__(self, centres: Sequence[Features], groups: NDArray[np.int64]) -> None:
        widths = (BINS, BINS, GROUPS)
        shapes = [each.shape[1:] for each in centres]
        if shapes != [(width,) for width in widths] or groups.shape != (NUM_CLASSES,):
            raise GameError(
                f"centres of shapes {shapes} with {groups.shape} groups; expected {widths} "
                f"features on flop, turn and river and {NUM_CLASSES} groups"
            )
        self.centres = tuple(centres)
        self.groups = groups
        self._kept: OrderedDict[tuple[int, ...], BucketRow] = OrderedDict()

    @classmethod
    def compute(
        cls,
        counts: tuple[int, int, int],
        *,
        seed: int,
        boards: int,
        on_stage: OnStage | None = None,
    ) -> CentreBuckets:
        """Clusters of the hands of at most `boards` boards of each street."""
        settings = BucketSettings(counts=counts, last_street=RIVER, seed=seed)
        centres = [
            bucket_centres(settings, street, boards=boards, on_stage=on_stage)
            for street in range(FLOP, RIVER + 1)
        ]
        groups = np.zeros(NUM_CLASSES, np.int64)
        groups[HAND_CLASS] = opponent_groups(RIVER)
        return cls(centres, groups)

    def count(self, street: int) -> int:
        """How many buckets a street has."""
        return NUM_CLASSES if street == PREFLOP else len(self.centres[street - 1])

    def of(self, board: Sequence[int]) -> BucketRow:
        """[1326] the bucket of every hand on a board, -1 for hands that the board kills."""
        if not board:
            return HAND_CLASS.astype(np.int32)
        if len(board) not in BOARD_SIZES:
            raise GameError(f"the board has {len(board)} cards; expected 0, 3, 4 or 5")
        smallest, suits = canonical_board(board)
        if smallest not in self._kept:
            self._kept[smallest] = self._compute(smallest)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(smallest)
        return self._kept[smallest][permute_hands(suits)]

    def _compute(self, board: tuple[int, ...]) -> BucketRow:
        if len(board) == BOARD_SIZES[RIVER]:
            [features] = group_equities(rank_boards([board]), self.groups[HAND_CLASS], GROUPS)
        else:
            features = hand_features(board, RIVER)
        row = np.full(NUM_HANDS, -1, np.int32)
        live = live_hands(board)
        row[live] = assign(features[live], self.centres[BOARD_SIZES.index(len(board)) - 1])[0]
        return row
