"""Public states of small games, and what is said about games that are not well-formed."""

from __future__ import annotations

import pytest
from numpy.testing import assert_allclose

from support.drawn_games import Drawn, DrawnGame, chance, end, move
from support.reference import Reference
from support.small_games import small_game
from tacit.games import CHANCE, GameError
from tacit.solvers import evaluate
from tacit.tree import Builder, GameTooLargeError, build_tree, derived


def test_kuhn_has_three_infostates_a_player_that_exclude_each_other() -> None:
    root = Builder(small_game("kuhn")).root
    assert root.counts == (3, 3)
    for player in (0, 1):
        assert sorted(root.privates[player]) == [0, 1, 2]
    for first in range(3):
        for second in range(3):
            pair = root.compatibility[root.privates[0].index(first), root.privates[1].index(second)]
            assert_allclose(pair, 0.0 if first == second else 1 / 6)


def test_a_hidden_move_makes_infostates() -> None:
    root = Builder(small_game("rock-paper-scissors")).root
    (transition,) = root.expansion.transitions
    assert root.counts == (1, 1)
    assert transition.child.counts == (3, 1)
    assert transition.sources[0].tolist() == [0, 1, 2]
    assert transition.targets[0].tolist() == [0, 1, 2]
    assert transition.label == "rock|paper|scissors"


def test_a_public_state_is_found_by_its_moves() -> None:
    space = Builder(small_game("kuhn"))
    assert space.at(["pass", "bet"]).sample.public() == "pb"
    with pytest.raises(GameError, match="'raise' is not possible here; possible: pass, bet"):
        space.at(["raise"])


def test_a_public_chance_event_drops_what_it_contradicts() -> None:
    space = Builder(small_game("leduc"))
    before = space.at(["check", "check"])
    assert before.mover == CHANCE
    for transition in before.expansion.transitions:
        rank = "JQK".index(transition.label)
        pairs = transition.child.compatibility
        assert pairs[rank, rank] == 0
        assert_allclose(pairs.sum(), 1)
    assert_allclose(sum(t.factor for t in before.expansion.transitions), 1)


def test_a_private_deal_in_the_middle_is_folded_into_the_state_before_it() -> None:
    def later(card: int) -> Drawn:
        return move(1, "dealt", end(1.0 + card, known=(None, card)),
                    end(-1.0, known=(None, card)), known=(None, card))  # fmt: skip

    def deal(move_made: str) -> Drawn:
        return chance(("deal", move_made), later(0), later(1), odds=(0.25, 0.75))

    game = DrawnGame(move(0, "start", deal("only")))
    state = Builder(game).at(["a0"])
    assert state.mover == 1
    assert state.counts == (1, 2)
    assert_allclose(state.compatibility, [[0.25, 0.75]])


def test_a_game_that_begins_with_public_chance() -> None:
    game = DrawnGame(chance("start", end(3.0, "x"), end(-1.0, "y"), odds=(0.25, 0.75)))
    tree = build_tree(game)
    assert tree.public_states == 3
    assert_allclose(evaluate(tree, tree.uniform_policy()).value, 0.0)


def test_what_chance_never_does_is_left_out() -> None:
    def dealt(card: int) -> Drawn:
        return move(0, "move", end(card, "x", (card, None)), known=(card, None))

    game = DrawnGame(chance("deal", *map(dealt, range(3)), odds=(0.5, 0.0, 0.5)))
    assert Builder(game).root.privates[0] == (0, 2)
    game = DrawnGame(chance("flip", *(end(1.0, n) for n in range(3)), odds=(0.5, 0.0, 0.5)))
    assert build_tree(game).public_states == 3


def test_a_game_that_is_over_at_once() -> None:
    tree = build_tree(DrawnGame(end(0.5)))
    assert tree.public_states == 1
    assert evaluate(tree, tree.uniform_policy()).value == 0.5


def check_fails(first: Drawn, message: str) -> None:
    with pytest.raises(GameError, match=message):
        build_tree(DrawnGame(first))


def test_the_mover_must_be_public() -> None:
    first = move(0, "start", move(0, "then", end(1.0), known=("a", None)),
                 move(1, "then", end(1.0), known=("b", None)))  # fmt: skip
    check_fails(first, "public state 'then' does not tell who moves; make the mover part of public")


def test_merged_infostates_must_be_weighed_alike_by_chance() -> None:
    def dealt(card: int) -> Drawn:
        return move(0, "move", move(1, "then", end(1.0)), known=(card, None))

    first = chance("deal", dealt(0), dealt(1), odds=(0.25, 0.75))
    check_fails(first, "after 'a0' infostates merge that chance weighs differently; private")


def test_merged_infostates_must_face_the_same_opponents() -> None:
    def dealt(card: int) -> Drawn:
        return move(
            0, "move", move(1, "then", end(1.0, known=(None, card)), known=(None, card)),
            known=(card, card),
        )  # fmt: skip

    check_fails(chance("deal", dealt(0), dealt(1)), "differ in what the opponent may hold; private")


def test_merged_infostates_must_have_the_same_payoffs() -> None:
    first = move(0, "start", end(1.0), end(-1.0))
    check_fails(first, "after 'a0[|]a1' infostates merge that differ in their moves or payoffs")


def test_merged_infostates_must_have_the_same_moves() -> None:
    first = move(
        0, "start",
        move(1, "then", end(1.0, "x"), end(0.0, "y")),
        move(1, "then", end(1.0, "x"), end(0.0, "y"), numbers=(0, 2)),
    )  # fmt: skip
    check_fails(first, "infostates merge that differ in their moves or payoffs")


def test_an_infostate_must_know_its_actions() -> None:
    def dealt(card: int, *after: Drawn) -> Drawn:
        return move(0, "move", *after, known=(None, card))

    first = chance("deal", dealt(0, end(1.0, "x", (None, 0)), end(0.0, "y", (None, 0))),
                   dealt(1, end(1.0, "x", (None, 1))))  # fmt: skip
    check_fails(first, "a player who knows None cannot tell which actions are legal; make what")


def test_public_states_that_share_a_subgame_key_must_have_the_same_infostates() -> None:
    def then(seen: str, cards: str) -> list[Drawn]:
        return [move(1, seen, end(1.0, ("end", seen), (c, None)), known=(c, None), key="k")
                for c in cards]  # fmt: skip

    first = move(0, "start", *then("x", "ab"), *then("y", "ac"))
    check_fails(first, "with the subgame key 'k' differ in their infostates; make subgame_key")


def test_public_states_that_share_a_subgame_key_must_have_the_same_chance_weights() -> None:
    def dealt(card: int, other: int) -> Drawn:
        return move(1, "x" if other else "y", end(1.0, ("end", other), (card, other)),
                    known=(card, None), key="k")  # fmt: skip

    first = chance(
        "deal", dealt(0, 0), dealt(1, 0), dealt(0, 1), dealt(1, 1), odds=(0.1, 0.2, 0.3, 0.4)
    )
    check_fails(first, "with the subgame key 'k' differ in their chance weights; make subgame_key")


def test_a_merge_that_loses_nothing_is_exact() -> None:
    def then(number: int) -> Drawn:
        return move(1, "then", end(number % 2 + 1.0, "x", (number % 2, None)),
                    end(-2.0, "y", (number % 2, None)), known=(number % 2, None))  # fmt: skip

    game = DrawnGame(move(0, "start", *map(then, range(5))))
    state = Builder(game).root.expansion.transitions[0].child
    assert state.counts == (2, 1)
    assert_allclose(state.compatibility, [[0.5], [0.5]])
    tree = build_tree(game)
    found = evaluate(tree, tree.uniform_policy())
    reference = Reference(game)
    assert_allclose(found.value, reference.value(reference.uniform()))


def test_chance_that_nobody_sees_is_averaged() -> None:
    """A card lies face down; neither player has seen it when they move, and it decides the pay."""

    def lies(card: int) -> Drawn:
        def answer(first: int) -> Drawn:
            return move(1, ("answer", first), end(first - card * 3.0, ("end", first, 0)),
                        end(card * 1.0, ("end", first, 1)))  # fmt: skip

        return move(0, "start", answer(0), answer(1))

    game = DrawnGame(chance("deal", lies(0), lies(1), odds=(0.3, 0.7)))
    reference = Reference(game)
    tree = build_tree(game)
    found = evaluate(tree, tree.uniform_policy())
    policy = reference.uniform()
    assert_allclose(found.value, reference.value(policy))
    assert_allclose(found.best_response[1], reference.best_response_value(policy, 1))


def test_chance_that_nobody_sees_may_show_later() -> None:
    def lies(card: int) -> Drawn:
        shown = ("shown", card)
        return move(
            0, "start", move(1, shown, end(card + 1.0, (shown, 0)), end(-card * 2.0, (shown, 1)))
        )

    game = DrawnGame(chance("deal", lies(0), lies(1), lies(2), odds=(0.3, 0.5, 0.2)))
    reference = Reference(game)
    tree = build_tree(game)
    found = evaluate(tree, tree.uniform_policy())
    policy = reference.uniform()
    assert_allclose(found.value, reference.value(policy))
    assert_allclose(found.best_response[1], reference.best_response_value(policy, 1))


def test_a_public_state_with_too_many_pairs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "MAX_CELLS", 30)
    with pytest.raises(GameTooLargeError, match="36 pairs of infostates, more than 30"):
        _ = Builder(small_game("liars-dice-2x3")).root
