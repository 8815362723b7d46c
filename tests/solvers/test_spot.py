"""Spots: when their policy is checked, and every number of a view against brute force."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import ceil, log2

import numpy as np
import pytest
from numpy.testing import assert_allclose

from support.hands import Line, cards_of, pairs
from tacit.games import CHANCE, TERMINAL, GameError
from tacit.games.holdem.cards import (
    CLASS_NAMES,
    HAND_CLASS,
    NUM_HANDS,
    card_name,
    hand_name,
    parse_hand,
)
from tacit.games.holdem.spot import Spot
from tacit.solvers import evaluate
from tacit.solvers.anytime import Checkpoint
from tacit.solvers.spot import (
    FIRST_CHECK,
    SpotLimits,
    SpotNode,
    SpotSolution,
    next_check,
    solve_spot,
)
from tacit.tree.cards.states import CardState

RIVER = Spot.of(
    "2c7dJhQsKs",
    ranges=("AcAd,KcQc:0.5,9s8s,5c4c", "QcQd,AcJc,AsJs:0.25,8c6c"),
    pot=101,
    behind=(200, 150),
    bets="50%,a/a",
    big_blind=10,
)
TURN = Spot.of(
    "9s8s7h2h",
    ranges=("AA,QsJs,QhJh", "KcKd,TT:0.5"),
    pot=100,
    behind=80,
    bets={"turn": "a", "river": "a/"},
)
"""The renaming of s to h, h to s changes the board; that of c to d changes nothing."""


class Policies:
    """The policy of a solution by path, remembered."""

    def __init__(self, solution: SpotSolution) -> None:
        self.solution = solution
        self.known: dict[tuple[str, ...], np.ndarray] = {}

    def __call__(self, path: tuple[str, ...]) -> np.ndarray:
        if path not in self.known:
            self.known[path] = self.solution.view(path).policy
        return self.known[path]


@pytest.fixture(scope="module")
def river() -> SpotSolution:
    return solve_spot(RIVER, SpotLimits(iterations=40), threads=1)


@pytest.fixture(scope="module")
def turn() -> SpotSolution:
    return solve_spot(TURN, SpotLimits(iterations=40), threads=1)


def line_at(spot: Spot, path: tuple[str, ...]) -> Line:
    line = Line(spot)
    for word in path:
        after = line.deals(()) if line.betting.player == CHANCE else line.moves()
        line = next(each for each in after if each.path[-1] == word)
    return line


def brute_reach(spot: Spot, path: tuple[str, ...], policies: Policies) -> list[np.ndarray]:
    """Both ranges times what their hands chose on the way, dead hands at 0."""
    reach = [weights.astype(np.float64) for weights in spot.ranges]
    line = Line(spot)
    for word in path:
        mover = line.betting.player
        after = line.deals(()) if mover == CHANCE else line.moves()
        number = [each.path[-1] for each in after].index(word)
        if mover != CHANCE:
            reach[mover] *= np.nan_to_num(policies(line.path)[number])
        line = after[number]
    for hand in range(NUM_HANDS):
        if set(cards_of(hand)) & set(line.board):
            reach[0][hand] = reach[1][hand] = 0
    return reach


def mean_value(view: SpotNode, player: int) -> float:
    weights = view.weights(player)
    return float(np.nansum(view.values[player] * weights) / weights.sum())


def check_view(solution: SpotSolution, words: str, policies: Policies) -> None:
    spot, path = solution.spot, tuple(words.split())
    view, line = solution.view(words), line_at(solution.spot, path)
    assert view.mover == line.betting.player
    assert view.betting.committed == line.betting.committed
    assert set(view.board) == set(line.board)
    reach = brute_reach(spot, path, policies)
    assert_allclose(view.reach, reach, atol=1e-6)
    meets = np.zeros((2, NUM_HANDS))
    won = np.zeros((2, NUM_HANDS))
    total = 0.0
    for first, second, _ in pairs(spot):
        weight = reach[0][first] * reach[1][second]
        if set(cards_of(first) + cards_of(second)) & set(line.board):
            continue
        value = line.value((first, second), policies)
        meets[0, first] += reach[1][second]
        meets[1, second] += reach[0][first]
        won[0, first] += reach[1][second] * value
        won[1, second] -= reach[0][first] * value
        total += weight * value
    weights = np.stack(reach) * meets
    for player in (0, 1):
        held = np.flatnonzero(weights[player] > 1e-9)
        assert len(held)
        assert_allclose(
            view.values[player][held], (won / np.maximum(meets, 1e-30))[player, held], atol=1e-3
        )
        sign = 1 if player == 0 else -1
        expected = sign * total / weights[player].sum()
        assert mean_value(view, player) == pytest.approx(expected, abs=1e-3)
    if view.mover in (0, 1):
        check_summaries(solution, words, weights[view.mover])


def check_summaries(solution: SpotSolution, words: str, weights: np.ndarray) -> None:
    """Frequencies and classes are means over hands by how often they are here."""
    view = solution.view(words)
    assert_allclose(np.nansum(view.policy, axis=0)[weights > 0], 1, atol=1e-5)
    shares = np.nansum(view.policy * weights, axis=1) / weights.sum()
    assert_allclose(list(view.frequencies().values()), shares, atol=1e-5)
    assert tuple(view.frequencies()) == view.actions
    rows = {row.name: row for row in view.classes()}
    assert list(rows) == [name for name in CLASS_NAMES if name in rows]
    for number, name in enumerate(CLASS_NAMES):
        row = rows.get(name)
        members = np.flatnonzero((number == HAND_CLASS) & (weights > 1e-12))
        assert (row is not None) == bool(len(members))
        if row is not None:
            share = weights[members] / weights[members].sum()
            assert_allclose(row.policy, view.policy[:, members] @ share, atol=1e-5)
            assert row.value == pytest.approx(view.values[view.mover][members] @ share, abs=1e-3)
            assert row.reach == pytest.approx(view.reach[view.mover][members].sum())


@pytest.mark.parametrize("path", ["", "k", "r101", "k r200", "r101 r200", "k k", "k r200 c"])
def test_views_of_a_river_agree_with_brute_force(river: SpotSolution, path: str) -> None:
    check_view(river, path, Policies(river))


# The second pair of cards stands for the first: clubs and diamonds are drawn once.
@pytest.mark.parametrize(
    "path", ["", "k", "k k", "k k 3c", "k k 3d", "k k Ts k", "k k Td k", "r130"]
)
def test_views_of_a_turn_agree_with_brute_force(turn: SpotSolution, path: str) -> None:
    check_view(turn, path, Policies(turn))


def test_a_card_that_stands_for_another_shows_its_own_hands(turn: SpotSolution) -> None:
    clubs, diamonds = turn.view("k k Ac"), turn.view("k k Ad")
    assert clubs.target.node == diamonds.target.node
    assert card_name(clubs.board[-1]) == "Ac"
    assert card_name(diamonds.board[-1]) == "Ad"
    held = {view: [hand_name(int(hand)) for hand in view.live[0]] for view in (clubs, diamonds)}
    assert "AdAh" in held[diamonds] or "AhAc" in held[diamonds]
    assert not any("Ad" in hand for hand in held[diamonds])
    assert not any("Ac" in hand for hand in held[clubs])
    swapped = parse_hand("AsAd"), parse_hand("AsAc")
    assert_allclose(clubs.policy[:, swapped[0]], diamonds.policy[:, swapped[1]])


def test_what_may_come_is_told(turn: SpotSolution) -> None:
    dealing = turn.view("k k")
    assert dealing.mover == CHANCE
    assert dealing.actions == ()
    assert len(dealing.cards) == 48
    with pytest.raises(GameError, match="no player moves here"):
        _ = dealing.policy
    over = turn.view("r130 f")
    assert over.mover == TERMINAL
    for path, message in (
        ("x", "'x' is not possible here; possible: k, r130"),
        ("r130 f k", "the game is over"),
        ("k k 9s", "cannot be dealt on 9s8s7h2h; expected 1 card that is not on the board"),
        ("k k 3c3d", "cannot be dealt"),
    ):
        with pytest.raises(GameError, match=message):
            turn.view(path)


def test_best_responses_are_the_best_of_all_plans(river: SpotSolution) -> None:
    policies = Policies(river)
    nodes: dict[tuple[str, ...], tuple[int, int]] = {}
    stack = [Line(RIVER)]
    while stack:
        line = stack.pop()
        if line.betting.player in (0, 1):
            moves = line.moves()
            nodes[line.path] = line.betting.player, len(moves)
            stack += moves
    best = [0.0, 0.0]
    met = sum(weight for _, _, weight in pairs(RIVER))
    for player in (0, 1):
        own = {path: count for path, (mover, count) in nodes.items() if mover == player}
        sign = 1 if player == 0 else -1
        for hand in np.flatnonzero(RIVER.ranges[player]).tolist():
            found = []
            for plan in product(*(range(count) for count in own.values())):
                chosen = dict(zip(own, plan, strict=True))

                def play(path: tuple[str, ...], chosen: dict = chosen) -> np.ndarray:
                    if path not in chosen:
                        return policies(path)
                    return np.repeat(np.eye(nodes[path][1])[chosen[path]][:, None], NUM_HANDS, 1)

                found.append(
                    sum(
                        weight * sign * Line(RIVER).value((first, second), play)
                        for first, second, weight in pairs(RIVER)
                        if (first, second)[player] == hand
                    )
                )
            best[player] += max(found)
    worth = evaluate(river.tree, river.policy)
    assert_allclose(worth.best_response, np.array(best) / met, atol=1e-4)
    assert river.exploitability == pytest.approx(sum(best) / met / 2, abs=1e-3)
    assert river.percent_of_pot == pytest.approx(100 * river.exploitability / 101)
    assert river.mbb == pytest.approx(100 * river.exploitability)


def test_locks_by_path_hold_and_the_rest_answers_them() -> None:
    free = solve_spot(RIVER, SpotLimits(percent=0.05), threads=1)
    never = np.zeros((2, NUM_HANDS))
    never[0] = 1
    timid = solve_spot(RIVER, SpotLimits(percent=0.05), threads=1, locks={"k r200": never})
    assert_allclose(np.nan_to_num(timid.view("k r200").policy[0], nan=1), 1)
    # Against one who never calls, whoever would not win the showdown bets.
    weak = parse_hand("8c6c")
    checked = timid.view("k")
    assert checked.policy[checked.actions.index("r200"), weak] > 0.99
    assert mean_value(timid.view(), 1) > mean_value(free.view(), 1) - 0.1
    mixed = solve_spot(
        RIVER, SpotLimits(percent=0.05), threads=1, locks={"r200": {"f": 0.25, "c": 0.75}}
    )
    policy = mixed.view("r200").policy
    held = np.isfinite(policy[0])
    assert_allclose(policy[0, held], 0.25)
    assert_allclose(policy[1, held], 0.75)
    assert mean_value(mixed.view(), 1) < mean_value(free.view(), 1) + 0.1
    for path, given, message in (
        ("k k", {"f": 1.0}, "no player moves after 'k k'"),
        ("k", {"c": 1.0}, "c is not possible after 'k'; possible: k, r"),
        ("k r200", {"c": 0.5}, "not a distribution"),
    ):
        with pytest.raises(GameError, match=message):
            solve_spot(RIVER, SpotLimits(iterations=1), locks={path: given})


def test_locks_behind_cards_are_for_the_cards_that_were_named() -> None:
    shares = np.zeros((2, NUM_HANDS))
    shares[0] = 1
    shares[:, parse_hand("AsAc")] = 0.25, 0.75
    solution = solve_spot(TURN, SpotLimits(iterations=4), threads=1, locks={"k k 3d": shares})
    assert_allclose(solution.view("k k 3d").policy[:, parse_hand("AsAc")], [0.25, 0.75])
    assert_allclose(solution.view("k k 3c").policy[:, parse_hand("AsAd")], [0.25, 0.75])
    assert_allclose(solution.view("k k 3d").policy[:, parse_hand("AsAd")], [1, 0])


def test_rivers_that_were_left_out_are_solved_when_looked_at() -> None:
    spot = Spot.of(
        "9s8s7h2h",
        ranges=("AA:0.5,QsJs:0.5,QhJh:0.5", "KcKd:0.5,TT:0.5"),
        pot=100,
        behind=80,
        bets={"turn": "40%/", "river": "a/"},
        big_blind=10,
    )
    whole = solve_spot(spot, SpotLimits(percent=0.01), threads=1)
    policy = whole.policy.copy()
    for node in range(whole.tree.nodes):
        state = whole.tree.state(node)
        assert isinstance(state, CardState)
        if len(state.board) == 5 and state.mover < CHANCE:
            whole.tree.block(policy, node)[:] = 1 / len(state.expand().labels)
    small = replace(whole, policy=policy, complete=False)
    line = max(("k k", "r90 c"), key=lambda path: whole.view(path).reach[0].sum())
    for path in (f"{line} 3d", f"{line} Ts", f"{line} 3d k"):
        again, before = small.view(path), whole.view(path)
        assert again.actions == before.actions
        assert again.mover == before.mover
        assert mean_value(again, 0) == pytest.approx(mean_value(before, 0), abs=1)
        assert mean_value(again, 0) == pytest.approx(-mean_value(again, 1), abs=1e-3)
    for player in (0, 1):
        again, before = small.view(f"{line} 3d"), whole.view(f"{line} 3d")
        assert_allclose(again.reach[player], before.reach[player], atol=1e-6)
    assert_allclose(small.view("k").policy, whole.view("k").policy)


def test_limits_are_stated_in_chips() -> None:
    assert SpotLimits().limits(RIVER).target == pytest.approx(0.005 * 101)
    assert SpotLimits(percent=1).limits(RIVER).target == pytest.approx(1.01)
    assert SpotLimits(mbb=2).limits(RIVER).target == pytest.approx(0.02)
    assert SpotLimits(percent=1, mbb=2).limits(RIVER).target == pytest.approx(1.01)
    assert SpotLimits(seconds=1).limits(RIVER).target is None


def points(*pairs: tuple[int, float]) -> list[Checkpoint]:
    return [Checkpoint(iteration, 0.0, worth, 0.0) for iteration, worth in pairs]


def test_iterations_double_without_a_target() -> None:
    assert next_check([], None) == FIRST_CHECK
    assert next_check(points((16, 5.0), (32, 3.0)), None) == 64


def test_the_target_is_checked_when_the_pace_promises_it() -> None:
    # It falls as one over the iterations, and so a little faster: 10 at 128 will be 8 before 160.
    promised = next_check(points((64, 20.0), (128, 10.0)), 8.0)
    assert promised == 149 == ceil(128 * (10 / 8) ** (1 / 1.5))
    assert next_check(points((64, 20.0), (128, 10.0)), 1.0) == 256
    assert next_check(points((64, 20.0), (128, 10.0)), 9.99) == 128 + 128 // 20


def test_near_the_target_iterations_grow_by_half() -> None:
    assert next_check(points((64, 11.0), (128, 10.0)), 5.0) == 192
    assert next_check(points((64, 11.0), (128, 10.0)), 1.0) == 256


def test_one_check_promises_a_target_that_is_near() -> None:
    assert next_check(points((16, 1.2)), 1.0) == 18
    assert next_check(points((16, 9.0)), 1.0) == 32


def test_a_rise_promises_nothing() -> None:
    assert next_check(points((64, 10.0), (128, 11.0)), 8.0) == 192
    assert next_check(points((64, 10.0), (128, 11.0)), 1.0) == 256


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("needed", [20, 50, 90, 400, 3000])
def test_a_target_is_overshot_by_little(power: float, needed: int) -> None:
    seen: list[Checkpoint] = []
    while not seen or seen[-1].exploitability > 1.0:
        iteration = next_check(seen, 1.0)
        seen.append(Checkpoint(iteration, 0.0, (needed / iteration) ** power, 0.0))
    assert seen[-1].iteration <= 1.06 * needed + 2
    assert len(seen) <= 6 + log2(needed / FIRST_CHECK)
