"""Mutations: a valid input with a few things wrong, for bytes, texts, words and JSON values."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

Random = np.random.Generator

HOSTILE = (
    "",
    " ",
    "-",
    "--5",
    "0",
    "-1",
    "1e20",
    "1e400",
    "nan",
    "inf",
    "-inf",
    "9" * 30,
    "9" * 5000,
    "0x10",
    "1_000",
    "١٢",
    "[/b]",
    "[bold]",
    "{}",
    "[]",
    "null",
    "true",
    "%s%n",
    "\0",
    "\n",
    "\ud800",
    "\u202e",
    "é" * 50,
    "/dev/zero",
    "../..",
    "$(id)",
    "'\"`",
    "\x1b[31m",
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    7,
    10**30,
    -(10**30),
    0.5,
    float("nan"),
    float("inf"),
    "",
    "x",
    "9" * 400,
    [],
    [[]],
    [1, 2, 3],
    {},
    {"a": 1},
)


def mutate_bytes(data: bytes, random: Random) -> bytes:
    """Flip, cut, repeat, insert or exchange a few bytes."""
    changed = bytearray(data)
    for _ in range(int(random.integers(1, 5))):
        if not changed:
            return bytes(random.integers(0, 256, 5, dtype=np.uint8))
        place = int(random.integers(0, len(changed)))
        length = int(min(random.geometric(0.1), len(changed) - place))
        match random.integers(0, 6):
            case 0:
                changed[place] ^= 1 << int(random.integers(0, 8))
            case 1:
                del changed[place : place + length]
            case 2:
                changed[place:place] = changed[place : place + length]
            case 3:
                changed[place:place] = random.integers(0, 256, length, dtype=np.uint8).tobytes()
            case 4:
                changed[place] = int(random.choice([0, 1, 0x7F, 0x80, 0xFF]))
            case _:
                del changed[place:]
    return bytes(changed)


def mutate_text(text: str, random: Random) -> str:
    """Cut, repeat, exchange or insert characters, words and hostile pieces."""
    for _ in range(int(random.integers(1, 4))):
        place = int(random.integers(0, len(text) + 1))
        end = int(min(len(text), place + random.geometric(0.3)))
        match random.integers(0, 5):
            case 0:
                text = text[:place] + text[end:]
            case 1:
                text = text[:end] + text[place:]
            case 2:
                text = text[:place] + str(random.choice(HOSTILE)) + text[end:]
            case 3:
                text = text[:place] + str(random.choice(HOSTILE)) + text[place:]
            case _:
                text = text[:place] + chr(int(random.choice([32, 44, 45, 48, 57, 65, 120, 233])))
                text += text[end:]
    return text


def mutate_words(words: tuple[str, ...], random: Random) -> tuple[str, ...]:
    """Drop, repeat, exchange or mutate words of a command line."""
    changed = list(words)
    for _ in range(int(random.integers(1, 3))):
        place = int(random.integers(0, len(changed))) if changed else 0
        match random.integers(0, 6):
            case 0 if changed:
                del changed[place]
            case 1 if changed:
                changed.insert(place, changed[int(random.integers(0, len(changed)))])
            case 2:
                changed.insert(place, str(random.choice(HOSTILE)))
            case 3 if changed:
                changed[place] = str(random.choice(HOSTILE))
            case _ if changed:
                changed[place] = mutate_text(changed[place], random)
    # What the system can hand over: no zero bytes, and undecodable bytes as Python escapes them.
    return tuple(word.replace("\0", "").replace("\ud800", "\udcff") for word in changed)


def mutate_value(value: Any, random: Random) -> Any:
    """A JSON value with one thing inside it of another type, missing or more."""
    places = list(_places(value, ()))
    path = places[int(random.integers(0, len(places)))]
    if not path:
        return VALUES[int(random.integers(0, len(VALUES)))]
    copy = json.loads(json.dumps(value))
    parent = copy
    for key in path[:-1]:
        parent = parent[key]
    key = path[-1]
    match random.integers(0, 4):
        case 0:
            del parent[key]
        case 1 if isinstance(parent[key], str):
            parent[key] = mutate_text(parent[key], random)
        case 2 if isinstance(parent, dict):
            parent[str(random.choice(HOSTILE))] = parent[key]
        case _:
            parent[key] = VALUES[int(random.integers(0, len(VALUES)))]
    return copy


def _places(value: Any, path: tuple[Any, ...]) -> Any:
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _places(inner, (*path, key))
    elif isinstance(value, list):
        for key, inner in enumerate(value[:20]):
            yield from _places(inner, (*path, key))
