"""Merges that lose nothing pass; those after which the game differs are refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

import pytest
from numpy.testing import assert_allclose

from support.drawn_games import Drawn, DrawnGame, chance, end, move
from support.faulty_games import FaultyGame
from support.reference import Reference
from tacit.games import GameError
from tacit.solvers import evaluate
from tacit.tree import build_tree, merges
from tacit.tree.merges import merge_flows

REFUSED = "infostates merge that differ in their moves or payoffs"


def check_refused(first: Drawn, message: str = REFUSED) -> None:
    with pytest.raises(GameError, match=re.escape(message)):
        build_tree(DrawnGame(first))


def check_exact(first: Drawn) -> None:
    """The merge is let pass, and the tree agrees with the histories."""
    game = DrawnGame(first)
    tree, reference = build_tree(game), Reference(game)
    policy = reference.uniform()
    found = evaluate(tree, tree.uniform_policy())
    assert_allclose(found.value, reference.value(policy))
    for player in (0, 1):
        assert_allclose(found.best_response[player], reference.best_response_value(policy, player))


def answer(
    *payoffs: float, seen: str = "then", known: tuple[object, object] = (None, None)
) -> Drawn:
    """Player 2 chooses one of `payoffs`."""
    after = (end(pay, (seen, slot), known) for slot, pay in enumerate(payoffs))
    return move(1, seen, *after, known=known)


def test_a_player_may_not_forget_the_move_that_decides() -> None:
    check_refused(
        move(0, "start", answer(1.0, -1.0), answer(-1.0, 1.0)),
        "drawn: after 'a0|a1' infostates merge that differ in their moves or payoffs after 'a1'; "
        "private() must differ between them",
    )


def test_matching_pennies_with_a_memory_are_solved_and_without_one_refused() -> None:
    assert_allclose(evaluate(tree := build_tree(FaultyGame()), tree.uniform_policy()).value, 0)
    with pytest.raises(GameError, match=REFUSED):
        build_tree(FaultyGame("forgets-move"))


def test_a_move_that_changes_nothing_may_be_forgotten() -> None:
    def then(mark: int) -> Drawn:
        # `odds` make the world states differ, and nothing else does.
        return Drawn(1, "then", after=(end(2.0, "x"), end(-1.0, "y")), odds=(mark,))

    assert then(0) != then(1)
    check_exact(move(0, "start", then(0), then(1)))


def test_world_states_that_differ_in_nothing_that_follows_merge() -> None:
    def then(pays: Sequence[float]) -> Drawn:
        return chance("then", *(end(pay, "shown") for pay in pays))

    assert then((1.0, 3.0)) != then((2.0, 2.0))
    check_exact(move(0, "start", then((1.0, 3.0)), then((2.0, 2.0)), then((3.0, 1.0))))
    check_refused(move(0, "start", then((1.0, 3.0)), then((2.0, 2.5))))


def test_a_difference_far_below_is_found() -> None:
    def line(depth: int, pay: float) -> Drawn:
        here = end(pay, ("end", 0))
        for level in range(depth):
            here = move(level % 2, ("line", depth - level), here, end(0.0, ("out", level)))
        return move(1, "line", here)

    check_exact(move(0, "start", line(7, 1.0), line(7, 1.0)))
    check_refused(move(0, "start", line(7, 1.0), line(7, 2.0)), f"{REFUSED} after 'a0 a0 a0")


@pytest.mark.parametrize("part", ["label", "mover", "public", "private", "chance"])
def test_what_is_compared_below(part: str) -> None:
    def then(odd: bool) -> Drawn:
        known = (None, "seen") if odd and part == "private" else (None, None)
        last = "other" if odd and part == "public" else "last"
        odds = (0.25, 0.75) if odd and part == "chance" else (0.5, 0.5)
        ends = end(1.0, (last, 0), known), end(1.0, (last, 1), known)
        if part == "chance":
            return move(1, "then", chance("toss", *ends, odds=odds))
        mover = 0 if odd and part == "mover" else 1
        numbers = (0, 2) if odd and part == "label" else (0, 1)
        return move(1, "then", move(mover, "more", *ends, numbers=numbers))

    check_refused(move(0, "start", then(False), then(True)))


def test_hidden_chance_must_be_as_likely_in_every_flow() -> None:
    """Two cards lie face down; what player 1 did says how likely each is."""

    def then(mark: float) -> Drawn:
        return move(1, "then", end(mark, "x"), end(0.0, "y"))

    def deal(*odds: float) -> Drawn:
        return chance("deal", then(1.0), then(-1.0), odds=odds)

    check_exact(move(0, "start", deal(0.5, 0.5), deal(0.5, 0.5)))
    check_refused(move(0, "start", deal(0.5, 0.5), deal(0.25, 0.75)))


def test_a_comparison_that_is_too_large_asks_for_the_move(monkeypatch: pytest.MonkeyPatch) -> None:
    def then(mark: float) -> Drawn:
        marked = (Drawn(1, n, after=(end(1.0, (n, 0)),), odds=(mark,)) for n in range(8))
        return chance("then", *marked)

    first = move(0, "start", then(0.25), then(0.75))
    check_exact(first)
    monkeypatch.setattr(merges, "MAX_COMPARED", 8)
    check_refused(
        first, "what follows is too large to compare (8 states); make private() keep the move"
    )


def test_every_flow_of_a_product_must_be_there() -> None:
    """Infostates 0 and 1 of player 1 merge, but only one of them meets the opponent's second."""
    world = end(0.0)
    flows = {(i, j, 0, j): {world: 0.25} for i, j in product((0, 1), (0, 1))}
    pairs = ([(0, 0), (1, 0)], [(0, 0), (1, 1)])
    assert merge_flows(flows, pairs, "x: after 'y'").keys() == {(0, 0), (0, 1)}
    del flows[1, 1, 0, 1]
    with pytest.raises(GameError, match=r"x: after 'y' .* differ in what the opponent may hold"):
        merge_flows(flows, pairs, "x: after 'y'")
