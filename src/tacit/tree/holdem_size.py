"""How large the tree of a spot is and how much memory solving it takes, before it is built.

The betting is walked once, without cards; what it comes to on a street is then there once for every
board of that street. Hands are counted on average over the boards, so the answer is about right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from tacit.games import CHANCE, TERMINAL
from tacit.games.cards import NUM_CARDS
from tacit.games.no_limit import BOARD_SIZES
from tacit.games.spot import IDENTITY, Spot, Suits, action_label, permute_card
from tacit.tree.builder import readable_bytes, readable_count
from tacit.tree.public_state import GameTooLargeError

SLOT_BYTES = 24
"""Policy, regrets and sums in float32, and as much again while the average is checked."""
NODE_BYTES = 3_000
MOST_BETTING = 2_000_000
"""More points of betting than this, cards aside, are not counted to their end."""


@dataclass(frozen=True)
class SpotSize:
    """Public states and slots (action, hand) of a spot's tree."""

    public_states: int
    slots: int

    @property
    def bytes(self) -> int:
        """About what a solve takes at its peak."""
        return SLOT_BYTES * self.slots + NODE_BYTES * self.public_states

    def check(self, max_bytes: int, name: str) -> None:
        """Raise GameTooLargeError if more than `max_bytes` are needed."""
        if self.bytes > max_bytes:
            raise GameTooLargeError(
                f"{name} needs about {readable_bytes(self.bytes)} "
                f"({readable_count(self.public_states)} public states), more than the "
                f"{readable_bytes(max_bytes)} allowed; give fewer bet sizes or smaller ranges, "
                "start on a later street, or allow more memory"
            )


def spot_size(spot: Spot, *, isomorphism: bool = True) -> SpotSize:
    """The size of a spot's tree to the end of the game."""
    nodes = [0] * len(BOARD_SIZES)
    actions = [[0, 0] for _ in BOARD_SIZES]
    stack = [(spot.rules.start(), "")]
    seen = 0
    while stack and seen < MOST_BETTING:
        betting, history = stack.pop()
        seen += 1
        nodes[betting.street] += 1
        if betting.player == CHANCE:
            stack.append((betting.deal(), history + "/"))
        elif betting.player != TERMINAL:
            moves = spot.actions(betting, history)
            actions[betting.street][betting.player] += len(moves)
            stack += [(betting.act(m), history + action_label(betting, m)) for m in moves]
    boards = _boards(spot, isomorphism=isomorphism)
    hands = [float((weights > 0).sum()) for weights in spot.ranges]
    states = slots = 0.0
    for street in range(spot.rules.first_street, spot.rules.last_street + 1):
        if street > spot.rules.first_street:
            dealt = range(BOARD_SIZES[street - 1], BOARD_SIZES[street])
            for card in dealt:  # each of the cards that are left lies in as many hands, on average
                hands = [count * (1 - 2 / (NUM_CARDS - card)) for count in hands]
        states += boards[street] * nodes[street]
        slots += boards[street] * sum(a * h for a, h in zip(actions[street], hands, strict=True))
    return SpotSize(round(states), round(slots))


def _boards(spot: Spot, *, isomorphism: bool) -> dict[int, int]:
    """How many boards are drawn on each street; those that differ in suits only count once."""
    symmetries = spot.symmetries() if isomorphism else (IDENTITY,)
    level = [(spot.board, symmetries)]
    found = {spot.rules.first_street: 1}
    for street in range(spot.rules.first_street + 1, spot.rules.last_street + 1):
        count = BOARD_SIZES[street] - BOARD_SIZES[street - 1]
        level = [after for board, kept in level for after in _deals(board, kept, count)]
        found[street] = len(level)
    return found


def _deals(
    board: tuple[int, ...], symmetries: Sequence[Suits], count: int
) -> list[tuple[tuple[int, ...], tuple[Suits, ...]]]:
    """The next boards, one of each orbit, and the symmetries that they leave."""
    left = [card for card in range(NUM_CARDS) if card not in board]
    if len(symmetries) == 1:
        return [((*board, *cards), (IDENTITY,)) for cards in combinations(left, count)]
    found = []
    seen: set[tuple[int, ...]] = set()
    for cards in combinations(left, count):
        if cards in seen:
            continue
        images = [tuple(sorted(permute_card(suits, c) for c in cards)) for suits in symmetries]
        seen.update(images)
        kept = tuple(s for s, image in zip(symmetries, images, strict=True) if image == cards)
        found.append(((*board, *cards), kept))
    return found
