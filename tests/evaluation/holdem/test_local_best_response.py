"""LBR in hold'em: published figures, and its choices against known ranges."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.agents.holdem.player import HoldemPolicy, RulePlayer
from tacit.evaluation.holdem.local_best_response import HoldemLBR, win_chances
from tacit.evaluation.holdem.match import play_holdem
from tacit.games import GameError
from tacit.games.holdem.betting import CALL, FOLD, BettingRules
from tacit.games.holdem.cards import HAND_CLASS, NUM_HANDS, parse_board, parse_hand
from tacit.games.holdem.hand import PublicHand
from tacit.tree.cards.equity import board_equity


@pytest.mark.parametrize(("setting", "published"), [("fold-call", 250), ("fcpa", 750)])
def test_against_always_fold_it_wins_the_published_figures(setting: str, published: int) -> None:
    found = play_holdem(f"lbr:{setting}", "always-fold", hands=40)
    assert found.aivat is not None
    assert found.aivat.mean == pytest.approx(published, abs=1)


def test_folding_and_calling_wins_nothing_from_a_caller_but_betting_does() -> None:
    assert play_holdem("lbr:fold-call", "always-call", hands=10).best.mean == pytest.approx(0)
    found = play_holdem("lbr:fcpa", "always-call", hands=60).best
    assert found.mean > 4 * found.error


def test_win_chances_are_equities() -> None:
    board = parse_board("3s7hTdKs")
    reach = np.random.default_rng(0).random(NUM_HANDS)
    expected = board_equity(board, (np.ones(NUM_HANDS), reach)).hands[0]
    live = ~np.isnan(expected)
    assert win_chances(board, reach)[live] == pytest.approx(expected[live])


class Nutted(RulePlayer):
    """Jams aces on the river and checks other hands; calls nothing but aces there."""

    def __init__(self) -> None:
        super().__init__(self.rule)

    def rule(self, hand: PublicHand) -> HoldemPolicy:
        aces = (HAND_CLASS == 0).astype(float)
        if len(hand.board) < 5:
            return HoldemPolicy((CALL,), np.ones((1, NUM_HANDS)))
        if hand.betting.can_fold:
            return HoldemPolicy((CALL, FOLD), np.stack([aces, 1 - aces]))
        return HoldemPolicy((CALL, hand.betting.rules.stacks[0]), np.stack([1 - aces, aces]))


def test_it_learns_the_range_by_bayes_and_answers_it() -> None:
    board = parse_board("3s7hTdKs2c")
    player = HoldemLBR(Nutted(), "fcpa")
    memory = player.begin(BettingRules(), 1, np.random.default_rng(0))
    for step in (CALL, CALL, board[:3], CALL, CALL, board[3:4], CALL, CALL, board[4:]):
        act = player.deal if isinstance(step, tuple) else player.act
        memory = act(memory, step)  # type: ignore[arg-type]
    facing = player.policy(player.act(memory, 20_000))
    aces = HAND_CLASS == 0
    assert (player.act(memory, 20_000).reach[~aces] == 0).all()
    fold = facing.chances[facing.actions.index(FOLD)]
    assert fold[parse_hand("QhQd")] == 1
    assert fold[parse_hand("KhKd")] == 0
    checked = player.policy(player.act(memory, CALL))
    bets = checked.chances[[a > CALL for a in checked.actions]].sum(axis=0)
    assert bets[parse_hand("5h4d")] == 1  # everyone folds, because aces would have jammed


def test_an_unknown_setting_is_named() -> None:
    with pytest.raises(GameError, match="did you mean 'fold-call'"):
        play_holdem("lbr:foldcall", "always-fold", hands=2)
