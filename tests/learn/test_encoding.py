"""Encodings: every infostate has a column of its own, and both seats look alike where they are."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import GameError, State, load_game
from tacit.games.tic_tac_toe import TicTacToe
from tacit.learn.encoding import HASHED, SPARE, Columns, Encoding
from tacit.tree import PLAYERS, Builder, PublicState

GAMES = ["kuhn", "leduc", "rock-paper-scissors", "pursuit-glasses", "liars-dice-1x3"]


def state_of(encoding: Encoding, key: object) -> PublicState:
    [found] = [state for state in encoding.states or [] if state.key == key]
    return found


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("name", GAMES)
def test_columns_are_distinct_and_behind_the_features(name: str, joint: bool) -> None:
    encoding = Encoding(Builder(load_game(name)), joint=joint)
    for state in encoding.states or []:
        inputs = np.concatenate([encoding.input_columns(state, p) for p in PLAYERS])
        assert len(set(inputs.tolist())) == sum(state.counts)
        assert inputs.min() >= encoding.first_belief
        assert inputs.max() < encoding.inputs
        outputs = [encoding.output_columns(state, p) for p in PLAYERS]
        assert max(columns.max() for columns in outputs) < encoding.outputs
        for columns in outputs:
            assert len(set(columns.tolist())) == len(columns)
        for player in PLAYERS:
            assert len(encoding.describe(state, player)) == encoding.first_belief


@pytest.mark.parametrize("name", GAMES)
def test_every_pair_has_a_column(name: str) -> None:
    encoding = Encoding(Builder(load_game(name)), joint=True, pairs=True)
    for state in encoding.states or []:
        columns = encoding.pair_columns(state)
        assert columns.shape == state.counts
        assert len(set(columns.ravel().tolist())) == columns.size
        assert 0 <= columns.min() <= columns.max() < encoding.outputs


def test_the_seats_of_liars_dice_answer_pairs_alike() -> None:
    encoding = Encoding(Builder(load_game("liars-dice-1x3")), joint=True, pairs=True)
    after_one, after_two = state_of(encoding, (2, 1, False)), state_of(encoding, (2, 0, False))
    assert np.array_equal(encoding.pair_columns(after_one), encoding.pair_columns(after_two).T)
    assert encoding.pair_sign(after_one) == -encoding.pair_sign(after_two)


def test_pairs_weigh_as_much_as_either_is_believed() -> None:
    encoding = Encoding(Builder(load_game("kuhn")), joint=True, pairs=True)
    row = np.zeros((1, encoding.inputs))
    row[0, encoding.first_belief :] = [1, 0, 0, 0.5, 0.5, 0]
    weights = encoding.weights(row).reshape(3, 3)
    assert weights.mean() == pytest.approx(1)
    assert weights[2, 2] == 0
    assert weights[0, 2] > weights[1, 1] > 0


@pytest.mark.parametrize("name", GAMES)
def test_different_public_states_have_different_descriptions(name: str) -> None:
    encoding = Encoding(Builder(load_game(name)), joint=True)
    rows = {}
    for state in encoding.states or []:
        mover = None if encoding.symmetric else state.mover
        rows.setdefault((mover, encoding.describe(state, 0).tobytes()), []).append(state.key)
    alike = [keys for keys in rows.values() if len(keys) > 1]
    if encoding.symmetric:
        assert all(len(keys) == 2 for keys in alike)
    else:
        assert not alike


def test_the_seats_of_liars_dice_are_one_situation() -> None:
    encoding = Encoding(Builder(load_game("liars-dice-1x3")), joint=True)
    after_one, after_two = state_of(encoding, (2, 1, False)), state_of(encoding, (2, 0, False))
    assert np.array_equal(encoding.describe(after_one, 0), encoding.describe(after_two, 0))
    for mover_of, other_of in ((1, 0), (0, 1)):
        state = after_one if mover_of == 1 else after_two
        assert encoding.input_columns(state, mover_of)[0] == encoding.first_belief
        assert encoding.input_columns(state, other_of)[0] == encoding.first_belief + 3


def test_a_game_of_any_size_has_features() -> None:
    """Tic-tac-toe has more public states than are listed, and no encoder of its own."""
    encoding = Encoding(Builder(TicTacToe()), joint=True)
    assert encoding.states is None
    assert encoding.public_features == HASHED
    assert encoding.largest_payoff == 1
    assert len(encoding.privates[0]) == 1 + SPARE
    assert len(encoding.actions) == 9 + SPARE
    seen = set()
    state = encoding.builder.root
    for number in (0, 0, 3, 0, 2):
        row = encoding.describe(state, 0)
        assert row.shape == (encoding.first_belief,)
        assert np.isfinite(row).all()
        seen.add(row.tobytes())
        state = state.expansion.transitions[number].child
    assert len(seen) == 5


def test_unknown_keys_share_spare_columns_and_never_collide_in_one_state() -> None:
    columns = Columns(["a", "b"], SPARE)
    places = columns.place(["b", *range(SPARE)])
    assert len(set(places.tolist())) == SPARE + 1
    assert places[0] == 1
    assert places[1:].min() == 2
    assert np.array_equal(columns.place([3, "a"])[:1], columns.place([3]))
    with pytest.raises(GameError, match="has no column"):
        columns.place(range(SPARE + 1))


def test_what_a_game_says_of_itself_is_what_can_be_found() -> None:
    for name in ("liars-dice-1x3", "liars-dice-2x2", "leduc"):
        encoding = Encoding(Builder(load_game(name)), joint=True)
        ends: list[State] = []
        for state in encoding.states or []:
            for player in PLAYERS:
                assert set(state.privates[player]) <= set(encoding.privates[player].index)
            assert set(state.expansion.actions) <= set(encoding.actions.index)
            for transition in state.expansion.transitions:
                if not transition.child.expansion.transitions:
                    ends += [world for _, world, _ in transition.child.worlds()]
        assert max(abs(world.payoff()) for world in ends) == encoding.largest_payoff
