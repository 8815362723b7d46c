"""A preset for each game: the settings that `tacit train GAME` starts from."""

from __future__ import annotations

import difflib

from tacit.games import GameError
from tacit.learn.settings import Settings

PRESETS: dict[str, Settings] = {
    preset.game: preset
    for preset in (
        Settings(game="liars-dice-1x4"),
        Settings(game="liars-dice-1x5"),
        Settings(game="liars-dice-1x6"),
        Settings(game="liars-dice-2x3"),
        Settings(game="kuhn", tables=2, table_size=32, epochs=50, depth=1),
        Settings(game="rock-paper-scissors", tables=2, table_size=32, epochs=50, depth=1),
        Settings(game="leduc"),
        Settings(game="pursuit-glasses"),
    )
}


def find_preset(name: str) -> Settings:
    """The preset called `name`; GameError names the nearest one if there is none."""
    if name in PRESETS:
        return PRESETS[name]
    near = difflib.get_close_matches(name, PRESETS, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(PRESETS)}"
    raise GameError(f"no preset for {name!r}; {hint}")
