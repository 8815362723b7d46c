"""The numbers that the pages state are those that the code gives."""

from __future__ import annotations

import re
import sys
from importlib import util
from pathlib import Path

import pytest

import tacit
from tacit.games import families
from tacit.solvers import ALGORITHMS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def generate():
    spec = util.spec_from_file_location("generate", DOCS / "generate.py")
    module = util.module_from_spec(spec)
    sys.modules["generate"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["generate"]


def test_no_page_is_stale(generate, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    code = generate.main()
    assert (code, capsys.readouterr().out) == (0, "")


def test_a_stale_number_is_found(generate):
    page = (DOCS / "games" / "kuhn.md").read_text()
    assert generate.same(page, generate.generated(page))
    stale = page.replace("| 12 |", "| 13 |")
    assert stale != page
    assert not generate.same(stale, generate.generated(stale))


def test_a_stale_signature_is_found_and_every_name_has_one(generate):
    page = (DOCS / "reference.md").read_text()
    assert "seconds: float | None = None,\n" in page
    stale = page.replace("seconds: float | None = None,\n", "", 1)
    assert not generate.same(stale, generate.generated(stale))
    for name in set(tacit.__all__) - {"CHANCE", "TERMINAL", "agents"}:
        assert f"### {name}\n" in page
    assert "0x" not in page


def test_measurements_may_differ_a_little(generate):
    assert generate.same("took 1.0e-03", "took 1.9e-03")
    assert not generate.same("took 1.0e-03", "took 2.1e-03")
    assert not generate.same("took 1.0e-03", "needed 1.0e-03")


def test_every_game_and_every_algorithm_has_a_page():
    games = "".join(page.read_text() for page in (DOCS / "games").glob("*.md"))
    pages = [page.read_text() for page in (DOCS / "algorithms").glob("*.md")]
    measured = {
        name
        for page in pages
        for names in re.findall(r"generated: convergence (.+) -->", page)
        for name in names.split()
    }
    for family in families():
        assert re.search(rf"generated: rules {family.examples[0].rsplit('-1x', 1)[0]}", games)
        assert all(f"`{example}`" in games for example in family.examples)
    assert measured == set(ALGORITHMS)
    assert (DOCS / "algorithms" / "linear-program.md").is_file()
