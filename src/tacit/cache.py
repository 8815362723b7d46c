"""The package's cache folder: results that can be computed again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_root() -> Path:
    """The user's cache folder for tacit, inside `XDG_CACHE_HOME` if that is set."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "tacit"
