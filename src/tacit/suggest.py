"""What a message about an unknown name suggests: the name that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

NEAR = 0.65
"""The share of characters in common, in order, above which a name is near."""
LEAST = 3
"""Number of characters from which the start of a name stands for it."""
LONGEST = 100
"""Longer names are cut, as comparing takes quadratic time."""


def closest(name: str, known: Iterable[str]) -> str | None:
    """The name in `known` that `name` is the start or a misspelling of; None if none is near."""
    names = list(known)
    longer = [each for each in names if len(name) >= LEAST and each.startswith(name)]
    near = difflib.get_close_matches(name[:LONGEST], names, n=1, cutoff=NEAR)
    return next(iter(near or longer), None)


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
