"""Training examples, and the replay buffer: the latest examples, in a ring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray


class Examples(NamedTuple):
    """Rows [n, inputs] and targets [n, outputs].

    Targets of a value network are in the game's own units; those of a policy network are
    probabilities as bytes, see `tacit.learn.network.SCALE`.
    """

    rows: NDArray[np.float32]
    values: NDArray[Any]


def join(parts: list[Examples]) -> Examples:
    """Concatenate examples."""
    rows, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Examples(rows, values)


class Replay:
    """The last `capacity` examples; `total` counts all examples so far, `first` is the oldest kept.

    rows: float32 [capacity, inputs]; values: `dtype` [capacity, outputs].
    """

    def __init__(
        self, capacity: int, inputs: int, outputs: int, dtype: type[np.generic] = np.float32
    ) -> None:
        self.rows = np.zeros((capacity, inputs), dtype=np.float32)
        self.values: NDArray[Any] = np.zeros((capacity, outputs), dtype=dtype)
        self.total = 0
        self.first = 0

    def __len__(self) -> int:
        return self.total - self.first

    def add(self, examples: Examples) -> None:
        """Add examples; they replace the oldest."""
        capacity = len(self.rows)
        rows, values = examples.rows[-capacity:], examples.values[-capacity:]
        places = (self.total + np.arange(len(rows))) % capacity
        self.rows[places], self.values[places] = rows, values
        self.total += len(rows)
        self.first = max(self.first, self.total - capacity)

    def drop_half(self) -> None:
        """Drop the older half, made by a network that had learnt little."""
        self.first += len(self) // 2

    def mark(self, count: int) -> Callable[[], None]:
        """Call what it returns to undo everything since, if at most `count` examples are added."""
        capacity, total, first = len(self.rows), self.total, self.first
        places = (total + np.arange(min(count, capacity))) % capacity
        rows, values = self.rows[places], self.values[places]

        def undo() -> None:
            self.rows[places], self.values[places] = rows, values
            self.total, self.first = total, first

        return undo

    def sample(self, count: int, random: np.random.Generator) -> Examples:
        """Examples drawn uniformly, with replacement."""
        places = (self.first + random.integers(0, len(self), count)) % len(self.rows)
        return Examples(self.rows[places], self.values[places])

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        kept = min(self.total, len(self.rows))
        rows, values = torch.from_numpy(self.rows[:kept]), torch.from_numpy(self.values[:kept])
        return {"rows": rows, "values": values, "total": self.total, "first": self.first}

    def restore(self, state: dict[str, Any]) -> None:
        """Resume from `state`."""
        kept = len(state["rows"])
        self.rows[:kept], self.values[:kept] = state["rows"].numpy(), state["values"].numpy()
        self.total, self.first = state["total"], state["first"]
