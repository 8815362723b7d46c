"""Card public states: what the tree asks of them, against two-hand enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tacit.games import CHANCE, TERMINAL, GameError
from tacit.games.holdem.cards import HAND_CARDS
from tacit.games.holdem.hand_rank import rank_boards
from tacit.games.holdem.spot import Spot
from tacit.tree.cards.states import CardState
from tacit.tree.public_state import find_transition

TURN = Spot.of("2c7dJhQs", ranges=("JJ+,AK", "QQ+,KJs,77"), pot=101, behind=400, bets="75%/a")


def after(state: CardState, *labels: str) -> CardState:
    for label in labels:
        child = {t.label: t.child for t in state.expand().transitions}[label]
        assert isinstance(child, CardState)
        state = child
    return state


def test_a_card_state_inherits_nothing() -> None:
    assert CardState.__bases__ == (object,)


def test_reach_is_compatible_with_hands_that_share_no_card() -> None:
    state, random = CardState.of(TURN), np.random.default_rng(3)
    for player in (0, 1):
        reach = random.random((2, state.counts[1 - player]))
        allowed = state.compatibility if player == 0 else state.compatibility.T
        assert_allclose(state.compatible_reach(player, reach), reach @ allowed.T)


@pytest.mark.parametrize("folds", [False, True])
def test_payoffs_are_those_of_each_pair_of_hands(folds: bool) -> None:
    state = end_of_fold() if folds else after(CardState.of(TURN), "k", "k", "3d", "k", "k")
    assert state.mover == TERMINAL
    assert (state.betting.folded == 0) == folds
    strength = rank_boards([state.board])[0] if state.betting.folded is None else None
    for i, first in enumerate(state.deal.hands[0]):
        for j, second in enumerate(state.deal.hands[1]):
            if set(HAND_CARDS[first]) & set(HAND_CARDS[second]):
                assert state.payoffs[i, j] == 0
            elif strength is None:
                assert state.payoffs[i, j] == (-1 if state.betting.folded == 0 else 1) * 50.5
            else:
                sign = np.sign(int(strength[first]) - int(strength[second]))
                assert state.payoffs[i, j] == sign * 50.5
    assert state.payoff_bounds() == (-50.5, 50.5)


def end_of_fold() -> CardState:
    facing = after(CardState.of(TURN), "k")
    bet = next(t.child for t in facing.expand().transitions if t.label.startswith("r"))
    assert isinstance(bet, CardState)
    return after(bet, "f")


def test_one_state_can_have_two_sets_of_actions() -> None:
    state = CardState.of(TURN)
    own = state.expand()
    other = state.expand(frozenset({"k", "r300", "r200"}))
    assert other.labels == ("k", "r200", "r300") != own.labels
    assert other.transitions[1].child.key == ("r200", TURN.board)
    assert state.expand().labels == own.labels
    assert other.legal.shape == (3, state.counts[0])
    assert other.legal.all()
    with pytest.raises(GameError, match="not possible here"):
        state.expand(frozenset({"r51"}))


def test_infostates_of_players_keep_their_index_along_moves() -> None:
    state = CardState.of(TURN)
    for number, transition in enumerate(state.expand().transitions):
        count = state.counts[0]
        assert_array_equal(transition.sources[0], np.arange(number * count, (number + 1) * count))
        assert_array_equal(transition.sources[1], np.arange(state.counts[1]))
        for player in (0, 1):
            assert_array_equal(transition.targets[player], np.arange(state.counts[player]))


def test_chance_deals_what_may_follow() -> None:
    state = after(CardState.of(TURN), "k", "k")
    assert state.mover == CHANCE
    expansion = state.expand()
    assert expansion.labels == tuple(dealt.label for dealt in state.deal.following)
    for transition, dealt in zip(expansion.transitions, state.deal.following, strict=True):
        assert isinstance(transition.child, CardState)
        assert transition.child.deal is dealt.deal
        assert transition.child.history == "kk/"
        assert (transition.factor, transition.share) == (dealt.chance, dealt.share)


def test_names_sizes_and_moves_are_as_people_say_them() -> None:
    state = CardState.of(TURN)
    assert set(state.names(1)) >= {"KsJs", "7h7c"}
    assert state.key == ("", TURN.board)
    labels = state.expand().labels
    assert find_transition(labels, "k") == 0
    with pytest.raises(GameError, match="'f' is not possible here; possible: k"):
        find_transition(labels, "f")
    assert state.action_size(0) is state.action_size(1) is None
    assert state.action_size(50 + 101) == 1.0
    weights = state.beliefs()
    assert [len(own) for own in weights] == list(state.counts)
