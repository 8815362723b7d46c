"""That the random games hold what they are meant to: merges, hidden moves, all kinds of chance."""

from __future__ import annotations

from collections import Counter

import pytest

from support.random_games import FAMILIES, OPEN, REMEMBERING, WANDERING, random_game
from support.reference import Reference
from tacit.games import CHANCE
from tacit.tree import build_tree

GAMES = 60


def features(reference: Reference) -> set[str]:
    """What happens somewhere in a game."""
    found = set()
    tree = build_tree(reference.game)
    arrays = tree.arrays
    if any(
        len({way[-1] if way else None for way in ways}) > 1 for ways in reference.groups.values()
    ):
        found.add("merge")
    if (arrays.legal_start >= 0).any():
        found.add("illegal")
    if (arrays.player == CHANCE).any():
        found.add("public chance")
    if arrays.simple.any():
        found.add("simple")
    for node in range(tree.nodes):
        state = tree.state(node)
        if any(len(worlds) > 1 for worlds in state.cells.values()):
            found.add("secret")
        pairs = state.compatibility > 0
        if not pairs.all():
            found.add("impossible pairs")
        if arrays.player[node] < CHANCE:
            expansion = state.expansion
            if len(expansion.transitions) < len(expansion.actions):
                found.add("hidden move")
            for transition in expansion.transitions:
                other = 1 - state.mover
                sources = transition.sources[other].tolist()
                if len(set(sources)) < len(sources):
                    found.add("split")
    return found


EXPECTED = {
    REMEMBERING: {
        "merge", "illegal", "public chance", "simple", "secret", "impossible pairs", "hidden move",
        "split",
    },
    WANDERING: {"merge", "illegal", "public chance", "hidden move"},
    OPEN: {"public chance", "simple"},
}  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
def test_random_games_hold_what_they_are_meant_to(family: str) -> None:
    counts: Counter[str] = Counter()
    for seed in range(GAMES):
        counts.update(features(Reference(random_game(seed, family))))
    assert {feature for feature, count in counts.items() if count >= 6} >= EXPECTED[family]
    if family == OPEN:
        assert not counts["hidden move"]
        assert not counts["merge"]
