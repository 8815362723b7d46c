"""Everything that a training run can be told, in one place, and a preset for each game."""

from __future__ import annotations

import dataclasses
import json
import typing
from dataclasses import dataclass
from typing import Any

from tacit.games import GameError
from tacit.learn.encoding import Encoding
from tacit.learn.self_play import SearchSettings, Stop
from tacit.solve.depth_limited import Mode
from tacit.suggest import unknown
from tacit.tree import Builder


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A training run. An epoch is one task for every table, then gradient steps.

    The search: `algorithm`, `mode`, `iterations` (updates of both players), `depth` in public moves
    or `stop=round`, `warm_start`, `tremble`, `blur`, as in `SearchSettings`. Self-play: `tables` of
    `table_size` games each play `rounds` subgames an epoch, and one player explores with
    probability `explore`; with `random_beliefs` subgames start at random public states with random
    beliefs instead, which is the ablation of ReBeL's Fig. 2. Learning: `hidden` layers, `joint` for
    one network that answers for both players at once, `pairs` for one that answers for pairs of
    infostates, as the mode `cfr-avg-sound` needs, `policy` for a policy network of the same size
    beside it; `steps` of Adam an epoch on `batch` examples from the last `buffer`, at
    `learning_rate`, halved every `halve_every` epochs; the older half of the buffer is dropped
    once, after `drop_after` epochs. The trained network is played with searches of
    `play_iterations`; their exploitability is measured every `judge_every` epochs (0: never) over
    `judge_playthroughs`.
    """

    game: str = "liars-dice-1x4"
    seed: int = 0
    epochs: int = 100
    algorithm: str = "quadratic-cfr"
    mode: Mode = "cfr-d"
    iterations: int = 256
    depth: int = 2
    stop: Stop = "depth"
    warm_start: int = 0
    tremble: float = 0.0
    blur: float = 0.0
    tables: int = 2
    table_size: int = 256
    rounds: int = 2
    explore: float = 0.5
    random_beliefs: bool = False
    hidden: tuple[int, ...] = (128, 128, 128)
    joint: bool = True
    pairs: bool = False
    policy: bool = False
    steps: int = 100
    batch: int = 256
    learning_rate: float = 1e-2
    halve_every: int = 15
    buffer: int = 80_000
    drop_after: int = 20
    huber: float = 0.1
    play_iterations: int = 256
    judge_every: int = 25
    judge_playthroughs: int = 32

    def encoding(self, builder: Builder) -> Encoding:
        """How PBSs become rows of the network."""
        return Encoding(builder, joint=self.joint, pairs=self.pairs)

    @property
    def search(self) -> SearchSettings:
        """The search that self-play runs."""
        return SearchSettings(
            algorithm=self.algorithm,
            mode=self.mode,
            iterations=self.iterations,
            depth=self.depth,
            stop=self.stop,
            warm_start=self.warm_start,
            tremble=self.tremble,
            blur=self.blur,
        )

    @property
    def play(self) -> SearchSettings:
        """The search that plays, and is measured."""
        return dataclasses.replace(self.search, iterations=self.play_iterations)

    def changed(self, changes: dict[str, str]) -> Settings:
        """These settings with some of them given anew, as text."""
        return dataclasses.replace(self, **{k: _parse(k, v) for k, v in changes.items()})

    def to_json(self) -> str:
        """The settings as one JSON object."""
        return json.dumps(dataclasses.asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """Settings from `to_json`."""
        fields = json.loads(text)
        unknown = set(fields) - {field.name for field in dataclasses.fields(cls)}
        if unknown:
            raise GameError(f"unknown settings {', '.join(sorted(unknown))}: another version's?")
        fields["hidden"] = tuple(fields["hidden"])
        return cls(**fields)


def _parse(name: str, text: str) -> Any:
    kinds = typing.get_type_hints(Settings)
    if name not in kinds:
        raise GameError(unknown("setting", name, kinds))
    kind = kinds[name]
    try:
        if kind is bool:
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        if kind == tuple[int, ...]:
            return tuple(int(part) for part in text.replace("x", ",").split(","))
        if typing.get_origin(kind) is typing.Literal:
            if text not in typing.get_args(kind):
                raise ValueError
            return text
        return kind(text)
    except (ValueError, KeyError):
        raise GameError(f"setting {name}: {text!r} is not a {_kind_name(kind)}") from None


def _kind_name(kind: Any) -> str:
    if typing.get_origin(kind) is typing.Literal:
        return "choice of " + ", ".join(typing.get_args(kind))
    return {bool: "true or false", int: "whole number", float: "number"}.get(
        kind, "list of whole numbers"
    )
