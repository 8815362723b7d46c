"""Presets: the settings that `tacit train NAME` starts from.

Each game of the package that is learnt has one. The games of ReBeL's Table 2 also have one for
CFR-D and one for fictitious play, as in the paper, and there is a quick one. Presets of Student of
Games end in `-sog`. Any other game gets settings by its size.
"""

from __future__ import annotations

from tacit.games import CHANCE, Game, GameError
from tacit.learn.encoding import MAX_PAIRS, Encoding
from tacit.learn.holdem.settings import HoldemSettings
from tacit.learn.settings import Settings
from tacit.suggest import unknown
from tacit.tree.builder import Builder, before_chance

PAPER_GAMES = tuple(f"liars-dice-{size}" for size in ("1x4", "1x5", "1x6", "2x3"))
"""Of ReBeL's Table 2."""

SOUND = Settings().replace(
    algorithm="dcfr", mode="cfr-avg-sound", pairs=True, tremble=0.03, iterations=128,
    play_iterations=128, huber=1.0, epochs=80, halve_every=11, evaluate_every=20,
    evaluate_playthroughs=128,
)  # fmt: skip
"""Sound CFR-AVG with a network that answers for pairs of infostates."""

FICTITIOUS = SOUND.replace(
    algorithm="soft-flop", tremble=0.1, blur=0.04, iterations=256, play_iterations=256, epochs=120,
    halve_every=16, batch=1024, evaluate_every=0,
)  # fmt: skip
"""Sound fictitious play."""

TINY = Settings().replace(epochs=40, halve_every=6, depth=1, table_size=64, hidden=(64, 64))
"""For games with few public states."""

LEDUC = SOUND.replace(
    game="leduc", stop="round", iterations=256, play_iterations=256, halve_every=10, batch=1024,
    evaluate_playthroughs=256,
)  # fmt: skip
LARGE_DICE = Settings().replace(
    game="liars-dice-2x5", epochs=70, halve_every=10, iterations=64, table_size=64,
    play_iterations=64, evaluate_every=0,
)  # fmt: skip
PURSUIT = Settings().replace(
    game="pursuit-glasses", epochs=40, halve_every=6, depth=6, iterations=128, table_size=128
)

STUDENT = Settings().replace(
    method="student-of-games", cvpn=True, algorithm="dcfr", alternating=True, simulations=100,
    table_size=64, explore=0.1, search_queries=5.0, recursive_queries=0.4, batch=1024, huber=0.5,
    epochs=150, halve_every=25, evaluate_every=25, evaluate_playthroughs=3, keep_every=25,
)  # fmt: skip
"""Student of Games where something is hidden: queries are learnt from, not outcomes."""
TINY_STUDENT = STUDENT.replace(
    simulations=50, hidden=(64, 64), table_size=32, epochs=40, halve_every=8, evaluate_every=20,
    batch=256, keep_every=0,
)  # fmt: skip
BOARD = Settings().replace(
    method="student-of-games", cvpn=True, simulations=64, temperature=1.5,
    table_size=64, explore=0.05, outcome_targets=1.0, search_queries=0.2, recursive_queries=0.1,
    resign_below=-0.9, greedy_after=12, hidden=(64,), batch=512, huber=1.0, learning_rate=3e-3,
    policy_weight=1.0, steps=100, epochs=200, halve_every=50, play_simulations=200,
    play_greedy=True, evaluate_every=0,
)  # fmt: skip
"""Student of Games where nothing is hidden: games are learnt from their outcomes."""
GO = BOARD.replace(
    cell_policy=True, tables=2, table_size=32, expansions=2.0, outcome_share=0.5,
    remembered=200_000, batch=256, steps=60, learning_rate=2e-3, epochs=60, halve_every=16,
    keep_every=10,
)  # fmt: skip
"""Small epochs: the eight symmetries of a board make up for few games."""
STUDENTS = (
    *(TINY_STUDENT.replace(game=game) for game in ("kuhn", "rock-paper-scissors")),
    STUDENT.replace(game="leduc"),
    *(
        STUDENT.replace(game=game, epochs=90, halve_every=15, evaluate_every=0, keep_every=30)
        for game in ("liars-dice-1x4", "liars-dice-1x6")
    ),
    STUDENT.replace(game="pursuit-glasses", epochs=80, halve_every=13),
    BOARD.replace(game="tic-tac-toe", channels=16, blocks=2, epochs=60, halve_every=15,
                  play_simulations=100, greedy_after=6),
    BOARD.replace(game="connect-four", simulations=48, expansions=2.0, outcome_share=0.5,
                  remembered=200_000, batch=256, steps=150, epochs=100, halve_every=25,
                  keep_every=10),
    GO.replace(game="go-5x5", simulations=40, blocks=3, epochs=200, halve_every=50, keep_every=50),
    GO.replace(game="go-7x7", simulations=48, blocks=4, greedy_after=16, epochs=160,
               halve_every=40, keep_every=40),
)  # fmt: skip

PRESETS: dict[str, Settings] = {
    **{game: SOUND.replace(game=game) for game in PAPER_GAMES},
    **{preset.game: preset for preset in (LEDUC, LARGE_DICE)},
    **{game: TINY.replace(game=game) for game in ("kuhn", "rock-paper-scissors")},
    PURSUIT.game: PURSUIT,
    **{
        f"{game}-cfr-d": Settings().replace(
            game=game, epochs=epochs, halve_every=halve_every, iterations=iterations
        )
        for game, epochs, halve_every, iterations in zip(
            PAPER_GAMES, (70, 70, 60, 60), (10, 10, 9, 9), (416, 480, 352, 448), strict=True
        )
    },
    **{f"{game}-fp": FICTITIOUS.replace(game=game) for game in PAPER_GAMES},
    **{f"{preset.game}-sog": preset for preset in STUDENTS},
}
QUICK = "liars-dice-1x4-quick"
"""Learns in about a minute on two cores; with fewer playthroughs its measurement is noise."""
PRESETS[QUICK] = PRESETS["liars-dice-1x4"].replace(
    iterations=64, epochs=60, halve_every=8, evaluate_every=20, evaluate_playthroughs=512
)
HOLDEM: dict[str, HoldemSettings] = {
    preset.name: preset
    for preset in (
        HoldemSettings(),
        HoldemSettings(name="holdem-turn-random").replace(random_epochs=HoldemSettings().epochs),
    )
}
"""Turn endgame hold'em (ReBeL, C.2), by self-play and with random beliefs only."""
STREET_RUNS = ("holdem-flop", "holdem-preflop")
"""Hold'em at the end of the flop and before it: see `tacit.learn.holdem.streets.run`."""
ROUND_STATES = 2000
"""Largest number of public states of a round that is searched to its end."""


def presets_of(game: str) -> list[str]:
    """The names of a game's presets; the game's name if it has none."""
    return [name for name, preset in PRESETS.items() if preset.game == game] or [game]


def find_preset(name: str) -> Settings:
    """The preset called `name`; GameError names the nearest one if there is none."""
    if name in PRESETS:
        return PRESETS[name]
    raise GameError(unknown("preset", name, [*PRESETS, *HOLDEM, *STREET_RUNS]))


def settings_for(game: Game) -> Settings:
    """The preset of a game, or settings by its size if it has none.

    The network answers pairs of infostates if they are few enough, else CFR-D is used. Searches end
    with the round if it is short, else after two moves. A game with too many public states to list
    is not measured while it trains.
    """
    if game.name in PRESETS:
        return PRESETS[game.name]
    builder = Builder(game)
    encoding = Encoding(builder, joint=True)
    pairs = encoding.width**2 <= MAX_PAIRS
    settings = SOUND if pairs else Settings().replace(iterations=128, play_iterations=128)
    if encoding.states is None:
        return settings.replace(game=game.name, evaluate_every=0)
    chance = any(state.mover == CHANCE for state in encoding.states)
    if chance and builder.size(builder.root, stop=before_chance).public_states <= ROUND_STATES:
        settings = settings.replace(stop="round")
    return settings.replace(game=game.name, batch=1024)
