"""What a network sees and answers of a game: features, private columns, policy outputs, symmetries.

A game defines them in `Game.encoder()`. What it does not define `tacit.learn.encoding` derives.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tacit.games.game import State


class Symmetry(NamedTuple):
    """A symmetry of a game as two permutations: of its features and of its policy outputs.

    features: int32 [F]: the mirrored state has the features `row[features]`, where `row` [F] are
    the state's own, flattened. outputs: int32 [O]: it has the policy `policy[outputs]`.
    """

    features: NDArray[np.int32]
    outputs: NDArray[np.int32]


class GameEncoder(ABC):
    """The features, private columns, policy outputs and symmetries of one game.

    Each of the network's policy outputs belongs to an action key, each of its belief columns to a
    private key.
    """

    symmetric: bool = False
    """Whether the acting player always comes first in features, beliefs and values: both seats
    play the same game, or the features say which seat it is."""
    staked: bool = False
    """Whether the first feature is the stake, a share of the largest payoff; it scales values."""

    @abstractmethod
    def features(self, world: State) -> NDArray[np.float32]:
        """[F] or planes [P, height, width]: the public state of `world` as numbers.

        Only public facts may be read; the shape is the same for all states.
        """

    def private_key(self, world: State, player: int) -> Hashable:
        """The key of the column of `player` at `world`, distinct within a public state."""
        return world.private(player)

    def private_keys(self, player: int) -> Sequence[Hashable] | None:
        """Every private key of `player`, in the order of columns; None: derive them."""
        return None

    def action_key(self, world: State, action: int) -> Hashable:
        """The key of the policy output of `action`, distinct within a public state.

        It is the same in all worlds of a public state.
        """
        return world.label(action)

    def action_keys(self) -> Sequence[Hashable] | None:
        """Every action key of the players, in the order of policy outputs; None: derive them."""
        return None

    def symmetries(self) -> Sequence[Symmetry]:
        """The game's symmetries, the identity first; empty: there are none."""
        return ()

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
