"""Settings in groups: frozen dataclasses that check themselves, change by name and keep as JSON.

A setting is addressed by its name alone (`iterations`) or with its group (`search.iterations`).
"""

from __future__ import annotations

import dataclasses
import json
import math
import typing
from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, Self

from tacit.games import GameError
from tacit.suggest import unknown

MOST = 2**63 - 1
"""The largest value of an integer setting."""


LISTS: dict[Any, Any] = {tuple[int, ...]: int, tuple[float, ...]: float}
"""The types of settings that are lists, with the type of an item."""


def number(default: Any, *, least: float = 0, most: float = MOST, above: float = -math.inf) -> Any:
    """A numeric setting, or a tuple of them, with bounds: least <= value <= most, > above."""
    return field(default=default, metadata={"least": least, "most": most, "above": above})


class Checked:
    """Settings that refuse values of a wrong type or out of range on construction."""

    def __post_init__(self) -> None:
        kinds = typing.get_type_hints(type(self))
        for entry in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, entry.name)
            if wrong := _expected(kinds[entry.name], entry.metadata, value):
                raise GameError(f"setting {entry.name} must be {wrong}, not {value!r}")


def _expected(kind: Any, bounds: Mapping[str, float], value: Any) -> str | None:
    """What a setting must be; None if `value` is that."""
    if not _is_a(kind, value):
        return kind_name(kind)
    if value == ():
        return "at least one number"
    for item in (value if isinstance(value, tuple) else (value,)) if bounds else ():
        if not bounds["least"] <= item < math.inf:
            return f"at least {bounds['least']:g}"
        if not item > bounds["above"]:
            return f"more than {bounds['above']:g}"
        if not item <= bounds["most"]:
            return f"at most {bounds['most']:g}"
    return None


def _is_a(kind: Any, value: Any) -> bool:
    if typing.get_origin(kind) is Literal:
        return value in typing.get_args(kind)
    if kind in LISTS:
        return isinstance(value, tuple) and all(_is_a(LISTS[kind], item) for item in value)
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


class Grouped(Checked):
    """Settings some of which are groups of settings, dataclasses themselves."""

    def without_effect(self, values: Mapping[str, Any]) -> Mapping[str, str]:
        """The groups that these settings with some `values` changed do not use, and why."""
        return {}

    def replace(self, **values: Any) -> Self:
        """These settings with some changed, by name without the group."""
        groups: dict[str, dict[str, Any]] = {}
        unused = self.without_effect(values)
        for name, value in values.items():
            place = _find(type(self), name, unused)
            groups.setdefault(place.group, {})[place.name] = value
        changes = groups.pop("", {})
        for group, inner in groups.items():
            changes[group] = dataclasses.replace(getattr(self, group), **inner)
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def changed(self, changes: Mapping[str, str]) -> Self:
        """These settings with some changed, by name and text."""
        unused = self.without_effect(changes)
        return self.replace(
            **{
                name: _parse(_find(type(self), name, unused), text)
                for name, text in changes.items()
            }
        )

    def differences(self, other: Self) -> dict[str, tuple[Any, Any]]:
        """By name, both values of the settings that differ."""
        places = _places(type(self))
        pairs = {name: (place.value(self), place.value(other)) for name, place in places.items()}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def to_json(self) -> str:
        """The settings as one JSON object."""
        return json.dumps(dataclasses.asdict(self), indent=1)  # type: ignore[call-overload]

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Settings from `to_json`."""
        settings: Self = _revive(cls, json.loads(text))
        return settings


class _Place(typing.NamedTuple):
    """A setting: its group ("" for the run's own), its name and its type."""

    group: str
    name: str
    kind: Any

    def value(self, settings: Grouped) -> Any:
        """What it is in `settings`."""
        return getattr(getattr(settings, self.group) if self.group else settings, self.name)


def _places(of: type[Grouped]) -> dict[str, _Place]:
    """Every setting by its name, without the group unless two groups have the name."""
    places = []
    for own, kind in typing.get_type_hints(of).items():
        if dataclasses.is_dataclass(kind):
            inner = typing.get_type_hints(kind)
            places += [_Place(own, name, inner[name]) for name in inner]
        else:
            places.append(_Place("", own, kind))
    times = Counter(place.name for place in places)
    return {
        f"{place.group}.{place.name}" if times[place.name] > 1 else place.name: place
        for place in places
    }


def _find(of: type[Grouped], name: str, unused: Mapping[str, str]) -> _Place:
    """The setting with this name, alone or behind its group and a dot, in a group that is used."""
    group, _, short = name.rpartition(".")
    places = _places(of)
    found = [p for p in places.values() if p.name == short and group in ("", p.group)]
    used = [place for place in found if place.group not in unused]
    if used:
        return used[0]
    if found:
        raise GameError(f"setting {name} has no effect with {unused[found[0].group]}")
    raise GameError(unknown("setting", name, places))


def _parse(place: _Place, text: str) -> Any:
    kind = place.kind
    try:
        if kind is bool:
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        if kind in LISTS:
            return tuple(LISTS[kind](part) for part in text.replace("x", ",").split(","))
        return text if typing.get_origin(kind) is Literal else kind(text)
    except (ValueError, KeyError):
        raise GameError(f"setting {place.name} must be {kind_name(kind)}, not {text!r}") from None


def kind_name(kind: Any) -> str:
    """What a message calls the type of a setting."""
    if typing.get_origin(kind) is Literal:
        return "one of " + ", ".join(typing.get_args(kind))
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    of = "whole numbers" if kind == tuple[int, ...] else "numbers"
    return names.get(kind, f"a list of {of}")


def _revive(kind: Any, stored: dict[str, Any]) -> Any:
    """A dataclass of settings from its JSON."""
    kinds = typing.get_type_hints(kind)
    if unknown := set(stored) - set(kinds):
        raise GameError(f"unknown settings {sorted(unknown)}: another version's?")
    values = {}
    for name, value in stored.items():
        if dataclasses.is_dataclass(kinds[name]):
            value = _revive(kinds[name], value)
        values[name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)
