from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tacit.games import TERMINAL, GameError
from tacit.games.pursuit import GLASSES, Map, Pursuit, PursuitState, Transport

PATH = Map(
    name="path",
    title="a path",
    transports=(Transport("taxi", ((1, 2), (2, 3), (3, 4)), 3, 3),),
    mr_x=2,
    detectives=(3,),
    rounds=3,
    reveals=frozenset(),
)


def play(notation: str, settings: Map = GLASSES) -> PursuitState:
    state = Pursuit(settings).replay(notation)
    assert isinstance(state, PursuitState)
    return state


def labels(state: PursuitState) -> str:
    return " ".join(state.label(action) for action in state.actions())


def test_mr_x_hides() -> None:
    state = play("5")
    assert state.player == 1
    assert state.possible == {5, 7}
    assert state.private(0) == 5
    assert state.private(1) is None
    assert state.public() == play("7").public()
    assert state.subgame_key() == play("7").subgame_key()
    assert state.render(1) == play("7").render(1)
    assert state.render(0) != play("7").render(0)


def test_a_search_that_finds_no_one_is_news() -> None:
    state = play("5 2 10 3 4 8")
    assert state.player == 0
    assert state.round == 3
    assert state.possible == {3, 6, 9}
    assert play("5 2 10 3 4 9").possible == {3, 6, 8}


def test_mr_x_is_caught() -> None:
    state = play("5 2 10 3 3")
    assert state.player == TERMINAL
    assert state.payoff() == -1
    assert state.possible == {3}
    assert "is caught" in state.render(1)


def test_mr_x_escapes() -> None:
    state = play("7 2 10 6 4 9 5 2 10 6 4 9 5 2 10")
    assert state.player == TERMINAL
    assert state.payoff() == 1
    assert "has escaped" in state.render(1)


def test_ways_that_meet_are_one_infostate() -> None:
    assert play("5 2 10 6 4 9") == play("7 2 10 6 4 9")


def test_no_one_enters_a_detectives_station() -> None:
    assert labels(play("5 2 10 3 4 8")) == "2 5"
    near = replace(GLASSES, detectives=(3, 4))
    assert labels(play("7", near)) == "2 5"
    assert labels(play("7 2", near)) == "5"


def test_a_reveal_shows_mr_x_to_all() -> None:
    settings = replace(GLASSES, reveals=frozenset({2}))
    state = play("5 2 10 3", settings)
    assert state.possible == {3}
    assert state.public() != play("5 2 10 4", settings).public()
    assert "Mr X is at 3;" in state.render(1)
    assert play("5 2 10 3 4 9 5", settings).possible == {2, 5}


def test_mr_x_without_a_move_loses() -> None:
    state = play("1 2", PATH)
    assert state.player == TERMINAL
    assert state.payoff() == -1
    assert "cannot move" in state.render(1)


def test_mr_x_without_a_ticket_loses() -> None:
    taxi = replace(PATH.transports[0], tickets_mr_x=1)
    state = play("1 4", replace(PATH, transports=(taxi,)))
    assert state.outcome == "stuck"


def test_a_detective_without_a_move_stays() -> None:
    taxi = replace(PATH.transports[0], tickets_detective=0)
    settings = replace(PATH, transports=(taxi,), detectives=(4,))
    state = play("1 stay 2 stay", settings)
    assert state.detectives == (4,)
    assert play("1 stay 2 stay 1 stay", settings).payoff() == 1


def test_a_transport_is_named_seen_and_paid_for() -> None:
    rail = Transport("rail", ((1, 3), (2, 4)), 1, 0)
    settings = replace(PATH, transports=(*PATH.transports, rail), detectives=(3,))
    start = play("", settings)
    assert labels(start) == "taxi-1 rail-4"
    state = play("rail-4", settings)
    assert state.possible == {4}
    assert state.tickets == ((3, 0), (3, 0))
    assert labels(state) == "taxi-2 taxi-4"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mr_x": 9}, "not different stations"),
        ({"detectives": (2,)}, "not different stations"),
        ({"reveals": frozenset({4})}, "round 1 to round 3"),
        ({"transports": (Transport("taxi", ((0, 2), (2, 3)), 1, 1),)}, "count from 1"),
        ({"detectives": (1, 3)}, "cannot move from his start"),
    ],
)
def test_settings_that_make_no_game(change: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError, match=message):
        replace(PATH, **change)
