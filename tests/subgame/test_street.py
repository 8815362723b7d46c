"""PBSs on a street of hold'em: menus, trees, lines and ranges."""

from __future__ import annotations

import numpy as np
import pytest

from support.streets import EVEN, river, turn
from tacit.games import GameError
from tacit.games.holdem.betting import CALL, FOLD, BettingRules
from tacit.games.holdem.cards import NUM_HANDS, live_hands, parse_board
from tacit.subgame.street import BetMenu, Decision, StreetPBS, StreetPlan, blocked


def test_menus_follow_the_number_of_raises() -> None:
    menu = BetMenu(now=("50%,a", "a"), later=("100%",))
    betting, history = river().point
    assert menu.raises(betting, history) == (2000, 3000)
    raised = betting.act(2000)
    assert menu.raises(raised, "r2000") == (3000,)
    assert menu.raises(betting, "kk/") == (3000,)
    with pytest.raises(GameError, match="at least for the first bet"):
        BetMenu(now=())


def test_bets_that_leave_little_behind_are_all_in() -> None:
    assert BetMenu(now=("80%",)).raises(*river().point) == (3000,)


def test_point_replays_the_line() -> None:
    betting, history = river((CALL, 1800)).point
    assert history == "kr1800"
    assert betting.player == 0
    assert betting.to_call == 800
    assert betting.rules.stacks == (3000, 3000)


def test_tree_holds_the_line() -> None:
    menu = BetMenu(now=("50%", "a"))
    tree = river().tree(menu, line=(1234,), whole=True)
    assert tree.labels(0) == ("k", "r1234", "r2000")
    below = river((1234,)).tree(menu, whole=True)
    assert below.labels(below.roots[0].node) == ("f", "c", "r3000")
    assert len(below.leaves) == 0


def test_trees_end_with_the_street_or_the_game() -> None:
    menu = BetMenu(now=("a",), later=("a",))
    limited, whole = (turn().tree(menu, whole=each) for each in (False, True))
    assert len(limited.leaves) == 3
    assert len(whole.leaves) == 0
    assert whole.nodes > 48


def test_blocked_ranges_are_refused_or_replaced() -> None:
    board = parse_board("AsAhAd2c3c")
    only = np.zeros(NUM_HANDS)
    only[-1] = 1
    assert not live_hands(board)[-1]
    first, second = blocked((only, EVEN), board)
    assert first[live_hands(board)].sum() == pytest.approx(1)
    assert second.sum() == pytest.approx(1)
    with pytest.raises(GameError, match="player 0 has no hand"):
        StreetPBS(rules=BettingRules(), board=board, committed=100, line=(), ranges=(only, EVEN))
    with pytest.raises(GameError, match="differ"):
        StreetPBS.first(BettingRules(stacks=(100, 200)))


def plan() -> StreetPlan:
    """Player 0 bets half of the time with each hand; player 1 never raises."""
    half = np.full((2, NUM_HANDS), 0.5, np.float32)
    never = np.zeros((3, NUM_HANDS), np.float32)
    never[:2] = 0.5
    decisions = {
        "": Decision(player=0, actions=(CALL, 2000), played=half, believed=half),
        "r2000": Decision(player=1, actions=(FOLD, CALL, 3000), played=never, believed=never),
    }
    return StreetPlan(
        root=river(), decisions=decisions, values=(EVEN, EVEN), iteration=1, iterations=1, nodes=1,
        leaves=0,
    )  # fmt: skip


def test_ranges_follow_the_believed_policy() -> None:
    solved, root = plan(), river().ranges
    first, second = solved.ranges((2000, CALL))
    assert first == pytest.approx(root[0] / 2)
    assert second == pytest.approx(root[1] / 2)
    assert solved.ranges((2000, 3000))[1].sum() == 0
    assert solved.ranges((2000, 3000), (0.0, 0.1))[1] == pytest.approx(root[1] / 10)
    with pytest.raises(GameError, match="does not hold"):
        solved.ranges((1500,))


def test_lines_of_a_plan() -> None:
    solved = plan()
    assert solved.has((2000, 3000))
    assert not solved.has((1999,))
    decision = solved.decision((2000,))
    assert decision is not None
    assert decision.player == 1
    assert solved.decision((2000, CALL)) is None
