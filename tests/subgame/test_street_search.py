"""Search on a street: exactness on the river, budgets, sampled iterations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.streets import river, turn
from tacit.games import GameError
from tacit.games.holdem.betting import CALL
from tacit.games.holdem.spot import Spot
from tacit.solvers.spot import SpotLimits, solve_spot
from tacit.subgame.street import BetMenu
from tacit.subgame.street_search import SearchBudget, StreetSearch

SEARCH = StreetSearch(
    menu=BetMenu(now=("100%,a", "a")), budget=SearchBudget(seconds=1.0, least=300, most=300)
)


def test_a_river_is_worth_what_the_spot_solver_says() -> None:
    root = river()
    plan = SEARCH.solve(root, np.random.default_rng(0))
    spot = Spot.of("2c7dJhQs3s", pot=2000, behind=2000, bets="100%,a/a")
    solution = solve_spot(spot, SpotLimits(iterations=300), threads=1)
    expected = solution.view("").values
    for mine, theirs in zip(plan.values, expected, strict=True):
        live = ~np.isnan(theirs)
        assert np.array_equal(live, ~np.isnan(mine))
        # The mean over iterations against the value of the average policies, in chips.
        assert mine[live] == pytest.approx(theirs[live], abs=40)
        assert np.abs(mine[live] - theirs[live]).mean() < 8
    assert (plan.values[0] * root.ranges[0])[live].sum() == pytest.approx(
        -(plan.values[1] * root.ranges[1])[live].sum(), abs=15
    )


def test_sampled_iterations_are_played_and_their_average_believed() -> None:
    search = replace(
        SEARCH,
        menu=BetMenu(now=("a",), later=("a",)),
        budget=SearchBudget(seconds=1, least=6, most=6),
    )
    plans = [search.solve(turn(), np.random.default_rng(seed)) for seed in (0, 0, 1, 2)]
    one, same, *_ = plans
    assert one.iteration == same.iteration
    assert len({plan.iteration for plan in plans}) > 1
    for history, decision in one.decisions.items():
        assert np.array_equal(decision.played, same.decisions[history].played)
        assert decision.played.sum(axis=0) == pytest.approx(1, abs=1e-5)
        assert decision.believed.sum(axis=0) == pytest.approx(1, abs=1e-5)
    last = next(plan for plan in plans if plan.iteration > 1)
    assert any(not np.array_equal(d.played, d.believed) for d in last.decisions.values())
    average = replace(search, sampled=False).solve(turn(), np.random.default_rng(0))
    assert average.iteration == average.iterations == 6
    assert all(d.played is d.believed for d in average.decisions.values())
    current = replace(search, mode="cfr-d").solve(turn(), np.random.default_rng(0))
    assert all(d.played is d.believed for d in current.decisions.values())


def test_lines_are_part_of_the_subgame() -> None:
    plan = SEARCH.solve(river(), np.random.default_rng(0), line=(CALL, 1300))
    assert plan.has((CALL, 1300, 3000))
    decision = plan.decision((CALL, 1300))
    assert decision is not None
    assert decision.player == 0


def test_budgets_follow_the_size_of_the_tree() -> None:
    small, large = (
        river().tree(BetMenu(now=now), whole=True) for now in (("a",), ("33%,66%,100%,a",))
    )
    budget = SearchBudget(seconds=0.05, least=1, most=10_000)
    assert budget.iterations(small) > budget.iterations(large) > 1
    assert replace(budget, most=3).iterations(small) == 3
    assert replace(budget, seconds=1e-9, least=2).iterations(small) == 2


def test_the_clock_ends_a_search() -> None:
    slow = SearchBudget(seconds=1e6, least=100_000_000, most=100_000_000, clock=0.05)
    plan = replace(SEARCH, budget=slow).solve(river(), np.random.default_rng(0))
    assert 0 < plan.iteration < plan.iterations


@pytest.mark.parametrize("wrong", [{"seconds": 0}, {"least": 0}, {"least": 9, "most": 8}])
def test_wrong_budgets_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(GameError, match="expected"):
        SearchBudget(**{"seconds": 1.0, **wrong})  # type: ignore[arg-type]
