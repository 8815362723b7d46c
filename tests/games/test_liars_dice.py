from __future__ import annotations

from math import comb

import pytest

from tacit.games import TERMINAL, State, load_game


@pytest.mark.parametrize(
    ("name", "notation", "payoff"),
    [
        ("liars-dice-1x3", "1|2 1x1 liar", 1),
        ("liars-dice-1x3", "2|2 1x1 liar", -1),
        ("liars-dice-1x3", "2|3 1x1 liar", 1),
        ("liars-dice-1x3", "2|3 1x1 2x2 liar", -1),
        ("liars-dice-1x3", "2|1 1x1 2x2 liar", 1),
        ("liars-dice-1x3", "2|3 2x3 liar", -1),
        ("liars-dice-1x3", "3|3 2x3 liar", 1),
        ("liars-dice-2x3", "1,3|2,2 3x2 liar", 1),
        ("liars-dice-2x3", "1,3|2,2 3x1 liar", -1),
        ("liars-dice-2x3", "1,3|2,2 2x1 3x2 liar", -1),
    ],
)
def test_the_highest_face_is_wild(name: str, notation: str, payoff: float) -> None:
    assert load_game(name).replay(notation).payoff() == payoff


@pytest.mark.parametrize(
    ("notation", "labels"),
    [
        ("1|1", "1x1 1x2 2x1 2x2"),
        ("1|1 1x2", "2x1 2x2 liar"),
        ("1|1 1x1 2x2", "liar"),
    ],
)
def test_bids_go_up(notation: str, labels: str) -> None:
    state = load_game("liars-dice-1x2").replay(notation)
    assert " ".join(state.label(action) for action in state.actions()) == labels


def test_dice_are_dealt_as_sets_with_their_chance() -> None:
    state = load_game("liars-dice-2x2").initial()
    deals = dict(zip(map(state.label, state.actions()), state.chance(), strict=True))
    assert len(deals) == 9
    assert deals["1,1|1,1"] == 1 / 16
    assert deals["1,2|1,1"] == 1 / 8
    assert deals["1,2|1,2"] == 1 / 4


@pytest.mark.parametrize(("dice", "faces"), [(1, 3), (1, 4), (2, 2)])
def test_every_set_of_bids_is_one_line_of_play(dice: int, faces: int) -> None:
    def ends(state: State) -> int:
        if state.player == TERMINAL:
            return 1
        return sum(ends(state.child(action)) for action in state.actions())

    rolls = comb(dice + faces - 1, dice)
    lines = 2 ** (2 * dice * faces) - 1
    assert ends(load_game(f"liars-dice-{dice}x{faces}").initial()) == rolls**2 * lines


def test_players_see_their_own_dice() -> None:
    state = load_game("liars-dice-2x6").replay("1,3|2,2 1x3")
    assert state.render(0) == "Player 1 rolled 1,3, player 2 rolled ?,?. Bids so far: 1x3."
    assert state.render(1) == "Player 1 rolled ?,?, player 2 rolled 2,2. Bids so far: 1x3."
