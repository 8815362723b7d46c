"""Presets: the settings that `tacit train NAME` starts from.

Each game of the package that is learnt has one. The games of ReBeL's Table 2 also have one for
CFR-D and one for fictitious play, as in the paper, and there is a quick one. Any other game gets
settings by its size.
"""

from __future__ import annotations

from tacit.games import CHANCE, GameError
from tacit.learn.encoding import MAX_PAIRS, Encoding
from tacit.learn.settings import Settings
from tacit.suggest import unknown
from tacit.tree.builder import before_chance

SOUND = Settings().replace(
    algorithm="dcfr",
    mode="cfr-avg-sound",
    pairs=True,
    tremble=0.03,
    iterations=128,
    play_iterations=128,
    huber=1.0,
    epochs=80,
    halve_every=11,
    evaluate_every=20,
    evaluate_playthroughs=128,
)
"""Sound CFR-AVG with a network that answers for pairs of infostates."""

TINY = Settings().replace(epochs=40, halve_every=6, depth=1, table_size=64, hidden=(64, 64))
"""For games with few public states."""

PRESETS: dict[str, Settings] = {
    preset.game: preset
    for preset in (
        *(SOUND.replace(game=f"liars-dice-{size}") for size in ("1x4", "1x5", "1x6", "2x3")),
        SOUND.replace(
            game="leduc",
            stop="round",
            iterations=256,
            play_iterations=256,
            halve_every=10,
            batch=1024,
            evaluate_playthroughs=256,
        ),
        Settings().replace(
            game="liars-dice-2x5",
            epochs=70,
            halve_every=10,
            iterations=64,
            table_size=64,
            play_iterations=64,
            evaluate_every=0,
        ),
        TINY.replace(game="kuhn"),
        TINY.replace(game="rock-paper-scissors"),
        Settings().replace(
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
    f"liars-dice-{size}-cfr-d": Settings().replace(
        game=f"liars-dice-{size}", epochs=epochs, halve_every=halve_every, iterations=iterations
    )
    for size, epochs, halve_every, iterations in (
        ("1x4", 70, 10, 416),
        ("1x5", 70, 10, 480),
        ("1x6", 60, 9, 352),
        ("2x3", 60, 9, 448),
    )
}
FICTITIOUS = SOUND.replace(
    algorithm="soft-flop",
    tremble=0.1,
    blur=0.04,
    iterations=256,
    play_iterations=256,
    epochs=120,
    halve_every=16,
    batch=1024,
    evaluate_every=0,
)
"""Sound fictitious play."""
PRESETS |= {
    f"liars-dice-{size}-fp": FICTITIOUS.replace(game=f"liars-dice-{size}")
    for size in ("1x4", "1x5", "1x6", "2x3")
}
QUICK = "liars-dice-1x4-quick"
"""Learns in about a minute on two cores; with fewer playthroughs its measurement is noise."""
PRESETS[QUICK] = PRESETS["liars-dice-1x4"].replace(
    iterations=64, epochs=60, halve_every=8, evaluate_every=20, evaluate_playthroughs=512
)
ROUND_STATES = 2000
"""Largest number of public states of a round that is searched to its end."""


def presets_of(game: str) -> list[str]:
    """The names of a game's presets; the game's name if it has none."""
    return [name for name, preset in PRESETS.items() if preset.game == game] or [game]


def find_preset(name: str) -> Settings:
    """The preset called `name`; GameError names the nearest one if there is none."""
    if name in PRESETS:
        return PRESETS[name]
    raise GameError(unknown("preset", name, PRESETS))


def settings_for(encoding: Encoding) -> Settings:
    """The preset of a game, or settings by its size if it has none.

    The network answers pairs of infostates if they are few enough, else CFR-D is used. Searches end
    with the round if it is short, else after two moves. A game with too many public states to list
    is not measured while it trains.
    """
    builder = encoding.builder
    name = builder.game.name
    if name in PRESETS:
        return PRESETS[name]
    pairs = encoding.width**2 <= MAX_PAIRS
    settings = SOUND if pairs else Settings().replace(iterations=128, play_iterations=128)
    if encoding.states is None:
        return settings.replace(game=name, evaluate_every=0)
    chance = any(state.mover == CHANCE for state in encoding.states)
    if chance and builder.size(builder.root, stop=before_chance).public_states <= ROUND_STATES:
        settings = settings.replace(stop="round")
    return settings.replace(game=name, batch=1024)
