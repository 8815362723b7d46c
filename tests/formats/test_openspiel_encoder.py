"""OpenSpiel's games are seen by their observation tensors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspiel")

import tacit
from tacit.formats.openspiel import load_openspiel
from tacit.learn.encoding import Encoding
from tacit.learn.presets import settings_for
from tacit.learn.trainer import Run
from tacit.tree import PLAYERS, Builder

GAMES = {"kuhn_poker": 3, "leduc_poker": 6, "liars_dice(numdice=1,dice_sides=3)": 3}
"""With the number of things that a player may hold."""


@pytest.mark.parametrize("name", GAMES)
def test_a_private_card_has_one_column_in_every_public_state(name: str) -> None:
    encoding = Encoding(Builder(load_openspiel(name)), joint=True)
    assert encoding.width == GAMES[name]
    assert encoding.states is not None
    for state in encoding.states:
        for player in PLAYERS:
            places = encoding.places(state, player)
            assert len(set(places.tolist())) == state.counts[player]
        assert np.isfinite(encoding.describe(state, 0)).all()


def test_public_states_of_leduc_that_look_alike_have_the_same_chips_and_cards() -> None:
    encoding = Encoding(Builder(load_openspiel("leduc_poker")), joint=True)
    alike: dict[tuple[int, bytes], set[tuple[str, ...]]] = {}
    for state in encoding.states or []:
        words = state.sample.render(0).split("][")
        facts = tuple(w for w in words if w.startswith(("Money", "Public", "Round [", "Player")))
        key = (state.mover, encoding.describe(state, 0).tobytes())
        alike.setdefault(key, set()).add(facts)
    assert all(len(facts) == 1 for facts in alike.values())


def test_a_game_without_a_preset_is_learnt_by_pairs_to_the_end_of_the_round(tmp_path: Path) -> None:
    game = load_openspiel("leduc_poker")
    settings = settings_for(game)
    assert settings.game == "openspiel:leduc_poker"
    assert settings.search.stop == "round"
    assert settings.network.pairs
    small = settings.replace(table_size=8, iterations=8, steps=2, hidden=(8,), play_iterations=4)
    run = tacit.train(game, settings=small, epochs=1, out=tmp_path / "run", workers=1)
    assert 0 < tacit.evaluate(run, playthroughs=1, workers=1).exploitability < 13
    assert Run.open(tmp_path / "run", game).epoch == 1
