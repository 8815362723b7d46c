"""PBSs travel small, and arrive at the same public state."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

from tacit.games import load_game
from tacit.games.encoder import stable_bytes
from tacit.tree import Builder
from tacit.tree.pbs import PBS, PortablePBS, first_pbs


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars-dice-2x2", "pursuit-glasses"])
def test_a_pbs_arrives_in_another_builder(name: str) -> None:
    random = np.random.default_rng(0)
    here, there = Builder(load_game(name)), Builder(load_game(name))
    for _ in range(20):
        state, path = here.root, list[int]()
        while len(path) < 4 and state.expansion.transitions:
            path.append(int(random.integers(len(state.expansion.transitions))))
            state = state.expansion.transitions[path[-1]].child
        first, second = (random.random(count) for count in state.counts)
        pbs = PBS(state, (first, second), tuple(path))
        sent = pickle.dumps(pbs)
        assert len(sent) < 400 + 8 * sum(state.counts)
        portable = pickle.loads(sent)
        assert isinstance(portable, PortablePBS)
        arrived = portable.at(there.root)
        assert arrived == pbs
        assert hash(arrived) == hash(pbs)
        for player in (0, 1):
            mine = dict(zip(state.privates[player], pbs.beliefs[player], strict=True))
            theirs = zip(arrived.state.privates[player], arrived.beliefs[player], strict=True)
            assert mine == dict(theirs)


def test_pbss_are_equal_by_their_public_state() -> None:
    root = Builder(load_game("liars-dice-1x3")).root
    first = first_pbs(root)
    assert first == PBS(root, (np.zeros(3), np.zeros(3)))
    below = root.expansion.transitions[0].child
    assert len({first, first_pbs(root), first_pbs(below)}) == 2
    assert first != 3


def test_bytes_of_keys_are_the_same_in_every_process() -> None:
    key = (1, "a", None, 2.5, frozenset({"x", "y", ("z", True)}), (3, (4,)))
    program = f"from tacit.games.encoder import stable_bytes; print(stable_bytes({key!r}))"
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert made.stdout.strip() == repr(stable_bytes(key)), made.stderr
    assert stable_bytes((1, (2, 3))) != stable_bytes(((1, 2), 3))
    assert stable_bytes("1") != stable_bytes(1)
