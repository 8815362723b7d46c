"""Training examples, from searches through the replay buffer to the networks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Examples(NamedTuple):
    """Rows [n, inputs] and targets [n, outputs].

    Targets of a value network are in the game's own units; those of a policy network are
    probabilities as bytes, see `tacit.learn.policy_network`.
    """

    rows: NDArray[np.float32]
    values: NDArray[Any]


def join(parts: list[Examples]) -> Examples:
    """Concatenate examples."""
    rows, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Examples(rows, values)
