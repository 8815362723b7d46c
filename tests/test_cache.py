"""The cache folder follows the environment."""

from __future__ import annotations

from pathlib import Path

from tacit.cache import cache_root


def test_the_environment_moves_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_root() == tmp_path / "tacit"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_root() == Path.home() / ".cache" / "tacit"
