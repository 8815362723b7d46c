"""Public belief states are told apart by their public states alone."""

from __future__ import annotations

import numpy as np

from tacit.games import load_game
from tacit.tree import Builder
from tacit.tree.pbs import PBS


def test_a_pbs_is_known_by_its_public_state() -> None:
    root = Builder(load_game("kuhn")).root
    first, second = (PBS(root, (np.full(3, x), np.ones(3))) for x in (0.5, 1.0))
    child = PBS(root.expansion.transitions[0].child, first.beliefs)
    assert first == second
    assert hash(first) == hash(second)
    assert len({first, second, child}) == 2
