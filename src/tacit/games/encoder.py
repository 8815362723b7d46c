"""A game's input to a network: public features, and a column for each private key.

A game defines them in `Game.encoder()`. If it does not, `tacit.learn.encoding` derives both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tacit.games.game import State


class GameEncoder(ABC):
    """The public features and private columns of one game."""

    symmetric: bool = False
    """Whether both seats play the same game, so that the acting player can always come first."""
    staked: bool = False
    """Whether the first feature is the stake, a share of the largest payoff; it scales values."""

    @abstractmethod
    def features(self, world: State) -> NDArray[np.float32]:
        """[F] the public state of `world` as numbers; only public facts may be read."""

    def private_key(self, world: State, player: int) -> Hashable:
        """The key of the column of `player` at `world`, distinct within a public state."""
        return world.private(player)

    def private_keys(self, player: int) -> Sequence[Hashable] | None:
        """Every private key of `player`, in the order of columns; None: derive them."""
        return None

    def actions(self) -> Sequence[int] | None:
        """Every action of the players, in order; None: derive them."""
        return None

    def largest_payoff(self) -> float | None:
        """The largest payoff; None: derive it."""
        return None


def stable_bytes(key: Hashable) -> bytes:
    """Bytes for a key of plain values, tuples, sets or dataclasses, the same in every process."""
    return b"".join(_parts(key))


def _parts(key: object) -> list[bytes]:
    if isinstance(key, (tuple, list)):
        return [b"(", *(part for item in key for part in _parts(item)), b")"]
    if isinstance(key, (set, frozenset)):
        return [b"{", *sorted(stable_bytes(item) for item in key), b"}"]
    if is_dataclass(key) and not isinstance(key, type):
        return _parts((type(key).__name__, *(getattr(key, f.name) for f in fields(key))))
    return [type(key).__name__.encode(), b":", repr(key).encode(), b","]
