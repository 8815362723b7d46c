"""Compiled kernels: Numba's `njit` with a cache that knows when a kernel it calls has changed.

Numba keeps a compiled function until its own file changes, but kernels call kernels in other files.
Here a kernel's cache folder is named after the sources of its own module and of every module of
this package that it imports from, so a stale kernel is never run.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import numba
from numba.core import config as _config

from tacit.cache import cache_root

config = cast(Any, _config)

Function = Callable[..., Any]
"""What a kernel is for its callers: its docstring, not its types, says what it takes."""

_PACKAGE = Path(__file__).parent
_IMPORT = re.compile(rb"^from (tacit[\w.]*) import", re.MULTILINE)


def kernel(function: Function) -> Function:
    """Compile `function` on its first call, or load what an earlier process compiled."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder(function.__module__))
    try:
        compiled = numba.njit(cache=True, **_OPTIONS)(function)
    finally:
        config.CACHE_DIR = before
    return cast(Function, compiled)


def inner_kernel(function: Function) -> Function:
    """As `kernel`, for what kernels alone call: without what Python would call it by.

    It is part of what its callers keep in their caches, so it has none of its own.
    """
    alone: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(Function, numba.njit(**alone, **_OPTIONS)(function))


def inlined_kernel(function: Function) -> Function:
    """As `inner_kernel`, for a long one that each kernel calls at one place: compiled in there.

    A compiler goes over a called kernel once for itself and once again in every caller.
    """
    return cast(Function, numba.njit(inline="always", **_OPTIONS)(function))


def entry_point(compiled: Function, *arguments: Any) -> Function:
    """What a kernel runs for arguments of these types.

    A call of it does not look at the types again, which takes longer than a small kernel does: give
    it arguments of the very same types.
    """
    return cast(Function, cast(Any, compiled).compile(tuple(map(numba.typeof, arguments))))


_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


def is_kept(compiled: Function) -> bool:
    """Whether an earlier process has left something that it compiled of this kernel."""
    folder = cache_folder(compiled.__module__)
    return any(folder.rglob(f"*.{compiled.__name__}-*.nbi"))


@cache
def cache_folder(module: str) -> Path:
    """Where the kernels of these very sources of `module` are kept; older ones are removed."""
    digest = hashlib.sha256()
    for source in sorted(_sources(module)):
        digest.update(source.read_bytes())
    prefix = f"kernels-{module}-"
    name = prefix + digest.hexdigest()[:16]
    for parent in _parents():
        folder = parent / name
        if folder.is_dir() and os.access(folder, os.W_OK):
            return folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        for old in parent.glob(prefix + "*"):
            if old.name != name:
                shutil.rmtree(old, ignore_errors=True)
        return folder
    return Path(tempfile.mkdtemp(prefix="tacit-"))


def _sources(module: str) -> set[Path]:
    """The source of a module and, in turn, of all modules of the package that it imports from."""
    found: set[Path] = set()
    waiting = [module]
    while waiting:
        path = _PACKAGE.parent / waiting.pop().replace(".", "/")
        source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if source.is_file() and source not in found:
            found.add(source)
            waiting += [name.decode() for name in _IMPORT.findall(source.read_bytes())]
    return found


def _parents() -> list[Path]:
    """Where a cache may be, best first: as Numba is told, beside the package, the user's own."""
    given = [Path(config.CACHE_DIR)] if config.CACHE_DIR else []
    return [*given, _PACKAGE / "__pycache__", cache_root()]
