from __future__ import annotations

import sys
from pathlib import Path

import pytest

import tacit
from tacit.games import GameError, load_game


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("leducc", "did you mean 'leduc'"),
        ("liars-dice", "did you mean 'liars-dice-"),
        ("liars-dice-0x6", "takes 1 die and 2 faces at least"),
        ("liars-dice-1x1", "takes 1 die and 2 faces at least"),
        ("liars-dice-50x50", "more than 2,000 different rolls"),
        ("liars-dice-9999x9999", "more than 2,000 different rolls"),
        ("pursuit-london", "maps: glasses"),
        ("zzz", "`tacit games` lists them"),
        ("go", "`tacit games` lists them"),
    ],
)
def test_a_wrong_name_says_what_is_possible(name: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        load_game(name)


def test_a_game_is_returned_as_it_is() -> None:
    game = load_game("kuhn")
    assert load_game(game) is game
    assert tacit.load_game(game) is game


def test_a_scheme_loads_its_games() -> None:
    pytest.importorskip("pyspiel")
    assert load_game("openspiel:kuhn_poker").title == "Kuhn Poker (OpenSpiel)"
    with pytest.raises(GameError, match="OpenSpiel has no game 'kuhn_pokr'"):
        load_game("openspiel:kuhn_pokr")


OWN = """
from tacit.games import Game, load_game

class Wager(Game):
    title = "Mine"
    def __init__(self, low=1, high=2, *, word="x"):
        self.facts = low, high, word
        if low > high:
            raise ValueError("low is above high")
    def initial(self):
        return load_game("kuhn").initial()

class NotOne:
    pass
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_games.py").write_text(OWN)
    (tmp_path / "broken_games.py").write_text("def :\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    for name in ("own_games", "broken_games"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("own_games:Wager", (1, 2, "x")),
        ("own_games:Wager()", (1, 2, "x")),
        ("own_games:Wager(3, 4)", (3, 4, "x")),
        ("own_games:Wager(0,word='y z')", (0, 2, "y z")),
    ],
)
def test_a_class_in_a_module_of_the_current_folder(name: str, facts: tuple[object, ...]) -> None:
    game = load_game(name)
    assert game.facts == facts  # type: ignore[attr-defined]
    assert game.name == name
    assert load_game(game.name).initial() == game.initial()


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("own_games:Wagers", "unknown game in own_games 'Wagers'; did you mean 'Wager'?"),
        ("own_games:NotOne", "'NotOne'; it must be a subclass of tacit.games.Game"),
        ("own_games:Wager(3, 2)", "cannot make the game: ValueError: low is above high"),
        ("own_games:Wager(1, 2, 3)", "cannot make the game: TypeError"),
        ("own_games:Wager(exit())", "arguments must be numbers, strings or other literals"),
        ("own_games:Wager(1", "is not a game; write module:Class or module:Class(arguments)"),
        ("own_games:", "is not a game; write module:Class or module:Class(arguments)"),
        ("no_games:Wager", "cannot import 'no_games': ModuleNotFoundError"),
        ("broken_games:Wager", "cannot import 'broken_games': SyntaxError"),
        ("openspeil:kuhn_poker", "did you mean 'openspiel:'?"),
    ],
)
def test_what_is_wrong_with_a_class_is_said_in_one_line(name: str, message: str) -> None:
    with pytest.raises(GameError) as refused:
        load_game(name)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.usefixtures("own")
def test_the_current_folder_comes_last_in_the_search_for_modules() -> None:
    load_game("own_games:Wager")
    assert sys.path[-1] == str(Path.cwd())
    Path("this.py").write_text("raise SystemExit('the current folder came first')")
    with pytest.raises(GameError, match="unknown game in this 'Wager'"):
        load_game("this:Wager")
