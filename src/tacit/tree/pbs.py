"""Public belief states: a public state with both players' beliefs, the unit of work.

An infostate's expected value is its counterfactual value divided by the *compatible reach*: the
opponent's reach weighed by chance, `C @ reach`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games.encoder import stable_bytes
from tacit.tree.public_state import Array, PublicState


@dataclass(frozen=True, eq=False)
class PBS:
    """A public state and the beliefs [K_0] and [K_1]; PBSs of one public state compare equal.

    `path`: the numbers of the transitions of one path from the game's first public state. A PBS
    pickles as a `PortablePBS`, without the public state.
    """

    state: PublicState
    beliefs: tuple[Array, Array]
    path: tuple[int, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PBS) and self.state.key == other.state.key

    def __hash__(self) -> int:
        return hash(self.state.key)

    def __reduce__(self) -> tuple[type[PortablePBS], tuple[Any, ...]]:
        return PortablePBS, tuple(self.portable())

    def portable(self) -> PortablePBS:
        """The PBS in plain data."""
        first, second = (
            beliefs[_order(keys)]
            for keys, beliefs in zip(self.state.privates, self.beliefs, strict=True)
        )
        return PortablePBS(self.path, (first, second))


class PortablePBS(NamedTuple):
    """A PBS in plain data: its path, and beliefs in the order of the private keys' bytes.

    That order is the same in every process, whichever path reached a public state first.
    """

    path: tuple[int, ...]
    beliefs: tuple[Array, Array]

    def at(self, root: PublicState) -> PBS:
        """The PBS among the public states below `root`, the game's first."""
        state = root
        for number in self.path:
            state = state.expansion.child(number)
        beliefs = (np.empty_like(self.beliefs[0]), np.empty_like(self.beliefs[1]))
        for keys, here, sent in zip(state.privates, beliefs, self.beliefs, strict=True):
            here[_order(keys)] = sent
        return PBS(state, beliefs, self.path)


def first_pbs(root: PublicState) -> PBS:
    """The PBS at the start of the game."""
    return PBS(root, (np.ones(root.counts[0]), np.ones(root.counts[1])))


def cfv_to_value(
    state: PublicState, player: int, cfv: Array, opponent_reach: Array
) -> NDArray[np.float64]:
    """Counterfactual values [.., K] to expected ones; zero where the compatible reach is zero."""
    total = state.compatible_reach(player, opponent_reach)
    return np.divide(cfv, total, out=np.zeros(total.shape), where=total > 0)


def value_to_cfv(state: PublicState, player: int, value: Array, opponent_reach: Array) -> Array:
    """Expected values [.., K] to counterfactual ones."""
    weighed: Array = value * state.compatible_reach(player, opponent_reach)
    return weighed


def normalised(reach: Array) -> Array:
    """Beliefs [K]: a reach [K] divided by its sum; uniform if the reach is zero."""
    total = reach.sum()
    beliefs: Array = reach / total if total > 0 else np.full(len(reach), 1 / len(reach))
    return beliefs


@lru_cache(maxsize=4096)
def _order(keys: tuple[Any, ...]) -> NDArray[np.int64]:
    """[K] the infostates in the order of their private keys' bytes."""
    return np.array(sorted(range(len(keys)), key=lambda i: stable_bytes(keys[i])), dtype=np.int64)
