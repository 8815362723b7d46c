"""The player by search: legal at all times, consistent beliefs, reproducible."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pokerkit
import pytest

from tacit.agents.holdem.search_player import Memory, SearchPlayer
from tacit.agents.holdem.settings import PRESETS
from tacit.formats import phh
from tacit.formats.phh import HandHistory
from tacit.games import CHANCE, TERMINAL, GameError
from tacit.games.holdem.betting import (
    BOARD_SIZES,
    CALL,
    FLOP,
    FOLD,
    PREFLOP,
    TURN,
    BettingRules,
)
from tacit.games.holdem.cards import NUM_HANDS, live_hands, parse_board, parse_cards
from tacit.learn.holdem.equity_evaluator import EquityEvaluator

EQUITY = EquityEvaluator()
LEAVES = {PREFLOP: EQUITY, FLOP: EQUITY, TURN: EQUITY}


@pytest.fixture(scope="module")
def player() -> SearchPlayer:
    """A player with a tiny budget."""
    return SearchPlayer(PRESETS["tiny"], LEAVES)


def begin(player: SearchPlayer, seat: int, *, stack: int = 20_000, seed: int = 0) -> Memory:
    rules = BettingRules(stacks=(stack, stack))
    return player.begin(rules, seat, np.random.default_rng(seed))


def follow(player: SearchPlayer, memory: Memory, *moves: int | str) -> Memory:
    """The memory after actions, and cards in notation."""
    for move in moves:
        if isinstance(move, str):
            memory = player.deal(memory, parse_cards(move))
        else:
            memory = player.act(memory, move)
    return memory


def check(player: SearchPlayer, memory: Memory) -> None:
    """The policy is legal, and a distribution for every hand."""
    policy = player.policy(memory)
    assert policy.chances.shape == (len(policy.actions), NUM_HANDS)
    assert all(memory.hand.betting.legal(action) for action in policy.actions)
    assert len(set(policy.actions)) == len(policy.actions)
    live = live_hands(memory.hand.board)
    assert policy.chances[:, live].min() >= 0
    assert policy.chances[:, live].sum(axis=0) == pytest.approx(1)


def random_hand(
    player: SearchPlayer, rules: BettingRules, random: np.random.Generator
) -> tuple[HandHistory, int]:
    """A hand of the player against random legal actions, and the number of its decisions.

    Every policy is checked.
    """
    seat = int(random.integers(2))
    memory = player.begin(rules, seat, random)
    deck = random.permutation(52).tolist()
    holes = (deck.pop(), deck.pop()), (deck.pop(), deck.pop())
    decisions = 0
    while (mover := memory.hand.mover) != TERMINAL:
        betting = memory.hand.betting
        if mover == CHANCE:
            count = BOARD_SIZES[betting.street + 1] - len(memory.hand.board)
            memory = player.deal(memory, tuple(deck.pop() for _ in range(count)))
            continue
        if mover == seat:
            check(player, memory)
            action = int(random.choice(player.policy(memory).actions))
            decisions += 1
        else:
            action = random_action(betting.raise_bounds(), betting.can_fold, random)
        memory = player.act(memory, action)
    hand = memory.hand
    return HandHistory(rules=rules, holes=holes, board=hand.board, actions=hand.actions), decisions


def check_with_pokerkit(hand: HandHistory) -> None:
    """PokerKit accepts every action and pays what we pay."""
    *_, state = pokerkit.HandHistory.loads(phh.dumps(hand))
    assert not state.status
    payoffs = hand.payoffs()
    assert payoffs is not None
    # An odd chip of a tied pot may go to either player.
    for theirs, ours in zip(state.payoffs, payoffs, strict=True):
        assert abs(theirs - ours) <= 1


def random_action(
    bounds: tuple[int, int] | None, can_fold: bool, random: np.random.Generator
) -> int:
    kind = random.random()
    if kind < 0.1 and can_fold:
        return FOLD
    if kind < 0.5 or bounds is None:
        return CALL
    least, most = bounds
    if kind < 0.6:
        return most
    if kind < 0.7:
        return least
    return int(least + (most - least) * random.random() ** 6)


@pytest.mark.parametrize(
    ("stacks", "hands"),
    [((2_000, 2_000), 12), ((20_000, 20_000), 12), ((50_000, 50_000), 6), ((3_000, 9_000), 12),
     ((9_000, 2_500), 12)],
)  # fmt: skip
def test_random_hands_are_played_legally(
    player: SearchPlayer, stacks: tuple[int, int], hands: int
) -> None:
    random = np.random.default_rng(sum(stacks))
    rules = BettingRules(stacks=stacks)
    decisions = 0
    for _ in range(hands):
        hand, made = random_hand(player, rules, random)
        check_with_pokerkit(hand)
        decisions += made
    assert decisions > hands / 2


@pytest.mark.slow
@pytest.mark.parametrize("stack", [2_000, 5_300, 20_000, 50_000])
def test_thousands_of_random_hands_are_played_legally(player: SearchPlayer, stack: int) -> None:
    random = np.random.default_rng(stack)
    for _ in range(600):
        hand, _ = random_hand(player, BettingRules(stacks=(stack, stack)), random)
        check_with_pokerkit(hand)


def test_off_tree_bets_are_added_to_the_subgame(player: SearchPlayer) -> None:
    memory = follow(player, begin(player, 0), 237)
    check(player, memory)
    assert 237 in memory.thought.subgame.plan.decisions[""].actions
    flop = follow(player, memory, CALL, "2c7dJh", CALL, 237 + 111)
    check(player, flop)
    subgame = flop.thought.subgame
    assert 348 in subgame.plan.decisions["k"].actions
    raised = follow(player, flop, 900, 3333)
    check(player, raised)
    root = raised.thought.subgame.root
    assert root.line in ((CALL, 348, 900), (CALL, 348, 900, 3333))
    assert raised.thought.line == (CALL, 348, 900, 3333)


def test_own_off_tree_actions_are_followed(player: SearchPlayer) -> None:
    memory = follow(player, begin(player, 1), 277, CALL, "2c7dJh", CALL)
    check(player, memory)
    assert memory.hand.betting.committed == (277, 277)


def test_all_ins_end_the_betting(player: SearchPlayer) -> None:
    memory = follow(player, begin(player, 0), 20_000)
    policy = player.policy(memory)
    assert policy.actions == (FOLD, CALL)
    check(player, memory)
    over = follow(player, memory, CALL, "2c7dJh", "Qs", "3s")
    assert over.hand.mover == TERMINAL
    with pytest.raises(GameError, match="not to move"):
        player.policy(over)


def test_a_larger_stack_plays_for_the_effective_one(player: SearchPlayer) -> None:
    random = np.random.default_rng(0)
    rules = BettingRules(stacks=(3_000, 9_000))
    memory = follow(player, player.begin(rules, 1, random), 9_000)
    assert memory.point.line == (3_000,)
    opened = player.policy(player.begin(rules, 1, random))
    assert max(opened.actions) == 3_000
    faced = follow(player, player.begin(rules, 0, random), 9_000)
    assert player.policy(faced).actions == (FOLD, CALL)


def test_beliefs_are_what_the_policies_say(player: SearchPlayer) -> None:
    # The player's own range on the flop follows from its policy for all hands.
    average = SearchPlayer(replace(player.settings, sampled=False, floor=0.0), LEAVES)
    memory = begin(average, 1)
    policy = average.policy(memory)
    number = policy.actions.index(300)
    after = follow(average, memory, 300, CALL, "2c7dJh", CALL)
    live = live_hands(parse_board("2c7dJh"))
    expected = np.where(live, policy.chances[number], 0)
    expected /= expected.sum()
    assert after.point.subgame.root.ranges[1] == pytest.approx(expected, abs=1e-6)
    facing = memory.point.subgame.plan.decisions["r300"]
    called = facing.believed[facing.actions.index(CALL)].astype(float)
    expected = np.where(live, called, 0)
    assert after.point.subgame.root.ranges[0] == pytest.approx(expected / expected.sum(), abs=1e-6)


def test_impossible_actions_of_the_opponent_leave_it_a_range(player: SearchPlayer) -> None:
    memory = follow(player, begin(player, 1), 300, 20_000)
    check(player, memory)
    assert min(each.sum() for each in memory.thought.subgame.root.ranges) > 0


def test_same_seed_same_play(player: SearchPlayer) -> None:
    other = SearchPlayer(PRESETS["tiny"], LEAVES)
    moves: tuple[int | str, ...] = (300, CALL, "2c7dJh", CALL, 600, 1800)
    for seed in range(3):
        one, two = (follow(p, begin(p, 1, seed=seed), *moves) for p in (player, other))
        first, second = player.policy(one), other.policy(two)
        assert first.actions == second.actions
        assert np.array_equal(first.chances, second.chances)


def test_memories_do_not_change(player: SearchPlayer) -> None:
    memory = follow(player, begin(player, 1), 300, CALL, "2c7dJh", CALL)
    before = player.policy(memory)
    history, board = memory.hand.history, memory.hand.board
    for line in ((CALL, "Qs"), (600, 1800), (900, 2700)):
        check_or_none = follow(player, memory, *line)
        if check_or_none.hand.mover == 1:
            check(player, check_or_none)
    assert (memory.hand.history, memory.hand.board) == (history, board)
    again = player.policy(memory)
    assert again.actions == before.actions
    assert np.array_equal(again.chances, before.chances)
    # Asking earlier or later makes no difference.
    asked, silent = begin(player, 1, seed=5), begin(player, 1, seed=5)
    player.policy(asked)
    line = (300, CALL, "2c7dJh", CALL, 700, CALL, "Qs", CALL)
    one = asked
    for move in line:
        one = follow(player, one, move)
        if one.hand.mover == 1:
            player.policy(one)
    two = follow(player, silent, *line)
    assert np.array_equal(player.policy(one).chances, player.policy(two).chances)


def test_the_model_does_not_depend_on_the_seed(player: SearchPlayer) -> None:
    model = player.model()
    moves: tuple[int | str, ...] = (300, CALL, "2c7dJh", CALL)
    policies = [model.policy(follow(model, begin(model, 1, seed=s), *moves)) for s in (0, 1)]
    assert np.array_equal(policies[0].chances, policies[1].chances)
    assert not model.settings.sampled


def test_a_player_of_averages_is_its_own_model_and_keeps_solutions() -> None:
    player = SearchPlayer(replace(PRESETS["tiny"], sampled=False), LEAVES)
    assert player.model() is player
    one, two = (
        follow(player, begin(player, 1, seed=seed), CALL, CALL, "2c7dJh", CALL) for seed in (1, 2)
    )
    assert one.thought.subgame.plan is two.thought.subgame.plan
    other = follow(player, begin(player, 1), CALL, CALL, "2c7dJs", CALL)
    assert other.thought.subgame.plan is not one.thought.subgame.plan


def test_an_all_in_that_is_never_expected_is_seldom_called() -> None:
    # A subgame from behind the all-in would believe it of every hand, and two of five would call.
    settings = replace(PRESETS["tiny"], sampled=False, least=60, turn_least=60, most=60)
    player = SearchPlayer(settings, LEAVES)
    line = CALL, CALL, "2c7dJh", CALL, CALL, "9s", 20_000
    memory = follow(player, begin(player, 1), *line)
    policy = player.policy(memory)
    ranges = memory.thought.subgame.plan.root.ranges[1]
    calls = policy.chances[policy.actions.index(CALL)] @ ranges / ranges.sum()
    assert 0 < calls < 0.1


def test_hands_that_do_not_start_with_the_blinds_are_refused(player: SearchPlayer) -> None:
    rules = BettingRules(first_street=FLOP, committed=300)
    with pytest.raises(GameError, match="whole hands"):
        player.begin(rules, 0, np.random.default_rng(0))


@pytest.fixture(scope="module")
def average() -> SearchPlayer:
    """A player of averages with a tiny budget."""
    return SearchPlayer(replace(PRESETS["tiny"], sampled=False), LEAVES)


def test_answers_are_what_is_played_later(average: SearchPlayer) -> None:
    for seat, later in ((0, (CALL, CALL)), (1, (CALL,))):
        memory = follow(average, begin(average, seat), 300, CALL, "2c7dJh")
        bet = next(a for a in memory.point.subgame.plan.decisions[""].actions if a > CALL)
        for actions in (later, (bet,) if seat else (CALL, bet)):
            found = average.answer(memory, actions)
            after = follow(average, memory, *actions)
            if after.hand.mover != seat:
                continue
            played = average.policy(after)
            assert found is not None
            assert found.actions == played.actions
            assert found.chances == pytest.approx(played.chances)


def test_a_bet_that_the_solution_lacks_is_expected_to_be_answered_as_the_nearest(
    average: SearchPlayer,
) -> None:
    memory = follow(average, begin(average, 1), 300, CALL, "2c7dJh")
    bets = [a for a in memory.point.subgame.plan.decisions[""].actions if a > CALL]
    assert average.answer(memory, (bets[0] + 7,)) is None
    found, nearest = (average.expected_answer(memory, (bet,)) for bet in (bets[0] + 7, bets[0]))
    assert found is not None
    assert nearest is not None
    assert found.chances == pytest.approx(nearest.chances)
    assert all(
        follow(average, memory, bets[0] + 7).hand.betting.legal(action) for action in found.actions
    )


def test_what_a_sampled_player_has_not_searched_is_not_foreseen(player: SearchPlayer) -> None:
    memory = follow(player, begin(player, 1), 300, CALL, "2c7dJh")
    assert player.answer(memory, (CALL,)) is None
    assert player.expected_answer(memory, (CALL,)) is None


def test_a_solution_serves_all_lines_that_its_menu_holds(average: SearchPlayer) -> None:
    memory = follow(average, begin(average, 1), 300, CALL, "3s8dQh")
    plan = memory.point.subgame.plan
    assert follow(average, memory, CALL).thought.subgame.plan is plan
    assert follow(average, memory, 433).thought.subgame.plan is not plan


def test_the_turn_has_its_own_least_iterations() -> None:
    settings = replace(PRESETS["tiny"], sampled=False, exact_turn=False, turn_least=4)
    player = SearchPlayer(settings, LEAVES)
    flop = follow(player, begin(player, 0), 300, CALL, "2c7dJh")
    assert flop.thought.subgame.plan.iterations == 2
    turn = follow(player, flop, CALL, CALL, "3s")
    assert turn.thought.subgame.plan.iterations == 4
