"""Tasks give the same in this process and in others, in their order."""

from __future__ import annotations

import pytest

from tacit.cluster import Executor, Processes, ThisProcess, executor_of
from tacit.games import GameError


class Add:
    """A set-up that counts how often it was made in its process."""

    def __init__(self, more: int) -> None:
        self.more = more

    def __call__(self):  # type: ignore[no-untyped-def]
        return lambda task: task + self.more


def refuse():  # type: ignore[no-untyped-def]
    def work(task: int) -> int:
        raise GameError(f"no task {task}")

    return work


@pytest.mark.parametrize("executor", [ThisProcess(), Processes(1), Processes(3)])
def test_results_come_in_the_order_of_the_tasks(executor: Executor) -> None:
    told: dict[int, int] = {}
    with executor.open(Add(10)) as session:
        first, second = session.submit(range(7)), session.submit([100])
        assert second.results() == [110]
        assert first.results(told.__setitem__) == list(range(10, 17))
        assert session.submit([]).results() == []
    assert told == {number: 10 + number for number in range(7)}


@pytest.mark.parametrize("executor", [ThisProcess(), Processes(1)])
def test_an_error_of_a_task_is_raised(executor: Executor) -> None:
    with executor.open(refuse) as session, pytest.raises(GameError, match="no task 5"):
        session.submit([5]).results()


def test_an_executor_is_made_from_the_number_of_workers() -> None:
    assert executor_of(0) == ThisProcess()
    assert executor_of(2) == Processes(2)
    with pytest.raises(GameError, match="at least 1 process"):
        Processes(0)
