"""Tasks on a Ray cluster of several nodes on this machine, of which some die."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.commands import call
from tacit.cluster import RayCluster, ThisProcess, WorkerError, find_executor
from tacit.cluster.executor import Executor
from tacit.cluster.processes import Processes
from tacit.cluster.ray_cluster import AHEAD, joined, split
from tacit.games import GameError, load_game
from tacit.learn.network import copy_weights
from tacit.learn.self_play import SelfPlay, TableResult, TableTask
from tacit.learn.settings import Settings
from tacit.learn.trainer import Run

SMALL = Settings().replace(
    game="kuhn", hidden=(16,), tables=6, table_size=4, rounds=2, iterations=16, epochs=3, buffer=512
)


class Nodes:
    """A cluster: a head that runs no tasks, and nodes of one CPU each."""

    def __init__(self, count: int) -> None:
        pytest.importorskip("ray", reason="Ray is not installed: pip install 'tacit[ray]'")
        from ray.cluster_utils import Cluster

        self.memory = {"object_store_memory": 80 << 20}
        head = {"num_cpus": 0, "include_dashboard": False, **self.memory}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.nodes = [self.add() for _ in range(count)]

    def add(self) -> Any:
        return self.cluster.add_node(num_cpus=1, **self.memory)

    def kill(self) -> None:
        """A node is gone at once, and with it the results that it holds; then another joins."""
        self.cluster.remove_node(self.nodes.pop(0), allow_graceful=False)
        self.nodes.append(self.add())

    @property
    def executor(self) -> Executor:
        return RayCluster(self.cluster.address)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    found = Nodes(2)
    yield found
    found.cluster.shutdown()


class Add:
    """A set-up that says in which process a task was run."""

    def __init__(self, more: int) -> None:
        self.more = more

    def __call__(self):  # type: ignore[no-untyped-def]
        return lambda task: task + self.more


def test_results_come_in_the_order_of_the_tasks(nodes: Nodes) -> None:
    told: dict[int, int] = {}
    with nodes.executor.open(Add(10)) as session:
        first, second = session.submit(range(20)), session.submit([100])
        assert second.results() == [110]
        assert first.results(told.__setitem__) == list(range(10, 30))
        assert session.submit([]).results() == []
    assert told == {number: 10 + number for number in range(20)}


def test_errors_of_tasks_and_set_ups_are_raised(nodes: Nodes) -> None:
    def refuse(task: int) -> int:
        raise GameError(f"no task {task}")

    def broken() -> Any:
        raise GameError("no set-up")

    with (
        nodes.executor.open(lambda: refuse) as session,
        pytest.raises(GameError, match="no task 5"),
    ):
        session.submit([5]).results()
    with (
        nodes.executor.open(broken) as session,
        pytest.raises(GameError, match="no set-up"),
    ):
        session.submit([5]).results()


def test_a_task_that_kills_every_worker_is_given_up(nodes: Nodes) -> None:
    def fatal(task: int) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return task

    with (
        nodes.executor.open(lambda: fatal) as session,
        pytest.raises(WorkerError, match="lost 5 workers"),
    ):
        session.submit([0]).results()


@dataclass(frozen=True)
class Weighted:
    """A task with a number of its own, and weights that all have in common."""

    number: int
    weights: np.ndarray


def test_what_tasks_have_in_common_is_in_the_store_once(nodes: Nodes) -> None:
    import ray

    weights = np.random.default_rng(0).random(1 << 20)  # 8 MB
    tasks = [Weighted(number, weights) for number in range(1000, 1024)]
    (kind, shared), rest = split(tasks)
    assert kind is Weighted
    assert list(shared) == ["weights"]
    assert rest == [{"number": number} for number in range(1000, 1024)]
    assert [joined((kind, shared), own).number for own in rest] == list(range(1000, 1024))
    assert split([1, 2]) == ((None, {}), [1, 2])
    assert split([]) == ((None, {}), [])

    def work(task: Weighted) -> tuple[int, float]:
        return task.number, float(task.weights.sum())

    ray.init(nodes.cluster.address, log_to_driver=False)  # a connection of the caller's own
    try:
        before = used(ray)
        with nodes.executor.open(lambda: work) as session:
            batch = session.submit(tasks)
            assert len(session.running) <= AHEAD * 2
            found = batch.results()
            # One copy for each node at most: 24 tasks with their own would take 192 MB.
            assert used(ray) - before < 40 << 20
        assert found == [(number, float(weights.sum())) for number in range(1000, 1024)]
        assert ray.is_initialized()
    finally:
        ray.shutdown()


def used(ray: Any) -> float:
    """Bytes of the object stores of all nodes that are in use."""
    resources = ray.cluster_resources(), ray.available_resources()
    whole, free = (found.get("object_store_memory", 0) for found in resources)
    return float(whole - free)


def table_tasks() -> list[TableTask]:
    player = SelfPlay(load_game("kuhn"), SMALL)
    weights, first = copy_weights(player.network), player.first.portable()
    return [TableTask(0, table, (first,) * 4, weights) for table in range(12)]


def same(first: TableResult, second: TableResult) -> bool:
    """Whether two results are equal, bit for bit."""
    return all(
        np.array_equal(mine, theirs)
        for kind, examples in first.examples.items()
        for mine, theirs in zip(examples, second.examples[kind], strict=True)
    ) and [place.path for place in first.positions] == [place.path for place in second.positions]


def test_a_node_that_dies_in_an_epoch_changes_no_example(nodes: Nodes) -> None:
    setup, tasks = partial(SelfPlay, load_game("kuhn"), SMALL), table_tasks()
    with ThisProcess().open(setup) as session:
        expected = session.submit(tasks).results()
    done = []

    def each(number: int, _: object) -> None:
        done.append(number)
        if len(done) == 3:
            nodes.kill()

    with nodes.executor.open(setup) as session:
        found = session.submit(tasks).results(each)
    assert sorted(done) == list(range(12))
    assert all(map(same, expected, found))
    assert not same(expected[0], expected[1])


@pytest.mark.slow
def test_a_run_on_the_cluster_gives_the_same_network(nodes: Nodes, tmp_path: Path) -> None:
    local, remote = (Run.create(tmp_path / name, SMALL) for name in ("local", "remote"))
    local.train(workers=0)
    remote.train(
        workers=0,
        executor=nodes.executor,
        each=lambda progress: nodes.kill() if progress.epoch == 1 else None,
    )
    ours, theirs = local.network.state_dict(), remote.network.state_dict()
    assert local.examples == remote.examples > 0
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)


@pytest.mark.slow
def test_commands_run_on_the_cluster(nodes: Nodes) -> None:
    words = "evaluate", "kuhn", "--playthroughs=64", "--json"
    where = f"--executor=ray:{nodes.cluster.address}"
    here, there = (json.loads(call(*words, *more)[1]) for more in ((), (where,)))
    assert here["exploitability"] == there["exploitability"]


def test_a_missing_cluster_and_missing_ray_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'tacit[ray]'")
    for address in ("localhost:1", "nonsense", "ray://localhost:1", "localhost:99999"):
        with pytest.raises(GameError, match=f"no Ray cluster at {address} .*ray start") as caught:
            RayCluster(address).open(Add(1))
        assert "\n" not in str(caught.value)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(GameError, match=r"pip install 'tacit\[ray\]'"):
        RayCluster().open(Add(1))


def test_executors_have_names() -> None:
    assert find_executor("ray") == RayCluster(None)
    assert find_executor("ray:10.0.0.1:6379") == RayCluster("10.0.0.1:6379")
    assert find_executor("processes:3") == Processes(3)
    assert find_executor("processes") == Processes(os.cpu_count() or 1)
    with pytest.raises(GameError, match="did you mean 'ray'"):
        find_executor("rays")
    with pytest.raises(GameError, match="write it as processes:4"):
        find_executor("processes:x")
