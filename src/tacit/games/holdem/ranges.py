"""Ranges in the usual notation, read into and printed from weights over the 1,326 hands.

A range is a list of items split by commas, each with an optional weight from 0 to 1 behind a colon:

- ``77``, ``AKs``, ``AKo``, ``AK``: a pair, suited, offsuit, both; ``AhKh``: one hand
- ``77+``: this pair and those above; ``A2s+``, ``KTo+``: the same high card, this kicker and better
- ``TT-77``, ``A5s-A2s``: from one to the other; ``76s-54s``: both cards step down together
- ``random`` or ``any``: every hand

A later item overrides an earlier one: ``random,AA:0`` is every hand but the aces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games.game import GameError
from tacit.games.holdem.cards import (
    HAND_CLASS,
    NUM_CLASSES,
    NUM_HANDS,
    RANKS,
    format_cards,
    hand_name,
    live_hands,
    parse_hand,
)
from tacit.games.holdem.notation import NotationError, split_tokens

EXAMPLES = "expected an item such as 77+, A2s+, KTo, 76s-54s, AhKh or random"

_GROUP = re.compile(r"([2-9TJQKA])([2-9TJQKA])([SO]?)", re.ASCII)
_HAND = re.compile(r"([2-9TJQKA][CDHS]){2}", re.ASCII)
_WEIGHT = re.compile(r"(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)


class Group(NamedTuple):
    """The hands of two ranks, `high >= low`; `suits` is ``s``, ``o`` or empty for both."""

    high: int
    low: int
    suits: str

    @property
    def name(self) -> str:
        """The notation, such as ``AKs``."""
        return RANKS[self.high] + RANKS[self.low] + self.suits

    def cells(self) -> list[int]:
        """The indices of the group's classes in `CLASS_NAMES`."""
        above, left = 12 - self.high, 12 - self.low
        suited, offsuit = 13 * above + left, 13 * left + above
        if self.high == self.low:
            return [suited]
        return {"s": [suited], "o": [offsuit], "": [suited, offsuit]}[self.suits]


def parse_range(text: str) -> NDArray[np.float32]:
    """The weight of every hand, float32[1326]; NotationError points at what cannot be read."""
    weights = np.zeros(NUM_HANDS, np.float32)
    by_class = [np.flatnonzero(cell == HAND_CLASS) for cell in range(NUM_CLASSES)]
    if not text.strip():
        raise GameError(f"the range {text!r} is empty; {EXAMPLES}")
    for token, column in split_tokens(text, ","):
        try:
            item, weight = _split_weight(token)
            if item.upper() in ("RANDOM", "ANY"):
                weights[:] = weight
            elif _HAND.fullmatch(item.upper()):
                weights[parse_hand(item)] = weight
            else:
                for group in _parse_groups(item.upper()):
                    for cell in group.cells():
                        weights[by_class[cell]] = weight
        except GameError as error:
            raise NotationError("range", text, token, column, str(error)) from None
    return weights


def format_range(weights: NDArray[np.floating]) -> str:
    """A short notation for weights [1326]; `parse_range` reads it back.

    Hands whose weight differs from the most frequent one of their class come at the end.
    """
    rounded = np.asarray(weights, np.float32) + np.float32(0)  # -0 becomes 0
    if rounded.shape != (NUM_HANDS,):
        raise GameError(f"a range has {NUM_HANDS} weights; these have shape {rounded.shape}")
    if not ((rounded >= 0) & (rounded <= 1)).all():
        raise GameError("a range has weights from 0 to 1; scale these first")
    if (rounded == rounded[0]).all():
        return _with_weight("random", rounded[0])
    classes = np.zeros(NUM_CLASSES, np.float32)
    for cell in range(NUM_CLASSES):
        values, counts = np.unique(rounded[cell == HAND_CLASS], return_counts=True)
        classes[cell] = values[counts.argmax()]
    tokens = _class_tokens(classes)
    for hand in np.flatnonzero(rounded != classes[HAND_CLASS])[::-1]:
        tokens.append(_with_weight(hand_name(hand), rounded[hand]))
    return ",".join(tokens)


def check_range(
    weights: NDArray[np.float32], board: Sequence[int] = (), *, name: str = "the range"
) -> NDArray[np.float32]:
    """The weights with hands that `board` blocks set to 0; GameError if none is left."""
    if not (weights > 0).any():
        raise GameError(f"{name} holds no hand; give at least one a weight above 0")
    alive: NDArray[np.float32] = np.where(live_hands(board), weights, np.float32(0))
    if not (alive > 0).any():
        raise GameError(
            f"{name} holds no hand that is possible on the board {format_cards(board)}; "
            "each of its hands shares a card with the board: widen it or change the board"
        )
    return alive


def _split_weight(token: str) -> tuple[str, np.float32]:
    item, colon, weight = (part.strip() for part in token.partition(":"))
    if not item:
        raise GameError(EXAMPLES)
    if not colon:
        return item, np.float32(1)
    if not _WEIGHT.fullmatch(weight) or not 0 <= float(weight) <= 1:
        raise GameError(f"{weight!r} is not a weight; expected a number from 0 to 1")
    return item, np.float32(weight)


def _parse_group(text: str) -> Group:
    match = _GROUP.fullmatch(text)
    if not match:
        raise GameError(EXAMPLES)
    first, second = sorted((RANKS.index(match[1]), RANKS.index(match[2])), reverse=True)
    if first == second and match[3]:
        raise GameError(f"a pair is neither suited nor offsuit; write {match[1] * 2}")
    return Group(first, second, match[3].lower())


def _parse_groups(item: str) -> list[Group]:
    """The groups of ``77``, ``77+``, ``TT-77``, ``A5s-A2s`` and ``76s-54s`` (in capitals)."""
    if item.endswith("+"):
        group = _parse_group(item[:-1].rstrip())
        if group.high == group.low:
            return [Group(rank, rank, "") for rank in range(group.low, 13)]
        return [Group(group.high, low, group.suits) for low in range(group.low, group.high)]
    if "-" not in item:
        return [_parse_group(item)]
    one, other = (_parse_group(end.strip()) for end in item.split("-", 1))
    if one.suits != other.suits:
        raise GameError("both ends must be suited, offsuit or neither, as in A5s-A2s")
    top, bottom = max(one, other), min(one, other)
    if top.high == bottom.high and top.low < top.high:
        return [Group(top.high, low, top.suits) for low in range(bottom.low, top.low + 1)]
    if top.high - top.low == bottom.high - bottom.low:
        steps = range(top.high - bottom.high + 1)
        return [Group(bottom.high + step, bottom.low + step, top.suits) for step in steps]
    raise GameError("the ends must share the high card (A5s-A2s) or the gap (76s-54s, TT-77)")


def _with_weight(item: str, weight: np.floating) -> str:
    return item if weight == 1 else f"{item}:{weight!s}".removesuffix(".0")


def _class_tokens(classes: NDArray[np.float32]) -> list[str]:
    """Runs of pairs, then of kickers under each high card; lone ones are joined as ``76s-54s``."""
    rows = [[Group(rank, rank, "") for rank in range(13)]]
    for high in range(12, 0, -1):
        both, suited, offsuit = (
            [Group(high, low, suits) for low in range(high)] for suits in ("", "s", "o")
        )
        same = all(len(set(classes[group.cells()])) == 1 for group in both)
        rows += [both] if same else [suited, offsuit]
    runs: list[tuple[Group, Group, np.floating]] = []
    for row in rows:
        weighed = groupby(reversed(row), key=lambda group: np.float32(classes[group.cells()[0]]))
        equal = [(value, list(groups)) for value, groups in weighed]
        runs += [(groups[0], groups[-1], value) for value, groups in equal if value > 0]
    tokens = []
    lone = {top: weight for top, bottom, weight in runs if top == bottom}
    joined: set[Group] = set()
    for top, bottom, weight in runs:
        if top in joined:
            continue
        alone = top == bottom
        best = top.low == (12 if top.high == top.low else top.high - 1)
        while (
            alone and lone.get(below := Group(bottom.high - 1, bottom.low - 1, top.suits)) == weight
        ):
            joined.add(below)
            bottom = below
        if top == bottom:
            name = top.name
        else:
            name = f"{bottom.name}+" if best and not alone else f"{top.name}-{bottom.name}"
        tokens.append(_with_weight(name, weight))
    return tokens
