"""Unknown bets on a turn: nested solving is less exploitable than both translations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tacit.games import GameError
from tacit.games.holdem.ranges import parse_range
from tacit.reproduce.safe_subgames.holdem_off_tree import off_tree_answers, turn_spot
from tacit.subgame.methods import SolveBudget
from tacit.subgame.translation import KINDS
from tacit.tree.cards.builder import build_spot
from tacit.tree.cards.states import CardState

RANGE = parse_range("AA,KK,TT,AK,KQs,QJs,98s,65s,A5s")


def test_nested_solving_beats_both_translations() -> None:
    spot = replace(turn_spot(), ranges=(RANGE, RANGE))
    answers = off_tree_answers(
        spot,
        blueprint_iterations=300,
        budget=SolveBudget(algorithm="dcfr", iterations=150),
        methods=("resolve", "reach-maxmargin"),
    )
    found = {name: compute()["exploitability_mbb"] for name, compute in answers.items()}
    translated = min(found[f"translation, {kind}"] for kind in KINDS)
    nested = [value for name, value in found.items() if name.startswith("nested")]
    assert len(nested) == 4
    assert max(nested) < translated < found["blueprint, uniform where it does not know"]


def test_a_spot_that_has_no_such_bets_is_refused() -> None:
    with pytest.raises(GameError, match="no bets of"):
        off_tree_answers(
            turn_spot(), unknown=(0.33,), blueprint_iterations=1, budget=SolveBudget(iterations=1)
        )


def test_sizes_of_bets_are_in_pots_after_calling() -> None:
    root = build_spot(replace(turn_spot(), ranges=(RANGE, RANGE))).state(0)
    assert isinstance(root, CardState)
    sizes = [root.action_size(action) for action in root.expand().actions]
    assert sizes == [None, 0.5, 0.75, 1.0]
    bet = root.expand().transitions[1].child
    assert isinstance(bet, CardState)
    assert [bet.action_size(action) for action in bet.expand().actions] == [None, None, 1.0]
