"""Presets: the settings that `tacit train NAME` starts from, one for each game and a quick one."""

from __future__ import annotations

import difflib
from dataclasses import replace

from tacit.games import GameError
from tacit.learn.settings import Settings

PRESETS: dict[str, Settings] = {
    preset.game: preset
    for preset in (
        Settings(game="liars-dice-1x4", epochs=70, halve_every=10),
        Settings(game="liars-dice-1x5", epochs=70, halve_every=10),
        Settings(game="liars-dice-1x6", epochs=60, halve_every=9),
        Settings(game="liars-dice-2x3", epochs=60, halve_every=9),
        Settings(
            game="liars-dice-2x5",
            epochs=70,
            halve_every=10,
            iterations=64,
            table_size=64,
            play_iterations=64,
            judge_every=0,
        ),
        Settings(game="leduc", stop="round"),
        Settings(game="kuhn", epochs=40, halve_every=6, depth=1, table_size=64, hidden=(64, 64)),
        Settings(
            game="rock-paper-scissors",
            epochs=40,
            halve_every=6,
            depth=1,
            table_size=64,
            hidden=(64, 64),
        ),
        Settings(
            game="pursuit-glasses",
            epochs=40,
            halve_every=6,
            depth=6,
            iterations=128,
            table_size=128,
        ),
    )
}


QUICK = "liars-dice-1x4-quick"
"""Learns in about two minutes on two cores."""
PRESETS[QUICK] = replace(
    PRESETS["liars-dice-1x4"], epochs=40, halve_every=6, iterations=128, judge_every=8
)


def find_preset(name: str) -> Settings:
    """The preset called `name`; GameError names the nearest one if there is none."""
    if name in PRESETS:
        return PRESETS[name]
    near = difflib.get_close_matches(name, PRESETS, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(PRESETS)}"
    raise GameError(f"no preset for {name!r}; {hint}")
