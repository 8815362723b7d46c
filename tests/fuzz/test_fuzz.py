"""A short run of the fuzzer, and every failure that it has found before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fuzz.readers import READERS, Reader

COUNTS = {"openspiel": 5, "command": 20, "network": 20, "checkpoint": 20, "spot-solution": 15}
CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_mutated_inputs_are_read_or_refused(reader: Reader) -> None:
    for number in range(COUNTS.get(reader.name, 60)):
        data = reader.input(1, number)
        assert reader.fault(data) is None, data


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_earlier_failures_stay_mended(case: Path) -> None:
    kept = json.loads(case.read_text())
    reader = next(reader for reader in READERS if reader.name == kept["reader"])
    assert reader.fault(bytes.fromhex(kept["input"])) is None


def test_a_fault_is_found() -> None:
    def read(data: bytes) -> object:
        return {}[data]

    assert "KeyError" in str(Reader("x", lambda random: b"", read, 1).fault(b"a"))
