"""The grid of 169 classes of hands: what each does, in colours or letters, or how much is held.

Pairs are on the diagonal, suited hands above it, offsuit hands below. A cell is filled in
proportion to its actions; the more of the class comes here, the stronger its colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tacit.games.holdem.cards import CLASS_NAMES, HAND_CLASS, RANKS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Console
    from rich.text import Text

Colour = tuple[int, int, int]

FOLDS: Colour = (74, 128, 190)
CHECKS: Colour = (92, 172, 104)
RAISES: tuple[Colour, ...] = ((240, 168, 124), (229, 110, 82), (196, 58, 58), (146, 28, 48))
ALL_IN: Colour = (96, 16, 56)
HELD: Colour = (222, 178, 64)
EMPTY: Colour = (38, 38, 42)
COLOUR_WIDTH, LETTER_WIDTH = 6, 8
LEAST = 0.15
"""How strong the colours of a class are of which next to nothing comes here."""


@dataclass(frozen=True)
class Action:
    """An action as people are shown it."""

    label: str
    words: str
    letter: str
    colour: Colour


@dataclass(frozen=True)
class Cell:
    """A class of hands: how much of it is here, from 0 to 1, and the shares of its actions."""

    name: str
    strength: float
    shares: tuple[float, ...]


def colours(labels: Sequence[str], *, all_in: str | None = None) -> list[Colour]:
    """A colour for each action: folds blue, checks and calls green, raises from orange to red."""
    raises = [label for label in labels if label[0] == "r"]
    found = []
    for label in labels:
        if label[0] != "r":
            found.append(FOLDS if label == "f" else CHECKS)
        elif label == all_in and len(raises) > 1:
            found.append(ALL_IN)
        else:
            place = raises.index(label)
            steps = max(1, len(raises) - 1)
            found.append(RAISES[round(place * (len(RAISES) - 1) / steps)])
    return found


def letters(labels: Sequence[str], *, all_in: str | None = None) -> list[str]:
    """A letter for each action: f, k, c, a for all in, and the raises by number."""
    found, number = [], 0
    for label in labels:
        if label[0] != "r":
            found.append(label)
        elif label == all_in:
            found.append("a")
        else:
            number += 1
            found.append(str(number))
    return found


def policy_cells(
    policy: NDArray[np.float64], weights: NDArray[np.float64], held: NDArray[np.float64]
) -> list[Cell | None]:
    """[169] what each class does; policy [A, 1326], weights and reach (`held`) [1326]."""
    import numpy as np

    total = np.bincount(HAND_CLASS, weights=weights, minlength=169)
    shares = np.stack(
        [
            np.bincount(HAND_CLASS, weights=np.nan_to_num(row) * weights, minlength=169)
            for row in policy
        ]
    )
    strength = _strength(held)
    return [
        Cell(CLASS_NAMES[n], strength[n], tuple((shares[:, n] / total[n]).tolist()))
        if total[n] > 0
        else None
        for n in range(169)
    ]


def range_cells(weights: NDArray[np.floating], live: NDArray[np.bool_]) -> list[Cell | None]:
    """[169] how much of each class a range [1326] holds, of the hands that are `live`."""
    import numpy as np

    possible = np.bincount(HAND_CLASS, weights=live, minlength=169)
    held = np.bincount(HAND_CLASS, weights=weights, minlength=169)
    return [
        Cell(CLASS_NAMES[n], 1.0, (float(held[n] / possible[n]),)) if held[n] > 0 else None
        for n in range(169)
    ]


def _strength(held: NDArray[np.float64]) -> list[float]:
    """[169] the mean reach of each class's hands that are here, next to the largest."""
    import numpy as np

    here = np.bincount(HAND_CLASS, weights=held > 0, minlength=169)
    mean = np.bincount(HAND_CLASS, weights=held, minlength=169) / np.maximum(here, 1)
    strength: list[float] = (mean / max(mean.max(), 1e-30)).tolist()
    return strength


def fill(shares: Sequence[float], width: int) -> list[int | None]:
    """Which action each of `width` equal parts of a cell belongs to; None past their sum."""
    found: list[int | None] = []
    for part in range(width):
        middle, upto, here = (part + 0.5) / width, 0.0, None
        for number, share in enumerate(shares):
            upto += share
            if middle < upto + 1e-9:
                here = number
                break
        found.append(here)
    return found


def mix(colour: Colour, strength: float, base: Colour = EMPTY) -> Colour:
    """`colour`, the nearer to `base` the smaller `strength`."""
    share = LEAST + (1 - LEAST) * min(1.0, max(0.0, strength))
    first, second, third = (
        round(share * c + (1 - share) * b) for c, b in zip(colour, base, strict=True)
    )
    return first, second, third


def print_grid(
    screen: Console, cells: Sequence[Cell | None], palette: Sequence[Colour], marks: Sequence[str]
) -> None:
    """The grid: in colour where the screen has any, else with the letters of `marks`."""
    from rich.text import Text

    if screen.color_system is None:
        legend = "   ".join(f"{rank:<{LETTER_WIDTH - 3}}" for rank in reversed(RANKS))
        screen.print(f"  {legend}".rstrip(), soft_wrap=True)
        for row in range(13):
            line = [_letters(cells[13 * row + column], marks) for column in range(13)]
            screen.print(f"{RANKS[12 - row]} {''.join(line)}".rstrip(), soft_wrap=True)
        return
    for row in range(13):
        text = Text()
        for column in range(13):
            number = 13 * row + column
            text.append_text(_colours(CLASS_NAMES[number], cells[number], palette))
        screen.print(text, soft_wrap=True)


def _letters(cell: Cell | None, marks: Sequence[str]) -> str:
    if cell is None:
        return "·".ljust(LETTER_WIDTH)
    parts = fill(cell.shares, LETTER_WIDTH - 4)
    bar = "".join("." if part is None else marks[part] for part in parts)
    return f"{cell.name:<3}{bar} "


def _colours(name: str, cell: Cell | None, palette: Sequence[Colour]) -> Text:
    from rich.text import Text

    label = f" {name}".ljust(COLOUR_WIDTH)
    text = Text()
    if cell is None:
        text.append(label, style=f"rgb(90,90,96) on {_rgb(EMPTY)}")
        return text
    for character, part in zip(label, fill(cell.shares, COLOUR_WIDTH), strict=True):
        colour = EMPTY if part is None else mix(palette[part], cell.strength)
        dark = sum(colour) < 330
        ink = "rgb(240,240,240)" if dark else "rgb(16,16,16)"
        text.append(character, style=f"{ink} on {_rgb(colour)}")
    return text


def _rgb(colour: Colour) -> str:
    return f"rgb({colour[0]},{colour[1]},{colour[2]})"


def swatch(action: Action, *, coloured: bool) -> str:
    """What stands for an action in a legend, as rich's markup."""
    return f"[on {_rgb(action.colour)}]   [/]" if coloured else action.letter
