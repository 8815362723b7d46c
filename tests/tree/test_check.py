from __future__ import annotations

import pytest

from support.drawn_games import DrawnGame, chance, end, move
from support.faulty_games import FaultyGame
from tacit.games import GameError
from tacit.tree import derived
from tacit.tree.check import check_public_states


def test_a_merge_that_loses_something_is_found_below_the_start() -> None:
    check_public_states(FaultyGame())
    with pytest.raises(GameError, match="infostates merge that differ"):
        check_public_states(FaultyGame("forgets-move"))


def test_payoffs_are_looked_at() -> None:
    with pytest.raises(GameError, match="the payoff is nan"):
        check_public_states(FaultyGame("payoff-nan"), playouts=1)


def test_a_public_state_that_is_too_large_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "MAX_CELLS", 10)
    hands = (move(0, "move", end(n, "end", (n, None)), known=(n, None)) for n in range(20))
    check_public_states(DrawnGame(chance("deal", *hands)))
