"""Rows, curves and the zero-sum shift against slow versions, one hand at a time."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import GameError
from tacit.games.holdem.betting import BettingRules
from tacit.games.holdem.cards import parse_board
from tacit.games.holdem.spot import Spot, Suits, permute_card, permute_hands
from tacit.learn.holdem.knots import (
    KNOTS,
    OUTPUTS,
    POWERS,
    SCALARS,
    Situation,
    locate,
    situation_of,
)
from tacit.learn.holdem.random_positions import checked_through, random_ranges
from tacit.tree.cards.equity import range_equity
from tacit.tree.cards.states import CardState
from tacit.tree.pbs import PBS

SUITS: Suits = (2, 0, 3, 1)


def position(text: str, *, before_card: bool, suits: Suits | None = None, behind: int = 900) -> PBS:
    """A PBS with random ranges, its suits renamed if `suits` are given."""
    board = parse_board(text)
    ranges = random_ranges(board, np.random.default_rng(1))
    if suits is not None:
        board = tuple(permute_card(suits, card) for card in board)
        renamed = np.zeros_like(ranges)
        renamed[:, permute_hands(suits)] = ranges
        ranges = renamed
    spot = Spot.of(board, pot=400, behind=behind, bets="100%,a/a")
    state = CardState.of(spot, isomorphism=False)
    first, second = (ranges[p, state.deal.hands[p]] for p in (0, 1))
    return PBS(checked_through(state) if before_card else state, (first, second))


def test_coordinates_are_equities_and_joint_chances() -> None:
    pbs = position("3s7hTdKs", before_card=True)
    positions = locate([pbs])
    ranges = np.zeros((2, 1326))
    for player in (0, 1):
        ranges[player, pbs.state.deal.hands[player]] = pbs.beliefs[player]
    known = range_equity(pbs.state.board, (ranges[0], ranges[1]))
    for player in (0, 1):
        own = pbs.state.deal.hands[player]
        assert np.abs(positions.equity[0, player, own] - known.hands[player][own]).max() < 1e-5
        joint = pbs.beliefs[player] * pbs.state.compatible_reach(player, pbs.beliefs[1 - player])
        assert np.abs(positions.weight[0, player, own] - joint / joint.sum()).max() < 1e-6
    assert positions.live[0].sum() == len(pbs.state.deal.hands[0])
    assert (positions.pot[0], positions.ratio[0], positions.scale[0]) == (400, 2.25, 1)


def test_rows_are_densities_over_equity() -> None:
    positions = locate([position("3s7hTdKs", before_card=True)])
    rows = positions.rows()[0]
    density = np.zeros((2, 2, KNOTS))
    for player in (0, 1):
        for hand in range(1326):
            share = positions.weight[0, player, hand]
            place = positions.equity[0, player, hand] * (KNOTS - 1)
            for knot in range(KNOTS):
                here = share * max(0.0, 1 - abs(place - knot))
                density[player, 0, knot] += here
                density[player, 1, knot] += here * positions.potential[0, hand]
    for player in (0, 1):
        parts = rows[player, SCALARS + len(Situation) :].reshape(2, 3, KNOTS)
        for side, of in enumerate((player, 1 - player)):
            own = density[of, 0]
            assert np.abs(parts[side, 0] - KNOTS * own).max() < 1e-4
            assert np.abs(parts[side, 1] - (np.cumsum(own) - own / 2)).max() < 1e-5
            assert np.abs(parts[side, 2] - KNOTS * density[of, 1]).max() < 1e-4
        assert rows[player, 3] == (player == 0)
        assert rows[player, SCALARS : SCALARS + len(Situation)].argmax() == Situation.BEFORE_RIVER


def test_values_interpolate_the_curves_and_are_zero_sum() -> None:
    positions = locate([position("3s7hTdKs", before_card=True)] * 2)
    curves = np.random.default_rng(0).normal(size=(2, 2, OUTPUTS)).astype(np.float32)
    found = positions.values(curves)
    plain = np.zeros((2, 1326))
    for player in (0, 1):
        curve = curves[1, player].reshape(POWERS, KNOTS)
        for hand in range(1326):
            equity, s = positions.equity[1, player, hand], positions.potential[1, hand]
            at = [np.interp(equity, np.linspace(0, 1, KNOTS), each) for each in curve]
            plain[player, hand] = equity - 0.5 + at[0] + at[1] * s + at[2] * s**2
    gap = sum(plain[player] @ positions.weight[1, player] for player in (0, 1))
    live = positions.live[1]
    assert np.abs(found[1] - (plain - gap / 2))[:, live].max() < 1e-4
    sums = (found * positions.weight).sum(axis=(1, 2))
    assert np.abs(sums).max() < 1e-5
    assert gap != pytest.approx(0, abs=1e-3)


def test_with_nothing_behind_the_value_is_equity() -> None:
    spot = Spot.of("3s7hTdKs", pot=400, behind=900, bets="a/a")
    state = CardState.of(spot)
    for label in ("r1100", "c"):
        moves = state.expand()
        state = moves.transitions[list(moves.labels).index(label)].child
    positions = locate([PBS(state, state.beliefs())])
    assert positions.pot[0] == 2200
    found = positions.values(np.ones((1, 2, OUTPUTS), np.float32))
    live = positions.live[0]
    assert np.abs(found - (positions.equity - 0.5))[0][:, live].max() < 1e-6


@pytest.mark.parametrize("before_card", [True, False])
def test_renaming_suits_changes_nothing_that_the_network_sees(before_card: bool) -> None:
    one, two = (position("3s7hTdKs", before_card=before_card, suits=s) for s in (None, SUITS))
    first, second = locate([one]), locate([two])
    assert np.abs(first.rows() - second.rows()).max() < 1e-3
    curves = np.random.default_rng(0).normal(size=(1, 2, OUTPUTS)).astype(np.float32)
    moved = permute_hands(SUITS)
    assert np.abs(first.values(curves) - second.values(curves)[:, :, moved]).max() < 1e-3


def test_every_street_has_its_situations() -> None:
    for street, text in enumerate(("3s7hTd", "3s7hTdKs", "3s7hTdKs2c"), start=1):
        pbs = position(text, before_card=False)
        assert situation_of(pbs.state) == Situation(2 * street - 1)
        if street < 3:
            assert situation_of(checked_through(pbs.state)) == Situation(2 * street)
    spot = Spot.from_the_blinds("100%,a", stack=2000)
    state = CardState.of(spot, isomorphism=False)
    with pytest.raises(GameError, match="start of its betting, not after ''"):
        situation_of(state)
    for label in ("c", "k"):
        moves = state.expand()
        state = moves.transitions[list(moves.labels).index(label)].child
    assert situation_of(state) == Situation.BEFORE_FLOP
    rows = locate([PBS(state, state.beliefs())]).rows()
    assert np.isfinite(rows).all()
    assert [each.label for each in (Situation.BEFORE_FLOP, Situation.TURN)] == [
        "before the flop",
        "turn",
    ]


def test_the_middle_of_the_betting_is_refused() -> None:
    state = position("3s7hTdKs", before_card=False).state
    after = state.expand().transitions[0].child
    with pytest.raises(GameError, match="not after 'k'; search to the end of the street"):
        locate([PBS(after, after.beliefs())])


def test_unequal_stacks_count_by_the_smaller() -> None:
    spot = Spot.of("3s7hTdKs", pot=400, behind=(900, 300), bets="100%,a/a")
    state = CardState.of(spot, isomorphism=False)
    assert isinstance(spot.rules, BettingRules)
    assert locate([PBS(state, state.beliefs())]).ratio[0] == pytest.approx(0.75)
