"""Networks that come with the package."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tacit.agents.named import find_agent
from tacit.agents.search_agent import SearchAgent
from tacit.games import GameError, load_game
from tacit.learn.network import PairNetwork
from tacit.learn.presets import PRESETS, QUICK
from tacit.learn.shipped import PLAYED, SECOND, find_network, shipped
from tacit.learn.trainer import load_network
from tacit.tree import Builder


def test_there_is_one_for_every_preset_that_was_trained() -> None:
    trained = {name for name in PRESETS if not name.endswith("-sog")} - {QUICK}
    assert trained | {"leduc-sog", "tic-tac-toe-sog"} <= set(shipped()) <= set(PRESETS)


@pytest.mark.parametrize("game", sorted(shipped()))
def test_each_says_what_made_it_and_answers(game: str) -> None:
    path = find_network(game)
    found = load_network(path)
    assert found.settings.game == re.sub("-(cfr-d|fp|sog)$", "", game)
    assert found.command.startswith(f"tacit train {game} --seed ")
    large = game in ("connect-four-sog", "go-7x7-sog")  # trained for longer than an hour
    assert 0 < found.seconds < (7200 if large else 3600)
    assert path.stat().st_size < (400_000 if large else 300_000)
    network = found.network
    rows = np.full((3, network.inputs), 0.25, dtype=np.float32)
    pairs = isinstance(network, PairNetwork)
    answers = network.pair_values(rows) if pairs else network.values(rows)
    assert answers.shape == (3, network.encoding.outputs)
    assert np.abs(answers).max() > 0


def test_play_takes_networks_of_its_game() -> None:
    for game, effort in PLAYED.items():
        settings = load_network(find_network(game)).settings
        assert settings.game == game
        assert effort.iterations is not None
        assert effort.iterations >= settings.search.iterations
        agent = find_agent(game, Builder(load_game(game)), effort=effort)
        assert isinstance(agent, SearchAgent)
        assert agent.settings == replace(settings.play, iterations=512, depth=6)


@pytest.mark.parametrize("path", sorted(SECOND.glob("*.pt")), ids=lambda path: path.stem)
def test_a_second_training_differs_in_its_seed_alone(path: Path) -> None:
    first, second = load_network(find_network(path.stem)), load_network(path)
    # When it was measured is no part of how it was trained.
    assert set(first.settings.differences(second.settings)) - {"evaluate_every"} == {"seed"}


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(GameError, match=r"these do: .*kuhn"):
        find_network(Path("liars-dice-9x9"))
