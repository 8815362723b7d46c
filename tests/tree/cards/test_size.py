"""The estimate of a spot's size against the tree itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

import numpy as np
import pytest

from tacit.array_record import ArrayRecord
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import BOARD_SIZES, BettingRules
from tacit.games.holdem.cards import parse_board
from tacit.games.holdem.ranges import parse_range
from tacit.games.holdem.spot import Spot
from tacit.solvers import Solver, find_algorithm
from tacit.solvers.best_response import BestResponse
from tacit.tree import GameTooLargeError, PublicTree
from tacit.tree.cards.builder import build_spot
from tacit.tree.cards.size import (
    DEAL_HAND_BYTES,
    DEAL_MAP_BYTES,
    SpotSize,
    _boards,
    spot_size,
)
from tacit.tree.cards.states import CardState

SPOTS = [
    Spot.of("2c7dJhQsKs", pot=100, behind=200, bets="50%,a/a"),
    Spot.of("2c7dJhQs", ranges=("22+,A2s+", "KTo+,76s"), pot=100, behind=200, bets="75%/a"),
    Spot.of("7s8s9s", ranges=("AKs,QQ", "AA,JTs"), pot=100, behind=100, bets="a"),
]


def array_bytes(things: Iterable[object]) -> int:
    """The bytes of all arrays in these records, tuples and lists; what they share counts once."""
    found: dict[int, int] = {}
    stack = list(things)
    while stack:
        thing = stack.pop()
        if isinstance(thing, np.ndarray):
            place = thing.__array_interface__["data"][0]
            found[place] = max(found.get(place, 0), thing.nbytes)
        elif isinstance(thing, ArrayRecord):
            stack += [getattr(thing, field.name) for field in fields(thing)]
        elif isinstance(thing, tuple | list):
            stack += thing
    return sum(found.values())


def expected_arrays(tree: PublicTree, size: SpotSize) -> int:
    """The bytes of all arrays of a solve, also of those parts of scratch that are never used."""
    deals = DEAL_HAND_BYTES * size.hands + DEAL_MAP_BYTES * size.mapped
    unused = 8 * tree.sizes.scratch * (1 + size.threads)
    return size.memory.evaluate - deals + unused


@pytest.mark.parametrize("spot", SPOTS)
@pytest.mark.parametrize("isomorphism", [True, False])
@pytest.mark.parametrize("storage", [32, 16])
def test_the_estimate_is_about_right(spot: Spot, isomorphism: bool, storage: int) -> None:
    if not isomorphism and len(spot.board) == 3:
        pytest.skip("thousands of boards")
    tree = build_spot(spot, isomorphism=isomorphism)
    size = spot_size(spot, isomorphism=isomorphism, storage=storage)
    assert size.public_states == pytest.approx(tree.nodes, rel=0.02)
    assert size.slots == pytest.approx(tree.sizes.slots, rel=0.05)
    solver = Solver(tree, find_algorithm("dcfr"), storage=storage)
    average = solver.average_policy(np.float32)
    works = solver.work, BestResponse(tree, average).work
    held = [tree.arrays, solver.sums, solver.policy, solver.regrets, average]
    if storage == 16:
        held += [solver.regret_scales, solver.starts]
    held += [work.vectors for work in works]
    assert size.array_bytes == pytest.approx(array_bytes([tree.arrays]), rel=0.05)
    assert expected_arrays(tree, size) == pytest.approx(array_bytes(held), rel=0.05)
    assert size.bytes >= size.memory.evaluate


def test_every_thread_takes_vectors_of_its_own() -> None:
    tree = build_spot(SPOTS[1])
    for threads in (1, 2, 3):
        solver = Solver(tree, find_algorithm("dcfr"), threads=threads)
        average = solver.average_policy(np.float32)
        response = BestResponse(tree, average, threads=threads)
        held = [tree.arrays, solver.sums, solver.policy, solver.regrets, average]
        held += [solver.work.vectors, response.work.vectors]
        size = spot_size(SPOTS[1], threads=threads)
        assert expected_arrays(tree, size) == pytest.approx(array_bytes(held), rel=0.05)
    river = SPOTS[0]
    assert spot_size(river, threads=8).bytes == spot_size(river).bytes


def test_a_river_is_counted_exactly() -> None:
    tree, size = build_spot(SPOTS[0]), spot_size(SPOTS[0])
    assert (size.public_states, size.slots) == (tree.nodes, tree.sizes.slots)


@pytest.mark.parametrize(
    "board", ["", "7s8s9s", "7s8s9h", "2c2d9h", "2c7dJh", "7s7h8s8h", "7s7h2s9s"]
)
def test_boards_are_counted_as_they_are_drawn(board: str) -> None:
    cards = parse_board(board)
    street = BOARD_SIZES.index(len(cards))
    rules = BettingRules(first_street=street, last_street=max(street, 1) + (street > 0))
    ranges = parse_range("random"), parse_range("random")
    spot = Spot(board=cards, rules=rules, ranges=ranges, bets=BetSettings.parse(""))
    following = CardState.of(spot).deal.following
    assert _boards(spot, isomorphism=True)[street + 1] == len(following)


def test_whole_games_have_as_many_boards_as_suits_tell_apart() -> None:
    spot = Spot.from_the_blinds("50%,100%,200%,a", stack=20_000)
    assert _boards(spot, isomorphism=True) == {0: 1, 1: 1_755, 2: 63_193, 3: 2_554_656}
    assert _boards(spot, isomorphism=False)[3] == 22_100 * 49 * 48


def test_what_does_not_fit_is_refused_with_the_estimate() -> None:
    flop = Spot.of("2c7dJh", pot=100, behind=10_000, bets="33%,75%,150%,a/60%,a")
    with pytest.raises(GameTooLargeError, match=r"needs about \d.* more than the 8.59 GB allowed"):
        build_spot(flop)
    size = spot_size(SPOTS[1])
    build_spot(SPOTS[1], max_bytes=size.bytes)
    with pytest.raises(GameTooLargeError, match="give fewer bet sizes"):
        build_spot(SPOTS[1], max_bytes=size.bytes - 1)


def test_sixteen_bits_are_proposed_where_they_would_do() -> None:
    short, whole = spot_size(SPOTS[1], storage=16).bytes, spot_size(SPOTS[1]).bytes
    assert short < whole
    with pytest.raises(GameTooLargeError, match="16 bits"):
        build_spot(SPOTS[1], max_bytes=short)
    build_spot(SPOTS[1], storage=16, max_bytes=short)
    with pytest.raises(GameTooLargeError) as refused:
        build_spot(SPOTS[1], max_bytes=short - 1)
    assert "16 bits" not in str(refused.value)


def test_what_is_far_too_large_is_not_counted_to_its_end() -> None:
    sizes = "25%,33%,50%,75%,100%,150%,200%,a/50%,75%,100%,a"
    flop = Spot.of("2c7dJh", pot=100, behind=200_000, bets=sizes)
    with pytest.raises(GameTooLargeError, match=r"needs more than \d.* TB") as refused:
        build_spot(flop)
    assert "\n" not in str(refused.value)
    assert not spot_size(flop, max_bytes=8 << 30).complete
