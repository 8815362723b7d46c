"""Long steps of the library tell a listener how far they are: the command line shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY = 1000
"""A listener is told of counts that are multiples of this."""

Listener = Callable[[str, int | None], None]
"""Takes a text and the count that it is about, or None at the end of the step."""

OnShare = Callable[[float], None]
"""Is told the share of a step that is done."""

_listeners: list[Listener] = []


def ignore_share(share: float) -> None:
    """Where nobody asks for the share that is done."""


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell `listener` of the steps within a `with` block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextmanager
def counted(text: str) -> Iterator[Callable[[int], None]]:
    """A step that counts: ``building the tree: {:,} public states``.

    It yields a function that takes the count so far, to be called whenever the count changes.
    """

    def count(number: int) -> None:
        if number % EVERY == 0:
            for listener in _listeners:
                listener(text, number)

    try:
        yield count
    finally:
        for listener in _listeners:
            listener(text, None)
