"""Presets: the settings that `tacit train NAME` starts from.

There is one for each game; for the games of ReBeL's Table 2 also one that trains by CFR-D and one
by fictitious play, as the paper does; and a quick one.
"""

from __future__ import annotations

from dataclasses import replace

from tacit.games import GameError
from tacit.learn.settings import Settings
from tacit.suggest import unknown

SOUND = Settings(
    algorithm="dcfr",
    mode="cfr-avg-sound",
    pairs=True,
    tremble=0.03,
    iterations=128,
    play_iterations=128,
    huber=1.0,
    epochs=80,
    halve_every=11,
    judge_every=20,
    judge_playthroughs=128,
)
"""Sound CFR-AVG with a network that answers for pairs of infostates."""

PRESETS: dict[str, Settings] = {
    preset.game: preset
    for preset in (
        replace(SOUND, game="liars-dice-1x4"),
        replace(SOUND, game="liars-dice-1x5"),
        replace(SOUND, game="liars-dice-1x6"),
        replace(SOUND, game="liars-dice-2x3"),
        replace(
            SOUND,
            game="leduc",
            stop="round",
            iterations=256,
            play_iterations=256,
            halve_every=10,
            batch=1024,
            judge_playthroughs=256,
        ),
        Settings(
            game="liars-dice-2x5",
            epochs=70,
            halve_every=10,
            iterations=64,
            table_size=64,
            play_iterations=64,
            judge_every=0,
        ),
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
PRESETS |= {
    f"{preset.game}-cfr-d": preset
    for preset in (
        Settings(game="liars-dice-1x4", epochs=70, halve_every=10, iterations=416),
        Settings(game="liars-dice-1x5", epochs=70, halve_every=10, iterations=480),
        Settings(game="liars-dice-1x6", epochs=60, halve_every=9, iterations=352),
        Settings(game="liars-dice-2x3", epochs=60, halve_every=9, iterations=448),
    )
}
FICTITIOUS = replace(
    SOUND,
    algorithm="soft-flop",
    tremble=0.1,
    blur=0.04,
    iterations=256,
    play_iterations=256,
    epochs=120,
    halve_every=16,
    batch=1024,
    judge_every=0,
)
"""Sound fictitious play."""
PRESETS |= {
    f"{game}-fp": replace(FICTITIOUS, game=game)
    for game in ("liars-dice-1x4", "liars-dice-1x5", "liars-dice-1x6", "liars-dice-2x3")
}
QUICK = "liars-dice-1x4-quick"
"""Learns in about two minutes on two cores."""
PRESETS[QUICK] = replace(
    PRESETS["liars-dice-1x4"], iterations=64, epochs=60, halve_every=8, judge_every=12
)


def presets_of(game: str) -> list[str]:
    """The names of the presets of a game; the game's own if there is none."""
    return [name for name, preset in PRESETS.items() if preset.game == game] or [game]


def find_preset(name: str) -> Settings:
    """The preset called `name`; GameError names the nearest one if there is none."""
    if name in PRESETS:
        return PRESETS[name]
    raise GameError(unknown("preset", name, PRESETS))
