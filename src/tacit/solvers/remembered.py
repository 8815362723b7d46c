"""An evaluator that remembers its answers: where nothing is hidden, searches ask the same again.

A state is evaluated once (Student of Games, *Performance Guarantees for Continual Re-solving*) in
all searches of a game, not only in one: consecutive searches share most of their trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.solvers.growing_leaves import ValuePolicyEvaluator

Array = NDArray[Any]


class RememberedAnswers:
    """A value-and-policy evaluator that asks another one only for rows that it does not know.

    capacity: the number of rows that are remembered; when it is reached, all are forgotten.
    """

    def __init__(self, evaluator: ValuePolicyEvaluator, capacity: int) -> None:
        self.evaluator = evaluator
        self.capacity = capacity
        self.guide = evaluator.guide
        self.inputs = evaluator.inputs
        self.describe = evaluator.describe
        self.input_columns = evaluator.input_columns
        self.output_columns = evaluator.output_columns
        self.action_columns = evaluator.action_columns
        self._known: dict[bytes, tuple[Array, Array]] = {}

    def answer(
        self, inputs: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """[n, outputs] expected values and [n, policy outputs] weights of rows [n, inputs]."""
        known = self._known
        keys = [row.tobytes() for row in inputs]
        new = {key: number for number, key in enumerate(keys) if key not in known}
        if len(known) + len(new) > self.capacity:
            known.clear()
            new = {key: number for number, key in enumerate(keys)}
        if new:
            answers = self.evaluator.answer(inputs[list(new.values())])
            known.update(zip(new, zip(*answers, strict=True), strict=True))
        values, policies = zip(*(known[key] for key in keys), strict=True)
        return np.stack(values), np.stack(policies)

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """[n, outputs] expected values."""
        return self.answer(inputs)[0]
