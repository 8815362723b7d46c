"""Self-play over boards: what its PBSs and examples are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tacit.games import CHANCE
from tacit.games.holdem.cards import HAND_CARDS, parse_board
from tacit.learn.holdem.examples import HANDS
from tacit.learn.holdem.knots import Situation
from tacit.learn.holdem.self_play import (
    LATE_MOMENTS,
    MOMENTS,
    STRETCH,
    BoardPlay,
    BoardTask,
    deal_hands,
    situations,
    varied,
)
from tacit.learn.holdem.settings import HoldemSettings

SMALL = HoldemSettings().replace(
    games=2, positions=4, solved=4, iterations=6, hidden=(16,), bets=(1.0,), raises=(1.0,),
    **{"target.iterations": 5},
)  # fmt: skip


def test_games_end_before_the_card_with_the_beliefs_of_their_iteration() -> None:
    play = BoardPlay(SMALL)
    random = np.random.default_rng(0)
    state = SMALL.table.first_state(random)
    found = play.play(state, random)
    assert 1 <= len(found) <= 4
    for pbs in found:
        assert pbs.state.mover == CHANCE
        assert pbs.state.board == state.board
        assert min(pbs.state.betting.behind) > 0
        for player in (0, 1):
            assert pbs.beliefs[player].sum() == pytest.approx(1)
    assert any(np.ptp(pbs.beliefs[0]) > 0 for pbs in found)


def test_a_task_gives_solved_examples_and_those_before_the_card() -> None:
    play = BoardPlay(SMALL)
    first = play(BoardTask(0, 1, None))
    assert first.averaged is None
    assert first.solved is not None
    assert first.solved.target.shape == (8, HANDS)
    weights = play.evaluator.network.weights()
    later = play(BoardTask(1, 1, weights))
    assert later.averaged is not None
    assert later.solved is not None
    assert len(later.averaged) == len(later.solved)
    again = BoardPlay(SMALL)(BoardTask(1, 1, weights))
    assert again.solved is not None
    assert np.array_equal(later.solved.target, again.solved.target)
    other = play(BoardTask(1, 2, weights))
    assert other.solved is not None
    assert other.solved.target.shape != later.solved.target.shape or not np.array_equal(
        other.solved.target, later.solved.target
    )


def test_a_task_values_pbss_anew_and_solves_none() -> None:
    play = BoardPlay(SMALL)
    weights = play.evaluator.network.weights()
    before = play(BoardTask(1, 1, weights)).before
    assert before is not None
    again = play(BoardTask(2, 0, weights, before, variants=2))
    assert again.solved is None
    assert again.before is None
    assert again.averaged is not None
    assert len(again.averaged) == 3 * 2 * len(before)
    alone = play(BoardTask(2, 0, weights, before)).averaged
    assert alone is not None
    assert len(alone) == 2 * len(before)


def test_every_leaf_of_a_search_is_taken_at_its_moments_and_solved() -> None:
    play = BoardPlay(SMALL)
    state = SMALL.table.state(parse_board("3s7hTdKs"), 2000, 19_000)
    found = play.leaves(state, MOMENTS)
    lines = Counter(pbs.state.history for pbs in found)
    assert set(lines.values()) == {len(MOMENTS)}
    assert {"kk", "r3000c", "kr3000c"} <= set(lines)
    assert all(min(pbs.state.betting.behind) > 0 for pbs in found)
    passed = [pbs.beliefs[0] for pbs in found if pbs.state.history == "r3000c"]
    assert np.abs(passed[0] - passed[2]).max() > 1e-6
    result = play(BoardTask(1, 0, play.evaluator.network.weights(), leaves=True))
    assert result.averaged is None
    assert result.before is not None
    assert len(result.before) % len(MOMENTS) == 0
    assert result.solved is not None
    assert len(result.solved) == 2 * len(result.before)


def test_leaves_of_late_searches_are_solved_and_valued() -> None:
    play = BoardPlay(SMALL)
    result = play(BoardTask(1, 0, play.evaluator.network.weights(), late=True))
    assert result.before is not None
    assert len(result.before) % len(LATE_MOMENTS) == 0
    assert result.solved is not None
    assert result.averaged is not None
    assert len(result.solved) == len(result.averaged) == 2 * len(result.before)


def test_variants_exchange_ranges_within_a_board_and_move_the_ratio() -> None:
    play = BoardPlay(SMALL)
    before = play(BoardTask(1, 1, play.evaluator.network.weights())).before
    assert before is not None
    found = varied(before, np.random.default_rng(0))
    assert list(found.boards) == list(before.boards)
    for player in (0, 1):
        kept = sorted(map(tuple, before.ranges[:, player].tolist()))
        assert sorted(map(tuple, found.ranges[:, player].tolist())) == kept
    moved = np.abs(np.log(found.ratio / before.ratio))
    assert (moved > 0).all()
    assert (moved <= STRETCH + 1e-6).all()


def test_dealt_hands_share_no_card_and_follow_the_ranges() -> None:
    state = SMALL.table.state(parse_board("3s7hTdKs"), 2000, 19_000)
    random = np.random.default_rng(0)
    beliefs = (np.zeros(state.counts[0]), np.ones(state.counts[1]))
    beliefs[0][[5, 9]] = 1
    for _ in range(50):
        one, two = deal_hands(state, beliefs, random)
        assert one in (5, 9)
        cards = {*HAND_CARDS[state.deal.hands[0][one]], *HAND_CARDS[state.deal.hands[1][two]]}
        assert len(cards) == 4


def test_situations_follow_the_street() -> None:
    assert situations(HoldemSettings()) == (Situation.BEFORE_RIVER, Situation.RIVER)
    flop = HoldemSettings().replace(street=1)
    assert situations(flop) == (Situation.BEFORE_TURN, Situation.TURN)
