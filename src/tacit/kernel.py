"""Compiled kernels: Numba's `njit` with a cache that also depends on the kernels that are called.

Numba caches a compiled function until its own file changes, but kernels call kernels in other
files. Here the name of a kernel's cache folder depends on the sources of its own module and of
every module of this package that it imports, so a stale kernel is never run.
"""

from __future__ import annotations

import atexit
import hashlib
import re
import shutil
import sys
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
"""The type of a kernel for its callers; its docstring states the arguments."""

_PACKAGE = Path(__file__).parent
_IMPORT = re.compile(rb"^from (tacit[\w.]*) import", re.MULTILINE)


def kernel(function: Function) -> Function:
    """Compile `function` on its first call, or load it from the cache."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder(function.__module__))
    try:
        compiled = numba.njit(cache=True, **_OPTIONS)(function)
    finally:
        config.CACHE_DIR = before
    return cast(Function, compiled)


def inner_kernel(function: Function) -> Function:
    """As `kernel`, for functions that only kernels call: without a wrapper for Python.

    It is compiled into its callers' cache entries and has none of its own.
    """
    alone: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(Function, numba.njit(**alone, **_OPTIONS)(function))


def inlined_kernel(function: Function) -> Function:
    """As `inner_kernel`, inlined: for a long function with one call in each kernel.

    Otherwise the compiler processes it once for itself and again in every caller.
    """
    return cast(Function, numba.njit(inline="always", **_OPTIONS)(function))


def entry_point(compiled: Function, *arguments: Any) -> Function:
    """The compiled function of a kernel for arguments of these types.

    It skips Numba's dispatch on types, which takes longer than a small kernel, so its arguments
    must have exactly these types.
    """
    return cast(Function, cast(Any, compiled).compile(tuple(map(numba.typeof, arguments))))


_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


def is_kept(compiled: Function) -> bool:
    """Whether the cache holds a compiled version of this kernel."""
    folder = cache_folder(compiled.__module__)
    return any(folder.rglob(f"*.{compiled.__name__}-*.nbi"))


@cache
def cache_folder(module: str) -> Path:
    """The cache folder for the current sources of `module`; those of older sources are removed."""
    digest = hashlib.sha256()
    for source in sorted(_sources(module)):
        digest.update(source.read_bytes())
    prefix = f"kernels-{module}-"
    name = prefix + digest.hexdigest()[:16]
    for parent in _parents():
        folder = parent / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        for old in parent.glob(prefix + "*"):
            if old.name != name:
                shutil.rmtree(old, ignore_errors=True)
        return folder
    return _temporary() / name


@cache
def _temporary() -> Path:
    """The folder of last resort, for this process alone."""
    print(
        "tacit: no cache folder is writable; kernels are compiled anew each time", file=sys.stderr
    )
    folder = tempfile.mkdtemp(prefix="tacit-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _sources(module: str) -> set[Path]:
    """The sources of a module and of all modules of the package that it imports, recursively."""
    sources: set[Path] = set()
    waiting = [module]
    while waiting:
        path = _PACKAGE.parent / waiting.pop().replace(".", "/")
        source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if source.is_file() and source not in sources:
            sources.add(source)
            waiting += [name.decode() for name in _IMPORT.findall(source.read_bytes())]
    return sources


def _parents() -> list[Path]:
    """The possible cache folders, best first: `NUMBA_CACHE_DIR`, beside the package, the user's."""
    given = [Path(config.CACHE_DIR)] if config.CACHE_DIR else []
    return [*given, _PACKAGE / "__pycache__", cache_root()]
