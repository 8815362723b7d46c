"""Compiled kernels: Numba's `njit` with a cache that knows when any kernel's source has changed.

Numba keeps a compiled function until its own file changes, but kernels call kernels in other files.
Here the cache's folder is named after the sources of all kernels, so a stale one is never run.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config as _config

config = cast(Any, _config)

Function = TypeVar("Function", bound=Callable[..., Any])

_PREFIX = "kernels-"
_CONSTANTS = ("arrays.py", "game.py", "lanes.py", "order.py")
"""Sources without kernels whose constants and vector operations are compiled into them."""


def kernel(function: Function) -> Function:
    """Compile `function` on its first call, or load what an earlier process compiled."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder())
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        config.CACHE_DIR = before
    return cast(Function, compiled)


@cache
def cache_folder() -> Path:
    """Where compiled kernels of these very sources are kept; older ones are removed."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        text = source.read_bytes()
        if b"from tacit.kernel import kernel" in text or source.name in _CONSTANTS:
            digest.update(text)
    name = _PREFIX + digest.hexdigest()[:16]
    for parent in _parents(package):
        folder = parent / name
        if folder.is_dir() and os.access(folder, os.W_OK):
            return folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        for old in parent.glob(_PREFIX + "*"):
            if old.name != name:
                shutil.rmtree(old, ignore_errors=True)
        return folder
    return Path(tempfile.mkdtemp(prefix="tacit-"))


def _parents(package: Path) -> list[Path]:
    """Where a cache may be, best first: as Numba is told, beside the package, the user's own."""
    given = [Path(config.CACHE_DIR)] if config.CACHE_DIR else []
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return [*given, package / "__pycache__", home / "tacit"]
