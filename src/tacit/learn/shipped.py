"""The trained networks in the package, one for each preset.

Each file holds the settings, seed included, that made it; `TrainedNetwork.command` writes them as
a command.
"""

from __future__ import annotations

from pathlib import Path

from tacit.games import GameError
from tacit.learn.settings import Effort

FOLDER = Path(__file__).parent / "networks"
SECOND = FOLDER / "second"
"""Networks of second trainings, with another seed, for tables over trainings."""

PLAYED = {
    game: Effort(iterations=512, depth=6)
    for game in ("liars-dice-1x4", "liars-dice-1x5", "liars-dice-1x6", "liars-dice-2x3")
}
"""By game: the search of `tacit play` where another one than in training has a smaller mean
exploitability."""


def shipped() -> dict[str, Path]:
    """The networks in the package, by game."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.pt"))}


def find_network(name: str | Path) -> Path:
    """The network of a run's folder, of a file, or of a game in the package."""
    path = Path(name)
    if path.exists():
        return path
    known = shipped()
    if str(name) in known:
        return known[str(name)]
    raise GameError(
        f"{name} is neither a run, nor a file, nor a game whose network comes with tacit; "
        f"these do: {', '.join(known) or 'none'}"
    )
