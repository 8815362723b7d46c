"""Self-play in every kind of game."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import GameError, load_game
from tacit.games.tic_tac_toe import TicTacToe
from tacit.learn.player import Player
from tacit.learn.self_play import play_round, random_positions
from tacit.learn.settings import Settings
from tacit.tree.pbs import first_pbs

SMALL = Settings().replace(
    game="liars-dice-1x2", table_size=8, rounds=2, iterations=12, hidden=(16, 16)
)


def test_the_start_of_the_game_is_solved_once_a_round_for_all() -> None:
    player = Player(load_game(SMALL.game), SMALL)
    first = first_pbs(player.encoding.builder.root)
    random = np.random.default_rng(0)
    positions = [first] * 8
    for _ in range(6):
        here = sum(place != first for place in positions)
        found = play_round(player.encoding, player.network, positions, SMALL.search, random)
        assert len(found.examples.rows) == 1 + here
        positions = found.positions
    assert here > 0


@pytest.mark.parametrize("game", ["kuhn", "leduc", "pursuit-glasses", "rock-paper-scissors"])
@pytest.mark.parametrize("kind", ["joint", "single", "pairs", "pairs-fp"])
def test_self_play_goes_through_every_kind_of_game(game: str, kind: str) -> None:
    settings = Settings().replace(
        game=game, joint=kind == "joint", iterations=6, hidden=(8,), depth=1
    )
    if kind.startswith("pairs"):
        algorithm = "flop" if kind == "pairs-fp" else "dcfr"
        settings = settings.replace(
            pairs=True, mode="cfr-avg-sound", algorithm=algorithm, tremble=0.1
        )
    player = Player(load_game(game), settings)
    root = player.encoding.builder.root
    positions = [first_pbs(root)] * 16
    random = np.random.default_rng(1)
    visited = set()
    for _ in range(12):
        examples, positions, _ = play_round(
            player.encoding, player.network, positions, settings.search, random
        )
        assert np.isfinite(examples.values).all()
        assert np.abs(examples.values).max() <= player.encoding.largest_payoff * 1.001
        visited |= set(positions)
        for position in positions:
            arrived = position.portable().at(root)
            assert arrived.state is position.state
            for beliefs, sent in zip(position.beliefs, arrived.beliefs, strict=True):
                assert beliefs.min() >= 0
                assert beliefs.max() > 0
                assert np.array_equal(beliefs, sent)
    assert visited - {first_pbs(root)}


def test_a_game_that_cannot_be_listed_is_played_too() -> None:
    settings = Settings().replace(game="tic-tac-toe", iterations=3, hidden=(8,), depth=1)
    player = Player(TicTacToe(), settings)
    positions = [first_pbs(player.encoding.builder.root)] * 8
    random = np.random.default_rng(0)
    for _ in range(3):
        played = play_round(player.encoding, player.network, positions, settings.search, random)
        positions = played.positions
    assert max(len(place.path) for place in positions) == 3
    with pytest.raises(GameError, match="random_beliefs=false"):
        random_positions(player.encoding, 2, random)
