"""Betting over a hidden deal, against the same game derived from its rules."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import load_game
from tacit.games.holdem.preflop43 import betting_rules, deal_matrices, hand_names
from tacit.learn.rl_cfr.preflop43 import Table43, forest43
from tacit.learn.rl_cfr.sizes import PREFLOP43
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.best_response import evaluate
from tacit.solvers.engine import Solver
from tacit.tree import build_tree
from tacit.tree.dealt_betting import DealtBetting, HiddenDeal


@pytest.fixture(scope="module")
def game():
    return load_game("preflop43-2c3dAsKh7h8d9cTsJs-10")


def test_a_solve_of_the_derived_game_gives_the_same(game):
    derived = build_tree(game)
    table = Table43(game.cards, game.stack)
    root = DealtBetting(table.deal, betting_rules(10).start())
    tree = forest43(table, [root], lambda state: PREFLOP43.base_pots)
    assert tree.labels(tree.roots[0].node) == derived.labels(derived.roots[0].node)
    results = []
    for each in (derived, tree):
        solver = Solver(each, find_algorithm("dcfr"), storage=64)
        solver.run(30)
        results.append(evaluate(each, solver.average_policy()))
    assert results[1].value == pytest.approx(results[0].value, abs=1e-6)
    assert results[1].best_response == pytest.approx(results[0].best_response, abs=1e-6)


def test_payoffs_are_stakes_with_the_sign_of_who_folds(game):
    deal = HiddenDeal(hand_names(game.cards), *deal_matrices(game.cards))
    root = DealtBetting(deal, betting_rules(10).start())
    folded = root.expand(frozenset({"f", "c"})).transitions[0].child
    assert folded.payoffs.sum() == pytest.approx(0.5), "the small blind folds half a big blind"
    called = root.expand(frozenset({"r1000"})).transitions[0].child
    shown = called.expand(frozenset({"f", "c"})).transitions[1].child
    assert shown.payoff_bounds() == (-10, 10)
    assert np.abs(shown.payoffs).max() == pytest.approx(10 / 756)
    assert root.compatible_reach(0, np.ones(36)).sum() == pytest.approx(1)
