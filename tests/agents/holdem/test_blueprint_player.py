"""The player by a blueprint: its nodes, off-tree bets, and hands to the end."""

from __future__ import annotations

import numpy as np
import pytest

from support.blueprints import random_blueprint
from tacit.agents.holdem.blueprint_player import BlueprintMemory, BlueprintPlayer, size_in_pots
from tacit.agents.holdem.player import HoldemPolicy, RulePlayer
from tacit.evaluation.holdem.match import play_holdem
from tacit.games import GameError
from tacit.games.holdem.betting import CALL, FOLD, BettingRules
from tacit.games.holdem.cards import NUM_HANDS, parse_board
from tacit.games.holdem.hand import PublicHand

PLAYER = BlueprintPlayer(random_blueprint())
TREE = PLAYER.blueprint.tree


def begin(seat: int, rules: BettingRules | None = None) -> BlueprintMemory:
    return PLAYER.begin(rules or BettingRules(), seat, np.random.default_rng(0))


def follow(memory: BlueprintMemory, *steps: int | tuple[int, ...]) -> BlueprintMemory:
    for step in steps:
        memory = PLAYER.deal(memory, step) if isinstance(step, tuple) else PLAYER.act(memory, step)
    return memory


def test_on_the_tree_it_plays_the_blueprint() -> None:
    policy = PLAYER.policy(begin(1))
    assert policy.actions == (FOLD, CALL, 300, 20_000)
    assert policy.chances == pytest.approx(PLAYER.blueprint.chances(0, ()))
    flop = parse_board("3s7hTd")
    memory = follow(begin(0), 300, CALL, flop)
    [(node, _)] = memory.imagined
    assert TREE.bettings[node].committed == (300, 300)
    assert PLAYER.policy(memory).chances == pytest.approx(PLAYER.blueprint.chances(node, flop))


def test_own_reach_is_the_weight_of_imagined_nodes() -> None:
    memory = follow(begin(1), 300)
    [(_, weight)] = memory.imagined
    assert weight == pytest.approx(PLAYER.blueprint.chances(0, ())[2])
    assert memory.ranges[1] == pytest.approx(weight)
    assert memory.ranges[0] == pytest.approx(np.ones(NUM_HANDS))


def test_an_unknown_bet_is_between_two_known_ones() -> None:
    """A bet of x pots is A with probability (B - x)(1 + A) / ((B - A)(1 + x))."""
    betting = PublicHand.start(BettingRules()).betting
    total = 1_000
    memory = follow(begin(0), total)
    (low, one), (high, two) = memory.imagined
    assert TREE.bettings[low].committed == (100, 300)
    assert TREE.bettings[high].committed == (100, 20_000)
    small, large, size = (size_in_pots(betting, each) for each in (300, 20_000, total))
    share = (large - size) * (1 + small) / ((large - small) * (1 + size))
    assert one == pytest.approx(np.full(NUM_HANDS, share))
    assert one + two == pytest.approx(np.ones(NUM_HANDS))
    policy = PLAYER.policy(memory)
    fold = policy.chances[policy.actions.index(FOLD)]
    expected = [PLAYER.blueprint.chances(node, ())[0] for node in (low, high)]
    assert fold == pytest.approx(share * expected[0] + (1 - share) * expected[1])
    # The raise has the size, in pots, that it has behind the smaller bet.
    assert 1_000 + 2_000 in policy.actions


def test_where_the_imagined_hand_is_over_it_calls() -> None:
    """A bet of nearly everything is all in for the blueprint; after the call there is more."""
    memory = follow(begin(0), 19_000, CALL, parse_board("3s7hTd"))
    policy = PLAYER.policy(memory)
    assert policy.chances.sum(axis=0) == pytest.approx(np.ones(NUM_HANDS))
    jammed = [node for node, _ in memory.imagined if TREE.player[node] > 1]
    assert jammed
    alone = BlueprintMemory(memory.hand, 0, ((jammed[0], np.ones(NUM_HANDS)),), memory.ranges)
    assert PLAYER.policy(alone).actions == (CALL,)


class Wild(RulePlayer):
    """Bets any legal amount."""

    def __init__(self) -> None:
        super().__init__(self.rule)

    def rule(self, hand: PublicHand) -> HoldemPolicy:
        bounds = hand.betting.raise_bounds()
        random = np.random.default_rng([1, *hand.actions])
        actions = {CALL} | ({int(random.integers(bounds[0], bounds[1] + 1))} if bounds else set())
        actions |= {min(bounds[0] + 150, bounds[1])} if bounds else set()
        return HoldemPolicy(
            tuple(sorted(actions)), np.full((len(actions), NUM_HANDS), 1 / len(actions))
        )


def test_it_plays_legal_hands_against_any_bets() -> None:
    found = play_holdem(PLAYER, Wild(), hands=60, seed=1, aivat=False)
    assert max(len(one.actions) for one, _ in found.played) > 6
    assert play_holdem(PLAYER, PLAYER, hands=20, seed=1, aivat=False).hands == 20


def test_other_stacks_are_refused() -> None:
    with pytest.raises(GameError, match="200 big blinds"):
        begin(0, BettingRules(stacks=(10_000, 10_000)))
    scaled = BettingRules(stacks=(400, 400), big_blind=2, small_blind=1)
    assert PLAYER.policy(begin(1, scaled)).actions == (FOLD, CALL, 6, 400)


def test_answers_are_what_is_played_later() -> None:
    memory = follow(begin(1), 300, CALL, parse_board("3s7hTd"))
    for actions in ((CALL,), (500,), (CALL, 450, 1_111)):
        found, played = PLAYER.answer(memory, actions), PLAYER.policy(follow(memory, *actions))
        assert found.actions == played.actions
        assert found.chances == pytest.approx(played.chances)
