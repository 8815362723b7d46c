"""PREFLOP43: exploitability and head to head of choosers."""

from __future__ import annotations

import pytest

from tacit.evaluation.preflop43_sizes import (
    base43,
    head_to_head,
    learned43,
    measure43,
    measure_table,
    refined43,
)
from tacit.evaluation.preflop43_sizes import held_out_table as a_table
from tacit.learn.rl_cfr.decisions import FEATURES
from tacit.learn.rl_cfr.learners import Bandit
from tacit.learn.rl_cfr.preflop43 import Table43, solve_sets43
from tacit.learn.rl_cfr.rewards import Solves
from tacit.learn.rl_cfr.sizes import PREFLOP43

TABLE = Table43(a_table(0).cards, 12)


def test_what_one_method_wins_the_other_loses():
    base = measure43(TABLE, base43, Solves(30))
    other = measure43(TABLE, lambda decision: (0, 3), Solves(30))
    won = head_to_head(other, base)
    assert won == pytest.approx(-head_to_head(base, other), abs=1e-9)
    assert head_to_head(base, base) == pytest.approx(0, abs=1e-9)
    assert abs(won) <= base.exploitability + other.exploitability, "nobody wins more than that"


def test_a_table_gives_a_reward_for_each_decision_of_a_walk():
    learner = Bandit(FEATURES, PREFLOP43, 5)
    row = measure_table(TABLE, learned43(learner), 3, Solves(10))
    assert row.rewards
    assert row.base > 0
    assert row.ours > 0


def test_a_refined_choice_is_the_best_of_those_that_were_solved():
    learner, solves = Bandit(FEATURES, PREFLOP43, 5), Solves(10)
    decision = TABLE.start()
    chosen = refined43(learner, solves, tried=4, rounds=0)(decision)
    tried = [PREFLOP43.base, *learner.best(decision.point, 5, 4)]
    values = solve_sets43(decision, tried, solves=solves).values
    assert values[tried.index(chosen)] == values.max()
    assert values.max() > values.min()
    changed = refined43(learner, solves, tried=4, rounds=1)(decision)
    assert len(set(changed) ^ set(chosen)) == 1
    [before, after] = solve_sets43(decision, [chosen, changed], solves=solves).values
    assert after > before, "one size more or less is better here"
