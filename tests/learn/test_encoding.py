"""Encodings: every infostate has a column of its own, and both seats look alike where they are."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import TERMINAL, GameError, State, load_game
from tacit.games.boards.tic_tac_toe import TicTacToe
from tacit.learn.encoding import HASHED, SPARE, Columns, Encoding
from tacit.tree import PLAYERS, Builder, PublicState
from tacit.tree.open import OpenState
from tacit.tree.public_state import Expansion

BOARDS = {"tic-tac-toe": 8, "connect-four": 2, "go-5x5": 8}
"""The board games, and their numbers of symmetries."""
GAMES = ["kuhn", "leduc", "rock-paper-scissors", "pursuit-glasses", "liars-dice-1x3"]


class BareTicTacToe(TicTacToe):
    """Without an encoder."""

    def encoder(self) -> None:  # type: ignore[override]
        return None


def state_of(encoding: Encoding, key: object) -> PublicState:
    [found] = [state for state in encoding.states or [] if state.key == key]
    return found


def reached(encoding: Encoding) -> list[PublicState]:
    """The decisions of the game, or those of playouts."""
    return [state for state in encoding._reached if state.mover in PLAYERS]


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
    """Tic-tac-toe has more public states than are listed; here it has no encoder of its own."""
    encoding = Encoding(Builder(BareTicTacToe()), joint=True)
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
            outputs = encoding.action_outputs(state, state.expansion)
            assert outputs.max(initial=0) < len(encoding.actions.index)
            for transition in state.expansion.transitions:
                if not transition.child.expansion.transitions:
                    ends += [world for _, world, _ in transition.child.worlds()]
        assert max(abs(world.payoff()) for world in ends) == encoding.largest_payoff


@pytest.mark.parametrize("name", [*GAMES, "coin-toss", "leduc-raises-1-2-4", *BOARDS])
def test_every_action_has_an_output_of_its_own(name: str) -> None:
    encoding = Encoding(Builder(load_game(name)), joint=True)
    used = set()
    for state in reached(encoding):
        outputs = encoding.action_outputs(state, state.expansion).tolist()
        assert len(outputs) == len(set(outputs)) == len(state.expansion.actions)
        used.update(outputs)
    assert used == set(range(len(encoding.actions)))


def test_outputs_are_those_of_labels_unless_the_encoder_says_otherwise() -> None:
    expected = {
        "kuhn": ["bet", "pass"],
        "rock-paper-scissors": ["paper", "rock", "scissors"],
        "coin-toss": ["forfeit", "heads", "play", "sell", "tails"],
        "leduc": [0, 1, 2],
        "liars-dice-1x3": [*range(7)],
        "connect-four": [*range(7)],
    }
    for name, keys in expected.items():
        assert list(Encoding(Builder(load_game(name)), joint=True).actions.index) == keys


def test_actions_of_one_label_have_outputs_of_their_own() -> None:
    encoding = Encoding(Builder(load_game("kuhn")), joint=True)
    state = encoding.builder.root
    twice = Expansion(state, (0, 1, 2), ("a", "a", "b"), np.ones((3, 3), dtype=bool), ())
    assert encoding._action_keys(state, twice) == [("a", 0), ("a", 1), "b"]


@pytest.mark.parametrize("name", BOARDS)
def test_planes_are_flattened_in_rows(name: str) -> None:
    encoding = Encoding(Builder(load_game(name)), joint=True)
    planes, height, width = encoding.feature_shape
    for state in reached(encoding)[:100]:
        assert isinstance(state, OpenState)
        row = encoding.describe(state, 0)
        features = encoding.encoder.features(state.sample)
        assert features.shape == (planes, height, width)
        assert np.array_equal(row[1:], features.ravel())
        assert np.array_equal(row[:1], [0])
        assert encoding.output_columns(state, state.mover) == [0]
        assert encoding.output_columns(state, 1 - state.mover) == [1]


@pytest.mark.parametrize(("name", "count"), BOARDS.items())
def test_symmetries_turn_the_state_that_its_turned_moves_reach(name: str, count: int) -> None:
    encoding = Encoding(Builder(load_game(name)), joint=True)
    assert len(encoding.symmetries) == count
    assert np.array_equal(encoding.symmetries[0].features, np.arange(encoding.public_features))
    random = np.random.default_rng(0)
    for symmetry in encoding.symmetries:
        game = encoding.builder.game
        state = turned = game.initial()
        while True:
            features, image = (encoding.encoder.features(world) for world in (state, turned))
            assert np.array_equal(image.ravel(), features.ravel()[symmetry.features])
            if state.player == TERMINAL:
                assert turned.payoff() == state.payoff()
                break
            legal = np.isin(np.arange(len(encoding.actions)), state.actions())
            assert np.flatnonzero(legal[symmetry.outputs]).tolist() == list(turned.actions())
            action = int(random.choice(state.actions()))
            state = state.child(action)
            [image_of_action] = np.flatnonzero(symmetry.outputs == action).tolist()
            turned = turned.child(image_of_action)


def test_a_game_without_symmetries_has_the_identity() -> None:
    encoding = Encoding(Builder(load_game("kuhn")), joint=True)
    [identity] = encoding.symmetries
    assert identity.features.tolist() == list(range(encoding.public_features))
    assert identity.outputs.tolist() == [0, 1]
