"""Errors that point into a user's text: a range, bet sizes, a betting history."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.games.game import GameError


class NotationError(GameError):
    """A `text` that cannot be read, with the bad `token` and the `column` (from 1) of its start."""

    def __init__(self, what: str, text: str, token: str, column: int, reason: str) -> None:
        shown = text if len(text) <= 120 else f"{text[:117]}..."
        super().__init__(f"{what} {shown!r}: {token!r} at column {column}: {reason}")
        self.text = text
        self.token = token
        self.column = column


def split_tokens(text: str, separator: str, column: int = 1) -> Iterator[tuple[str, int]]:
    """The stripped pieces of `text` between `separator`s, each with its column.

    `column`: that of `text` in the whole text, from 1.
    """
    for piece in text.split(separator):
        yield piece.strip(), column + len(piece) - len(piece.lstrip())
        column += len(piece) + len(separator)
