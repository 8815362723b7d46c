"""What a message about an unknown name suggests: the name that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def closest(name: str, known: Iterable[str]) -> str | None:
    """The name in `known` that `name` is probably a misspelling of; None if none is near."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1)), None)


def unknown(kind: str, name: str, known: Iterable[str], *, otherwise: str | None = None) -> str:
    """``unknown game 'leducc'; did you mean 'leduc'?``, or `otherwise` if no name is near.

    Without `otherwise` the message lists the known names.
    """
    names = list(known)
    near = closest(name, names)
    if near is not None:
        hint = f"did you mean {near!r}?"
    else:
        hint = otherwise or f"known: {', '.join(names)}"
    return f"unknown {kind} {name!r}; {hint}"
