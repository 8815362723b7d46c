"""Anytime solving: limits, checkpoints, stalls, interrupts and going on."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace

import numpy as np
import pytest

from tacit.games import GameError, load_game
from tacit.solvers import (
    ALGORITHMS,
    Checkpoint,
    Limits,
    Solver,
    Stop,
    exploitability,
    find_algorithm,
    resume,
    run,
    solve_tree,
)
from tacit.solvers.anytime import next_checkpoint, stalled
from tacit.tree import build_tree

KUHN = build_tree(load_game("kuhn"))
LEDUC = build_tree(load_game("leduc"))


def test_stops_at_the_target():
    solution = solve_tree(LEDUC, Limits(target=1e-2))
    assert solution.stop is Stop.TARGET
    assert solution.exploitability <= 1e-2
    assert all(point.exploitability > 1e-2 for point in solution.history[:-1])
    assert solution.exploitability == exploitability(LEDUC, solution.policy)
    assert solution.shortfall is None


def test_stops_at_the_number_of_iterations():
    solution = solve_tree(LEDUC, Limits(iterations=300))
    assert (solution.stop, solution.iterations) == (Stop.ITERATIONS, 300)
    plain = Solver(LEDUC, find_algorithm(solution.algorithm))
    plain.run(300)
    assert np.array_equal(solution.policy, plain.average_policy())


def test_stops_in_time():
    solution = solve_tree(LEDUC, Limits(seconds=0.3))
    assert solution.stop is Stop.TIME
    assert solution.seconds >= 0.3


def test_the_last_iterations_may_meet_the_target():
    to_target = solve_tree(KUHN, Limits(target=1e-3))
    limits = Limits(target=to_target.exploitability, iterations=to_target.iterations)
    assert solve_tree(KUHN, limits).stop is Stop.TARGET
    short = solve_tree(KUHN, replace(limits, iterations=to_target.iterations - 1))
    assert short.stop is Stop.ITERATIONS
    assert short.shortfall is not None


def test_without_limits_there_is_a_default():
    assert Limits().last == 1_000
    assert Limits(target=1e-3).last == 1_000_000
    assert Limits(seconds=1.0).last is None
    assert Limits(seconds=1.0, iterations=7).last == 7


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"target": 0.0}, "target must be a positive number, not 0"),
        ({"target": -1e-3}, "target must be a positive number"),
        ({"target": float("nan")}, "target must be a positive number"),
        ({"seconds": -1.0}, "time must be a positive number, not -1"),
        ({"seconds": float("inf")}, "time must be a positive number"),
        ({"iterations": 0}, "iterations must be 1 or more, not 0"),
        ({"iterations": -5}, "iterations must be 1 or more, not -5"),
    ],
)
def test_impossible_limits_are_refused(wrong, message):
    with pytest.raises(GameError, match=message):
        Limits(**wrong)


def test_checkpoints_do_not_depend_on_the_clock():
    found, iteration = [], 0
    while iteration < 4096:
        iteration = next_checkpoint(iteration)
        found.append(iteration)
    assert found[:9] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert [n for n in found if 1024 <= n <= 2048] == list(range(1024, 2049, 128))
    assert [n for n in found if n > 2048] == list(range(2304, 4097, 256))
    history = solve_tree(KUHN, Limits(iterations=4096)).history
    assert [point.iteration for point in history] == found


def test_callbacks_see_every_checkpoint_and_chunk():
    points, chunks = [], []
    solution = solve_tree(
        LEDUC,
        Limits(iterations=200),
        on_checkpoint=points.append,
        on_chunk=lambda iteration, seconds: chunks.append((iteration, seconds)),
    )
    assert tuple(points) == solution.history
    assert chunks[-1][0] == 200
    assert chunks == sorted(chunks)


def test_a_target_below_the_precision_stalls():
    solution = solve_tree(KUHN, Limits(target=1e-12))
    assert solution.stop is Stop.STALLED
    assert solution.shortfall is not None
    assert "no longer improves, try --precision double" in solution.shortfall
    assert f"{solution.iterations:,} iterations" in solution.shortfall
    finer = solve_tree(KUHN, Limits(target=1e-8), precision="double")
    assert finer.stop is Stop.TARGET


def test_slow_progress_is_no_stall():
    falling = [Checkpoint(2**k, 0.0, (2.0**k) ** -0.25, 0.0) for k in range(14)]
    assert not any(stalled(falling[:count]) for count in range(15))
    flat = [Checkpoint(2**k, 0.0, max(2.0**-k, 1e-3), 0.0) for k in range(16)]
    assert [stalled(flat[: k + 1]) for k in range(16)] == [False] * 12 + [True] * 4


def test_fictitious_play_misses_a_target_at_its_limit():
    solution = solve_tree(KUHN, Limits(target=1e-9, iterations=100), algorithm="fp")
    assert solution.stop is Stop.ITERATIONS
    assert "allow more iterations" in (solution.shortfall or "")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("alternating", [True, False])
def test_going_on_gives_what_an_unbroken_run_gives(algorithm, alternating):
    options = {"algorithm": algorithm, "alternating": alternating}
    whole = solve_tree(LEDUC, Limits(iterations=150), **options)
    part = solve_tree(LEDUC, Limits(iterations=37), **options)
    joined = resume(part, Limits(iterations=150))
    assert joined.iterations == 150
    assert joined.exploitability == whole.exploitability
    for name, kept in whole.memory.items():
        assert np.array_equal(joined.memory[name], kept), name
    assert np.array_equal(joined.policy, whole.policy)
    # The extra checkpoint is where the first part ended.
    extra = {p.iteration for p in joined.history} - {p.iteration for p in whole.history}
    assert extra == {37}
    assert joined.seconds >= part.seconds


def test_an_interrupt_ends_a_run_between_iterations():
    def interrupt(iteration, seconds):
        if iteration > 100:
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    solution = solve_tree(LEDUC, Limits(iterations=10**6), on_chunk=interrupt)
    assert solution.stop is Stop.INTERRUPTED
    assert solution.iterations > 100
    assert signal.getsignal(signal.SIGINT) is before
    again = solve_tree(LEDUC, Limits(iterations=solution.iterations))
    assert np.array_equal(again.policy, solution.policy)


def test_runs_outside_the_main_thread():
    found = []
    solver = Solver(KUHN, find_algorithm("cfr"))
    thread = threading.Thread(target=lambda: found.append(run(solver, Limits(iterations=10))))
    thread.start()
    thread.join()
    assert found[0].stop is Stop.ITERATIONS


def test_the_linear_program_is_exact_and_final():
    solution = solve_tree(KUHN, Limits(target=1e-9), algorithm="lp")
    assert solution.stop is Stop.EXACT
    assert solution.value == pytest.approx(-1 / 18, abs=1e-9)
    assert solution.shortfall is None
    with pytest.raises(GameError, match="nothing to resume"):
        resume(solution, Limits(iterations=10))


def test_policies_are_looked_up_by_moves_and_infostates():
    solution = solve_tree(KUHN, Limits(target=1e-5))
    assert solution.policy_at("bet", "K") == pytest.approx({"pass": 0.0, "bet": 1.0}, abs=1e-2)
    bluff = solution.policy_at("", "J")["bet"]
    assert solution.policy_at("", "K")["bet"] == pytest.approx(3 * bluff, abs=1e-2)
    with pytest.raises(GameError, match="'fold' is not possible here; possible: pass, bet"):
        solution.policy_at("fold", "K")
    with pytest.raises(GameError, match="no infostate 'A' here; there are: J, Q, K"):
        solution.policy_at("", "A")
    with pytest.raises(GameError, match="no player moves after 'bet pass'"):
        solution.policy_at("bet pass", "K")


def test_unknown_precision_is_refused():
    with pytest.raises(GameError, match="unknown precision 'half'; known: single, double"):
        solve_tree(KUHN, Limits(iterations=1), precision="half")


@pytest.mark.parametrize(
    ("game", "player", "names"),
    [
        ("kuhn", 0, {"J", "Q", "K"}),
        ("coin-toss", 0, {"heads", "tails"}),
        ("coin-toss", 1, {""}),
        ("liars-dice-2x2", 1, {"1,1", "1,2", "2,2"}),
        ("tic-tac-toe", 0, {""}),
    ],
)
def test_infostates_are_called_by_what_their_player_sees(game, player, names):
    builder = build_tree(load_game(game), depth=1).builder
    found = builder.root.names(player)
    assert set(found) == names
    assert len(found) == len(names)
