"""The size of a spot's tree and the memory to solve it, estimated before it is built.

The betting is walked once, without cards; the counts of a street are multiplied by the number of
its boards. The number of hands is a mean over the boards, so the result is approximate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import comb

from tacit.games import CHANCE, TERMINAL
from tacit.games.holdem.betting import BOARD_SIZES
from tacit.games.holdem.cards import NUM_CARDS
from tacit.games.holdem.spot import IDENTITY, Spot, Suits, action_label, permute_card
from tacit.tree.builder import readable_bytes, readable_count
from tacit.tree.cards.deals import BATCH
from tacit.tree.cards.terminals import work_size
from tacit.tree.memory import SolveKind, SolveMemory, TreeCounts, solve_memory
from tacit.tree.public_state import GameTooLargeError

HAND_SCALE_BYTES, NODE_START_BYTES = 4, 8
"""With 16 bits: the scale of the regrets of a hand at a node, and where a node's scales begin."""
POLICY_BYTES = 4
"""A number of the average policy that is evaluated."""
NODE_BYTES, EDGE_BYTES, HAND_BYTES, MAP_BYTES = 91, 104, 12, 8
"""Bytes of `TreeArrays` and its `CardTables` per node, edge, hand of a board, and hand that stays
possible after a deal."""
DEAL_HAND_BYTES, DEAL_MAP_BYTES = 6, 4
"""Bytes of a `Deal` per hand, and of its map per hand that stays possible."""
BUILD_NODE_BYTES, BUILD_BOARD_BYTES, BUILD_MAP_BYTES = 100, 13_000, 16
"""Temporary memory for laying out a node; for making a board, and a hand of its map."""
CHECK_EVERY = 50_000
"""The number of betting nodes after which a walk that is already too large is stopped."""


@dataclass(frozen=True, kw_only=True)
class SpotSize:
    """Public states and slots (action, hand) of a spot's tree, and the sizes of its arrays.

    vectors: entries of both players' reaches and values; evaluated: those that one pass of a best
    response needs; thread_vectors: those that a further thread needs, if there is more than one
    part; parts: what threads can solve in parallel; mapped: hands that stay possible after deals;
    hands: those of all boards; deciding: the hands of the mover at all decision nodes; boards: all
    of them; storage: 32 or 16 bits for each regret and policy sum; threads: as many as there are
    parts at most; complete: False if counting stopped because the tree was already too large.
    """

    public_states: int
    slots: int
    vectors: int
    evaluated: int
    thread_vectors: int
    parts: int
    mapped: int
    hands: int
    deciding: int
    boards: int
    storage: int = 32
    threads: int = 1
    complete: bool = True

    @property
    def array_bytes(self) -> int:
        """The arrays of the tree."""
        nodes, maps, hands = self.public_states, self.mapped, self.hands
        return (NODE_BYTES + EDGE_BYTES) * nodes + MAP_BYTES * maps + HAND_BYTES * hands

    @property
    def counts(self) -> TreeCounts:
        """What the memory of a solve depends on."""
        together = min(1.0, BATCH / self.boards)
        made = BUILD_BOARD_BYTES * self.boards + BUILD_MAP_BYTES * self.mapped
        return TreeCounts(
            tree=self.array_bytes + DEAL_HAND_BYTES * self.hands + DEAL_MAP_BYTES * self.mapped,
            building=max(BUILD_NODE_BYTES * self.public_states, round(together * made)),
            slots=self.slots,
            vectors=self.vectors,
            evaluated=self.evaluated,
            thread_vectors=self.thread_vectors,
            scales=HAND_SCALE_BYTES * self.deciding + NODE_START_BYTES * self.public_states,
        )

    @property
    def memory(self) -> SolveMemory:
        """What a solve takes, by phases."""
        threads = max(1, min(self.threads, self.parts))
        kind = SolveKind(storage=self.storage, threads=threads, policy_bytes=POLICY_BYTES)
        return solve_memory(self.counts, kind)

    @property
    def bytes(self) -> int:
        """The peak memory of a solve."""
        return self.memory.peak

    def check(self, max_bytes: int, name: str) -> None:
        """Raise GameTooLargeError if more than `max_bytes` are needed."""
        if self.bytes > max_bytes:
            short = replace(self, storage=16).bytes
            helps = self.complete and self.storage == 32 and short <= max_bytes
            hint = f"keep numbers in 16 bits (storage 16: about {readable_bytes(short)}), "
            hint = hint if helps else ""
            raise GameTooLargeError(
                f"{name} needs {'about' if self.complete else 'more than'} "
                f"{readable_bytes(self.bytes)} "
                f"({readable_count(self.public_states)} public states), more than the "
                f"{readable_bytes(max_bytes)} allowed; {hint}give fewer bet sizes or "
                "smaller ranges, start on a later street, or allow more memory"
            )


@dataclass
class _Street:
    """Counts of the betting on one street, without cards."""

    nodes: int = 0
    deals: int = 0
    """Nodes where the next street's cards are dealt."""
    entries: int = 0
    """Nodes with which the street begins."""
    actions: list[list[int]] = field(default_factory=lambda: [[], []])
    """The number of actions at each node of each player."""


def spot_size(
    spot: Spot,
    *,
    isomorphism: bool = True,
    storage: int = 32,
    threads: int = 1,
    max_bytes: int | None = None,
) -> SpotSize:
    """The size of a spot's tree to the end of the game, with `storage` bits per number.

    With `max_bytes` counting stops soon after that is exceeded.
    """
    boards = _boards(spot, isomorphism=isomorphism)
    streets = [_Street() for _ in BOARD_SIZES]
    stack = [(spot.rules.start(), "")]
    streets[spot.rules.first_street].entries = 1
    seen = 0
    while stack:
        betting, history = stack.pop()
        street = streets[betting.street]
        street.nodes += 1
        if betting.player == CHANCE:
            street.deals += 1
            streets[betting.street + 1].entries += 1
            stack.append((betting.deal(), history + "/"))
        elif betting.player != TERMINAL:
            moves = spot.actions(betting, history)
            street.actions[betting.player].append(len(moves))
            stack += [(betting.act(m), history + action_label(betting, m)) for m in moves]
        seen += 1
        if max_bytes is not None and seen % CHECK_EVERY == 0:
            size = _size(spot, streets, boards, storage, threads, complete=False)
            if size.bytes > max_bytes:
                return size
    return _size(spot, streets, boards, storage, threads, complete=True)


def _size(
    spot: Spot,
    streets: Sequence[_Street],
    boards: dict[int, int],
    storage: int,
    threads: int,
    *,
    complete: bool,
) -> SpotSize:
    """The counts of each street's betting, times its boards."""
    hands = [float((weights > 0).sum()) for weights in spot.ranges]
    states = slots = mapped = held = deciding = scratch = 0.0
    reach, values, shared = [0.0, 0.0], [0.0, 0.0], 0.0
    first, last = spot.rules.first_street, spot.rules.last_street
    for number in range(first, last + 1):
        street, count = streets[number], boards[number]
        if number > first:
            dealt = range(BOARD_SIZES[number - 1], BOARD_SIZES[number])
            for card in dealt:  # on average each remaining card is in equally many hands
                hands = [each * (1 - 2 / (NUM_CARDS - card)) for each in hands]
            ways = comb(NUM_CARDS - BOARD_SIZES[number - 1], len(dealt))
            # The map of a board that stands for others holds the hands of all of them; one map
            # serves all lines of betting.
            mapped += boards[number - 1] * ways * sum(hands)
        states += count * street.nodes
        held += count * sum(hands)
        # Boards of a street share their vectors. A player has values at every node and on every
        # edge to the next street's boards, and a reach after each own action.
        ways_on = street.deals * boards[number + 1] / count if number < last else 0
        for p, (own, actions) in enumerate(zip(hands, street.actions, strict=True)):
            slots += count * sum(actions) * own
            deciding += count * len(actions) * own
            reach[p] += (street.entries + sum(actions)) * own
            values[p] += (street.nodes + ways_on) * own
            scratch = max(scratch, max(actions, default=0) * max(hands))
        scratch = max(scratch, work_size(round(max(hands))))
        if number == first:
            shared = sum(reach) + sum(values)
    vectors = sum(reach) + sum(values)
    return SpotSize(
        public_states=round(states),
        slots=round(slots),
        vectors=round(vectors + 2 * scratch),
        evaluated=round(max(reach) + max(values) + 2 * scratch),
        thread_vectors=round(vectors - shared + 2 * scratch),
        parts=boards[first + 1] if first < last else 0,
        mapped=round(mapped),
        hands=round(held),
        deciding=round(deciding),
        boards=sum(boards.values()),
        storage=storage,
        threads=threads,
        complete=complete,
    )


def _boards(spot: Spot, *, isomorphism: bool) -> dict[int, int]:
    """The number of boards of each street; those that differ only in suits count once.

    By Burnside's lemma: the mean over the symmetries of the boards that each leaves unchanged.
    """
    symmetries = spot.symmetries() if isomorphism else (IDENTITY,)
    first = spot.rules.first_street
    boards = {}
    for street in range(first, spot.rules.last_street + 1):
        sizes = BOARD_SIZES[first : street + 1]
        deals = tuple(after - before for before, after in pairwise(sizes))
        unchanged = (_unchanged(_cycles(suits, spot.board), deals) for suits in symmetries)
        boards[street] = sum(unchanged) // len(symmetries)
    return boards


def _cycles(suits: Suits, board: Sequence[int]) -> tuple[int, int, int]:
    """The numbers of cycles of length 1, 2 and 3 of a permutation on the remaining cards."""
    counts = [0, 0, 0, 0]
    for card in range(NUM_CARDS):
        if card not in board:
            length, other = 1, permute_card(suits, card)
            while other != card:
                length, other = length + 1, permute_card(suits, other)
            counts[length - 1] += 1
    return counts[0], counts[1] // 2, counts[2] // 3


def _unchanged(cycles: tuple[int, int, int], deals: Sequence[int]) -> int:
    """The number of ways in which deals of these sizes consist of whole cycles."""
    if not deals:
        return 1
    singles, pairs, triples = cycles
    total = 0
    for threes in range(deals[0] // 3 + 1):
        for twos in range((deals[0] - 3 * threes) // 2 + 1):
            ones = deals[0] - 3 * threes - 2 * twos
            ways = comb(singles, ones) * comb(pairs, twos) * comb(triples, threes)
            left = singles - ones, pairs - twos, triples - threes
            total += ways * _unchanged(left, deals[1:]) if ways else 0
    return total
