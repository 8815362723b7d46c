"""Remembered answers: rows are asked once, and the answers are the evaluator's."""

from __future__ import annotations

import numpy as np

from tacit.games import load_game
from tacit.learn.cvpn import CVPN
from tacit.learn.network import make_network
from tacit.learn.presets import PRESETS
from tacit.solvers.growing import GrowingSearch, GrowingSettings
from tacit.solvers.growing_leaves import ValuePolicyEvaluator
from tacit.solvers.remembered import RememberedAnswers
from tacit.tree import Builder
from tacit.tree.pbs import first_pbs


class Counting:
    """A network that counts the rows that it is asked for."""

    def __init__(self) -> None:
        settings = PRESETS["tic-tac-toe-sog"].network
        network = make_network(Builder(load_game("tic-tac-toe")), settings, seed=0)
        assert isinstance(network, CVPN)
        self.network, self.rows = network, 0

    def __getattr__(self, name):
        return getattr(self.network, name)

    def answer(self, inputs):
        self.rows += len(inputs)
        return self.network.answer(inputs)


def some_rows(network: CVPN, count: int):
    return np.random.default_rng(1).random((count, network.inputs)).astype(np.float32)


def test_a_row_is_asked_once() -> None:
    counting = Counting()
    known = RememberedAnswers(counting, 100)
    assert isinstance(known, ValuePolicyEvaluator)
    rows = some_rows(counting.network, 6)
    first = known.answer(rows[[0, 1, 1, 2]])
    assert counting.rows == 3
    values, policies = known.answer(rows[[2, 3, 0]])
    assert counting.rows == 4
    assert np.array_equal(values[0], first[0][3])
    assert np.array_equal(policies[2], first[1][0])
    expected = counting.network.answer(rows[[2, 3, 0]])
    assert np.allclose(values, expected.values, atol=1e-6)
    assert np.allclose(policies, expected.policies, atol=1e-6)
    assert np.array_equal(known.values(rows[[2, 3, 0]]), values)
    assert counting.rows == 4


def test_it_forgets_all_when_it_is_full() -> None:
    counting = Counting()
    known = RememberedAnswers(counting, 3)
    rows = some_rows(counting.network, 8)
    known.answer(rows[:3])
    known.answer(rows[2:5])
    assert counting.rows == 6
    values, _ = known.answer(rows)  # more than it may keep at once
    assert values.shape[0] == 8


def test_a_second_search_asks_nothing_new() -> None:
    counting = Counting()
    known = RememberedAnswers(counting, 1000)
    roots = [first_pbs(counting.network.encoding.builder.root)]
    policies = []
    for _ in range(2):
        before = counting.rows
        search = GrowingSearch(
            counting.network.encoding.builder, roots, known, GrowingSettings(simulations=20),
            random=np.random.default_rng(0),
        ).run()  # fmt: skip
        policies.append(search.policy())
    assert counting.rows == before > 0
    assert np.array_equal(*policies)
