"""The replay buffer: the latest examples, in a ring."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.learn.examples import Examples


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

    def mark(self, count: int) -> dict[str, Any]:
        """What `return_to` needs to undo adding the next `count` examples."""
        capacity = len(self.rows)
        places = (self.total + np.arange(min(count, capacity))) % capacity
        kept = Examples(self.rows[places], self.values[places])
        return {"places": places, "kept": kept, "total": self.total, "first": self.first}

    def return_to(self, mark: dict[str, Any]) -> None:
        """Restore the state of `mark`."""
        self.rows[mark["places"]], self.values[mark["places"]] = mark["kept"]
        self.total, self.first = mark["total"], mark["first"]

    def sample(self, count: int, random: np.random.Generator) -> Examples:
        """Examples drawn uniformly, with replacement."""
        places = (self.first + random.integers(0, len(self), count)) % len(self.rows)
        return Examples(self.rows[places], self.values[places])

    def state(self) -> dict[str, int | NDArray[Any]]:
        """What a checkpoint keeps."""
        kept = min(self.total, len(self.rows))
        rows, values = self.rows[:kept], self.values[:kept]
        return {"rows": rows, "values": values, "total": self.total, "first": self.first}

    def restore(self, state: dict[str, int | NDArray[Any]]) -> None:
        """Resume from `state`."""
        rows, values = state["rows"], state["values"]
        assert isinstance(rows, np.ndarray)
        assert isinstance(values, np.ndarray)
        self.rows[: len(rows)], self.values[: len(values)] = rows, values
        self.total, self.first = int(state["total"]), int(state["first"])
