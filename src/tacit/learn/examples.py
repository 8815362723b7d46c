"""Training data, as it travels from searches through the replay buffer to the networks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Examples(NamedTuple):
    """Rows [n, inputs], and what the network is to answer to each [n, outputs].

    For a value network these are values in the game's own units; for a policy network the
    probabilities in bytes of `tacit.learn.policy_network`.
    """

    rows: NDArray[np.float32]
    values: NDArray[Any]


def join(parts: list[Examples]) -> Examples:
    """Examples one after the other."""
    rows, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Examples(rows, values)
