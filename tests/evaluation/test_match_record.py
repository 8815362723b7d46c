"""Records of matches: read as they were written, and refused in one line if damaged."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tacit.archive import ArchiveError
from tacit.evaluation.match_record import MatchRecord
from tacit.games import GameError


def opened(path: Path, match: list[Any]) -> dict[str, Any]:
    """What a record's file holds."""
    found: dict[str, Any] = {}

    def read(kept: Mapping[str, Any]) -> None:
        found.update(kept, won=[float(value) for value in kept["won"]])

    MatchRecord(path, match, words="agents", read=read)
    return found


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    assert opened(path, ["a", 1]) == {}
    MatchRecord(path, ["a", 1], words="agents", read=dict).write({"won": [0.1, -2.0], "by": {3: 4}})
    assert opened(path, ["a", 1]) == {"won": [0.1, -2.0], "by": {"3": 4}}


def test_without_a_path_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    MatchRecord(None, ["a"], words="agents", read=dict).write({"won": [1.0]})
    assert not list(tmp_path.iterdir())


def test_a_changed_number_is_found(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    MatchRecord(path, ["a"], words="agents", read=dict).write({"won": [1.0, 2.0]})
    path.write_text(path.read_text().replace("2.0", "3.0"))
    with pytest.raises(ArchiveError, match="checksum is wrong"):
        opened(path, ["a"])


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '"x"', "[" * 100_000, "\0", "1e999"])
def test_what_is_no_record_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "match.json"
    path.write_text(text)
    with pytest.raises(ArchiveError, match="is not the record of a match") as caught:
        opened(path, ["a"])
    assert "\n" not in str(caught.value)


def test_results_of_other_types_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    MatchRecord(path, ["a"], words="agents", read=dict).write({"won": {"x": []}})
    with pytest.raises(ArchiveError, match="is not the record of a match"):
        opened(path, ["a"])


def test_another_match_is_named(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    MatchRecord(path, ["a\nb"], words="agents", read=dict).write({"won": []})
    with pytest.raises(GameError, match=r"another match, .* and not \['c'\] \(agents\)") as caught:
        opened(path, ["c"])
    assert "\n" not in str(caught.value)
