"""Go against a slow version of its rules, OpenSpiel and GnuGo."""

from __future__ import annotations

import pickle
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest

from tacit.games import TERMINAL, GameError, load_game
from tacit.games.boards.go import KOMI, Go, GoState
from tacit.games.boards.go_layout import LIBERTIES, STONES

SIZES = [5, 6, 7, 8, 9]


class SlowGo:
    """The rules on dictionaries, without any shortcut."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.stones: dict[tuple[int, int], int] = {}
        self.seen = [dict(self.stones)]

    def beside(self, point: tuple[int, int]) -> list[tuple[int, int]]:
        row, column = point
        near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        return [p for p in near if min(p) >= 0 and max(p) < self.size]

    def region(
        self, point: tuple[int, int], stones: dict[tuple[int, int], int]
    ) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
        """The points of one colour (or empty) that are connected with `point`, and those beside."""
        inside, border, waiting = {point}, set(), [point]
        while waiting:
            for near in self.beside(waiting.pop()):
                if stones.get(near) != stones.get(point):
                    border.add(near)
                elif near not in inside:
                    inside.add(near)
                    waiting.append(near)
        return inside, border

    def after(self, action: int, colour: int) -> dict[tuple[int, int], int] | None:
        """The stones after a move; None if it is not allowed."""
        point = divmod(action, self.size)
        if point in self.stones:
            return None
        stones = {**self.stones, point: colour}
        for near in self.beside(point):
            if stones.get(near) == 1 - colour:
                group, border = self.region(near, stones)
                if all(p in stones for p in border):
                    stones = {p: c for p, c in stones.items() if p not in group}
        _, border = self.region(point, stones)
        if all(p in stones for p in border) or stones in self.seen:
            return None
        return stones

    def actions(self, colour: int) -> list[int]:
        points = self.size**2
        return [a for a in range(points) if self.after(a, colour) is not None] + [points]

    def play(self, action: int, colour: int) -> None:
        if action < self.size**2:
            stones = self.after(action, colour)
            assert stones is not None
            self.stones = stones
            self.seen.append(stones)

    def score(self) -> int:
        total = 0
        for row in range(self.size):
            for column in range(self.size):
                point = row, column
                if point in self.stones:
                    owners = {self.stones[point]}
                else:
                    owners = {self.stones[p] for p in self.region(point, self.stones)[1]}
                total += (owners == {0}) - (owners == {1})
        return total


def choose(state: GoState, random: np.random.Generator) -> int:
    """A legal action; a pass is rare, so that games are long and have many captures."""
    actions = state.actions()
    if len(actions) > 1 and random.random() < 0.98:
        actions = actions[:-1]
    return actions[int(random.integers(len(actions)))]


@pytest.mark.parametrize("size", SIZES)
def test_random_games_follow_the_slow_rules(size: int) -> None:
    for seed in range(4 if size < 8 else 1):
        random = np.random.default_rng(seed)
        state, slow = Go(size).initial(), SlowGo(size)
        while state.player != TERMINAL:
            assert list(state.actions()) == slow.actions(state.player)
            cells = state.position[0]
            for number in range(size**2):
                point = divmod(number, size)
                assert cells[STONES, number] == 1 + slow.stones.get(point, -1)
                if point in slow.stones:
                    free = [p for p in slow.region(point, slow.stones)[1] if p not in slow.stones]
                    assert cells[LIBERTIES, number] == len(free)
            assert state.area_score() == slow.score()
            action = choose(state, random)
            slow.play(action, state.player)
            state = state.child(action)
        lead = slow.score() - KOMI[size]
        assert state.payoff() == np.sign(lead)


@pytest.mark.parametrize("size", [5, 7, 9])
def test_random_games_are_those_of_openspiel(size: int) -> None:
    """OpenSpiel ends a game at the first repetition; here the move that repeats is not legal."""
    pyspiel: Any = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    theirs_of = pyspiel.load_game("go", {"board_size": size, "komi": KOMI[size]})
    forbidden = 0
    for seed in range(100 if size < 9 else 30):
        random = np.random.default_rng(seed)
        state, theirs = Go(size).initial(), theirs_of.new_initial_state()
        while state.player != TERMINAL:
            assert not theirs.is_terminal()
            named = {
                theirs.action_to_string(action).split()[-1].upper(): action
                for action in theirs.legal_actions()
            }
            ours = {state.label(action).upper(): action for action in state.actions()}
            assert set(ours) <= set(named)
            for name in set(named) - set(ours):
                again = theirs.clone()
                again.apply_action(named[name])
                assert again.is_terminal()
                assert again.returns() == [0, 0]
                forbidden += 1
            action = choose(state, random)
            theirs.apply_action(named[state.label(action).upper()])
            state = state.child(action)
        assert theirs.is_terminal()
        assert theirs.returns() == [state.payoff(), -state.payoff()]
    assert size > 5 or forbidden > 0


@pytest.mark.parametrize("size", [5, 7, 9])
def test_full_boards_score_as_in_gnugo(size: int) -> None:
    """Random games without passes leave boards on which no stone is in doubt."""
    engine = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
    if engine is None:
        pytest.skip("GnuGo is not installed")
    checked = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        state = Go(size).initial()
        while state.player != TERMINAL:
            state = state.child(sensible(state, random))
        stones = state.position[0][STONES, :-1].tolist()
        if len(set(stones) - {0}) < 2:
            continue
        commands = [f"boardsize {size}", f"komi {KOMI[size]}"]
        for player, action in enumerate(state.history()):
            commands.append(f"play {'BW'[player % 2]} {state.label(action)}")
        arguments = [engine, "--mode", "gtp", "--chinese-rules", "--positional-superko"]
        dead = answers(arguments, [*commands, "final_status_list dead"])[-1]
        if dead.strip("= \n"):
            continue
        score = answers(arguments, [*commands, "final_score"])[-1].strip("= \n")
        lead = state.area_score() - KOMI[size]
        assert score == f"{'B' if lead > 0 else 'W'}+{abs(lead):.1f}"
        checked += 1
    assert checked > 0


def sensible(state: GoState, random: np.random.Generator) -> int:
    """A move that fills no eye of the mover's own: the game ends with every point decided."""
    colour = 1 + state.player
    stones = state.position[0][STONES]
    size = state.rules.size
    slow = SlowGo(size)
    moves = [
        action
        for action in state.actions()[:-1]
        if any(stones[row * size + column] != colour for row, column in near(slow, action))
    ]
    return moves[int(random.integers(len(moves)))] if moves else size**2


def near(slow: SlowGo, action: int) -> list[tuple[int, int]]:
    return slow.beside(divmod(action, slow.size))


def answers(arguments: list[str], commands: list[str]) -> list[str]:
    text = "\n".join([*commands, "quit"]) + "\n"
    run = subprocess.run(arguments, input=text, capture_output=True, text=True, timeout=60)
    return run.stdout.split("\n\n")[:-2]


def test_a_ko_may_not_be_retaken_at_once() -> None:
    game = load_game("go-5x5")
    state = game.replay("B5 C5 A4 D4 B3 C3 C4 B4")
    assert "C4" not in [state.label(action) for action in state.actions()]
    elsewhere = game.replay("B5 C5 A4 D4 B3 C3 C4 B4 E1 A1")
    assert "C4" in [elsewhere.label(action) for action in elsewhere.actions()]


def test_suicide_is_forbidden_and_a_capture_is_not() -> None:
    game = load_game("go-5x5")
    state = game.replay("A4 E1 B5 E2")
    assert "A5" in [state.label(action) for action in state.actions()]
    black_moved = game.replay("A4 E1 B5")
    assert "A5" not in [black_moved.label(action) for action in black_moved.actions()]
    taken = game.replay("B5 A5 A4")
    assert isinstance(taken, GoState)
    assert taken.area_score() == 25


def test_two_passes_or_the_limit_end_the_game() -> None:
    game = load_game("go-5x5")
    assert game.replay("pass C3").player != TERMINAL
    over = game.replay("C3 pass pass")
    assert over.player == TERMINAL
    assert over.actions() == ()
    assert over.payoff() == 1
    random = np.random.default_rng(0)
    state: Any = game.initial()
    while state.player != TERMINAL:
        actions = state.actions()
        state = state.child(actions[int(random.integers(max(len(actions) - 1, 1)))])
    assert state.count <= 50


def test_komi_decides_and_may_make_a_draw() -> None:
    assert load_game("go-5x5-komi-24.5").replay("C3 pass pass").payoff() == 1
    assert load_game("go-5x5-komi-25").replay("C3 pass pass").payoff() == 0
    assert load_game("go-5x5").replay("pass pass").payoff() == -1
    assert load_game("go-5x5-komi--1").replay("pass pass").payoff() == 1
    assert load_game("go-5x5-komi-24.5").name == "go-5x5-komi-24.5"
    assert load_game("go-7x7-komi-8.5").name == "go-7x7"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("go-4x4", "square from 5x5 to 9x9"),
        ("go-19x19", "square from 5x5 to 9x9"),
        ("go-5x7", "go-5x7 is not possible"),
        ("go-5x5-komi-7.3", "multiple of 0.5"),
        ("go-5x5-komi-99", "up to 25"),
    ],
)
def test_other_boards_and_komi_are_refused(name: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        load_game(name)


def test_states_are_values() -> None:
    game = load_game("go-7x7")
    state = game.replay("D4 C3 pass E5")
    assert isinstance(state, GoState)
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert hash(again) == hash(state)
    assert again.actions() == state.actions()
    assert state != game.replay("D4 C3 E5 pass")
    assert state != load_game("go-7x7-komi-9").replay("D4 C3 pass E5")
    assert [state.label(action) for action in state.history()] == ["D4", "C3", "pass", "E5"]
    assert len(pickle.dumps(state)) < 300


def test_the_board_is_drawn_with_its_names() -> None:
    lines = load_game("go-5x5").replay("A5 E1 C3").render().splitlines()
    assert lines == [
        "5  X . . . .",
        "4  . . . . .",
        "3  . . X . .",
        "2  . . . . .",
        "1  . . . . O",
        "   A B C D E",
    ]


def test_the_planes_show_the_mover_first() -> None:
    game = load_game("go-5x5")
    encoder = game.encoder()
    assert encoder is not None
    planes = encoder.features(game.replay("A5 E1 A4 B4 pass"))
    own, other, legal, last, before = planes[:5]
    assert np.argwhere(own).tolist() == [[1, 1], [4, 4]]
    assert np.argwhere(other).tolist() == [[0, 0], [1, 0]]
    assert legal.sum() == 21
    assert not last.any()
    assert np.argwhere(before).tolist() == [[1, 1]]
    assert np.argwhere(planes[7]).tolist() == [[4, 4]]
    assert np.argwhere(planes[8]).tolist() == [[0, 0], [1, 0]]
    assert not planes[5:7].any()
    assert planes[9:, 0, 0].tolist() == [0, 1, pytest.approx(0.1)]
    assert encoder.features(game.initial())[9].all()
