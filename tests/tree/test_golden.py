"""Golden trees: the structure of two small games, written out.

After a change that is meant, write them anew: `python tests/tree/test_golden.py`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tacit.games import load_game
from tacit.tree import CHANCE, TERMINAL, build_tree

GOLDEN = Path(__file__).parent / "golden"
GAMES = ("kuhn", "rock-paper-scissors")


def structure(name: str) -> list[dict[str, Any]]:
    """Every public state of a game: who moves, infostates, and where its moves lead."""
    tree = build_tree(load_game(name))
    found = []
    for place, path in tree.walk():
        state = tree.state(place.node)
        entry: dict[str, Any] = {
            "path": " ".join(path),
            "player": int(tree.arrays.player[place.node]),
            "infostates": [[repr(private) for private in p] for p in state.privates],
            "compatibility": state.compatibility.round(12).tolist(),
        }
        if state.mover == TERMINAL:
            entry["payoffs"] = state.payoffs.round(12).tolist()
        else:
            expansion = state.expansion
            entry["simple"] = bool(tree.arrays.simple[place.node])
            if state.mover != CHANCE:
                entry["actions"] = list(expansion.labels)
                entry["legal"] = expansion.legal.astype(int).tolist()
            entry["children"] = [
                {
                    "label": transition.label,
                    "factor": round(transition.factor, 12),
                    "sources": [source.tolist() for source in transition.sources],
                    "targets": [target.tolist() for target in transition.targets],
                }
                for transition in expansion.transitions
            ]
        found.append(entry)
    return found


@pytest.mark.parametrize("name", GAMES)
def test_a_tree_is_as_it_was(name: str) -> None:
    assert structure(name) == json.loads((GOLDEN / f"{name}.json").read_text())


if __name__ == "__main__":
    for name in GAMES:
        lines = ",\n".join(" " + json.dumps(entry) for entry in structure(name))
        (GOLDEN / f"{name}.json").write_text(f"[\n{lines}\n]\n")
