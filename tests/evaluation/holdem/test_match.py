"""Matches of hold'em: duplicate, resumed, the same in any number of processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.evaluation.holdem.match import play_holdem
from tacit.games import GameError
from tacit.games.holdem.betting import BettingRules


def test_hands_are_exchanged() -> None:
    found = play_holdem("always-call", "always-call", hands=8, seed=3)
    for one, two in found.played:
        assert one.holes == two.holes
        assert one.won == two.won
    assert found.plain.mean == found.plain.deviation == 0


def test_a_match_is_kept_and_resumed(tmp_path: Path) -> None:
    record = tmp_path / "match.json"
    play_holdem("lbr:fcpa", "always-call", hands=4, seed=1, record=record)
    kept = json.loads(record.read_text())
    assert list(kept["pairs"]) == ["0", "1"]
    counts: list[int] = []
    found = play_holdem(
        "lbr:fcpa", "always-call", hands=8, seed=1, record=record, each=counts.append
    )
    assert found == play_holdem("lbr:fcpa", "always-call", hands=8, seed=1)
    assert counts[0] == 4
    assert counts[-1] == 8
    fewer = play_holdem("lbr:fcpa", "always-call", hands=2, seed=1, record=record)
    assert fewer.played == found.played[:1]


def test_processes_change_nothing() -> None:
    alone, spread = (
        play_holdem("lbr:fcpa", "always-call", hands=8, seed=2, workers=workers)
        for workers in (0, 2)
    )
    assert alone == spread


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    record = tmp_path / "match.json"
    record.write_text("{}")
    with pytest.raises(GameError, match="not the record"):
        play_holdem("always-call", "always-call", hands=2, record=record)
    record.unlink()
    play_holdem("always-call", "always-call", hands=2, record=record)
    with pytest.raises(GameError, match="another match"):
        play_holdem("always-call", "always-call", hands=2, seed=1, record=record)
    with pytest.raises(GameError, match="even number of hands"):
        play_holdem("always-call", "always-call", hands=3)
    with pytest.raises(GameError, match="did you mean 'always-call'"):
        play_holdem("always-cal", "always-call", hands=2)
    with pytest.raises(GameError, match="name it first"):
        play_holdem("always-call", "lbr:fcpa", hands=2)
    rules = BettingRules(stacks=(1_000, 2_000))
    with pytest.raises(GameError, match="equal stacks"):
        play_holdem("always-call", "always-call", hands=2, rules=rules)
