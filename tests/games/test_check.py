"""`check_game` finds what a tree builder does not look at, and passes what is right."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import pytest

import tacit
from support.drawn_games import Drawn, DrawnGame, chance, end, move
from support.faulty_games import FaultyGame, FaultyState
from tacit.games import GameError, State, load_game
from tacit.games.check import check_game, walk_game


@dataclass(frozen=True, slots=True)
class Varied(FaultyState):
    """Pennies in which one method answers otherwise; `how` says which."""

    how: str = ""

    def child(self, action: int) -> Varied:
        if self.how == "changed":
            object.__setattr__(self, "done", (*self.done, action))
            return self
        return replace(self, done=(*self.done, action))

    def render(self, player: int | None = None) -> Any:
        if self.how == "render-shows" and player == 1:
            return f"the side is {self.done[1:2]}"
        if self.how == "render-empty":
            return ""
        return FaultyState.render(self, player)

    def action_size(self, action: int) -> Any:
        if self.how == "size-private":
            return float(self.stage == 2 and self.done[1])
        return "half" if self.how == "size-word" else None

    def label(self, action: int) -> str:
        if self.how == "label-hidden" and self.stage == 2 and self.done[1]:
            return ("left", "right")[action]
        return ("heads", "tails")[action]

    def subgame_key(self) -> Any:
        if self.how == "key-private":
            return self.done
        return 0 if self.how == "key-same" and self.stage == 2 else self.public()

    def public(self) -> Any:
        if self.how == "public-same" and self.stage < 2:
            return "before"
        return FaultyState.public(self)


class VariedGame(FaultyGame):
    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how

    def initial(self) -> Varied:
        return Varied(how=self.how)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("changed", "child() changes the state it is called on; make states immutable"),
        ("render-shows", "after 'heads tails' render(1) differs where the player cannot tell"),
        ("render-empty", "at the start render(None) is ''; it must be a text"),
        ("size-private", "action_size(0) differs within the public state; it must follow from"),
        ("size-word", "at the start action_size(0) is 'half'; it must be a number of pots, or"),
        ("label-hidden", "the mover cannot tell which actions are legal, or what they are called"),
        ("key-private", "subgame_key() differs within the public state; it must follow from"),
        ("key-same", "but has the same subgame_key(), 0; make subgame_key() differ between them"),
        ("public-same", "public() is 'before' as it was before; it must show that a move was made"),
    ],
)
def test_what_breaks_the_contract_is_named(how: str, message: str) -> None:
    with pytest.raises(GameError, match=re.escape(message)) as refused:
        check_game(VariedGame(how))
    assert "\n" not in str(refused.value)


def test_pennies_pass() -> None:
    check_game(VariedGame(""))


class ByIdentity(Drawn):
    """A state that equals only itself."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def child(self, action: int) -> State:
        return ByIdentity(*(getattr(self.after[action], name) for name in Drawn.__match_args__))


def test_the_same_move_must_lead_to_an_equal_state() -> None:
    with pytest.raises(GameError, match=r"after 'a0' the same move leads to .* frozen dataclasses"):
        check_game(DrawnGame(ByIdentity(0, "start", after=(end(1.0),))))


def test_games_with_nothing_hidden_say_so_truly() -> None:
    for name in ("tic-tac-toe", "connect-four"):
        assert not load_game(name).hidden
    assert load_game("kuhn").hidden
    game = FaultyGame()
    game.hidden = False
    with pytest.raises(GameError, match="something is hidden: 2 world states have the same public"):
        check_game(game)


def test_a_large_level_is_thinned_to_whole_public_states() -> None:
    hands = tuple(
        move(0, "move", *(end(n, ("end", a), (n, None)) for a in (0, 1)), known=(n, None))
        for n in range(40)
    )
    whole = walk_game(DrawnGame(chance("deal", *hands)))
    assert whole.complete
    assert len(whole.nodes) == 4
    thin = walk_game(DrawnGame(chance("deal", *hands)), states=60)
    assert not thin.complete
    assert [len(node.states) for node in thin.nodes.values()] == [1, 40, 40]


def test_games_are_taken_by_name() -> None:
    tacit.check_game("kuhn", playouts=2)
    with pytest.raises(GameError, match="did you mean 'kuhn'"):
        tacit.check_game("kuhm")
