"""The replay buffer keeps the latest examples."""

from __future__ import annotations

import numpy as np

from tacit.learn.replay import Examples, Replay


def numbered(first: int, count: int) -> Examples:
    column = np.arange(first, first + count, dtype=np.float32)[:, None]
    return Examples(column, -column)


def seen(replay: Replay) -> set[int]:
    sample = replay.sample(4000, np.random.default_rng(0))
    assert np.array_equal(sample.rows, -sample.values)
    return set(sample.rows[:, 0].astype(int).tolist())


def test_the_oldest_make_room() -> None:
    replay = Replay(10, 1, 1)
    replay.add(numbered(0, 7))
    assert seen(replay) == set(range(7))
    replay.add(numbered(7, 8))
    assert seen(replay) == set(range(5, 15))
    replay.add(numbered(15, 25))
    assert seen(replay) == set(range(30, 40))


def test_the_older_half_can_be_dropped() -> None:
    replay = Replay(10, 1, 1)
    replay.add(numbered(0, 8))
    replay.drop_half()
    assert seen(replay) == {4, 5, 6, 7}
    replay.add(numbered(8, 4))
    assert seen(replay) == set(range(4, 12))


def test_a_kept_state_goes_on() -> None:
    replay = Replay(10, 1, 1)
    replay.add(numbered(0, 13))
    again = Replay(10, 1, 1)
    again.restore(replay.state())
    for buffer in (replay, again):
        buffer.add(numbered(13, 3))
    assert seen(replay) == seen(again) == set(range(6, 16))


def test_examples_can_be_taken_back() -> None:
    for more in (3, 10, 25):
        replay = Replay(10, 1, 1)
        replay.add(numbered(0, 7))
        replay.drop_half()
        before = seen(replay)
        undo = replay.mark(more + 2)
        replay.add(numbered(7, more))
        replay.add(numbered(50, 2))
        replay.drop_half()
        undo()
        assert seen(replay) == before
