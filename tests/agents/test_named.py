"""Agents by name."""

from __future__ import annotations

import importlib.util

import pytest

from tacit.agents.agent import RuleAgent
from tacit.agents.gtp import GTPAgent
from tacit.agents.mcts import MCTSAgent
from tacit.agents.named import NAMED, find_agent
from tacit.agents.search_agent import SearchAgent
from tacit.games import GameError, load_game
from tacit.tree import Builder

GO = Builder(load_game("go-5x5"))


def test_a_name_has_a_number_or_a_text_after_a_colon() -> None:
    puct = find_agent("puct:7", GO)
    assert isinstance(puct, MCTSAgent)
    assert puct.settings.simulations == 7
    engine = find_agent("gnugo:3", GO)
    assert isinstance(engine, GTPAgent)
    assert "--level 3" in engine.command
    command = find_agent("gtp:my-engine --option 1", GO)
    assert isinstance(command, GTPAgent)
    assert command.command == "my-engine --option 1"
    assert isinstance(find_agent("uniform", GO), RuleAgent)


def test_a_trained_network_searches() -> None:
    assert isinstance(find_agent("kuhn", Builder(load_game("kuhn"))), SearchAgent)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gnogo", "unknown agent 'gnogo'; did you mean 'gnugo'?"),
        ("xyzzy", "name a run, a network file, or one of uniform"),
        ("puct:none", "write a positive number, as puct:100"),
        ("puct:0", "write a positive number"),
        ("gnugo:-1", "write a positive number"),
        ("puct:10@nowhere", "nowhere is neither a run"),
        ("call-when-unlikely", "does not play go-5x5"),
        ("kuhn", "kuhn"),
    ],
)
def test_a_wrong_name_is_refused_in_one_line(name: str, message: str) -> None:
    with pytest.raises(GameError) as refused:
        find_agent(name, GO)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.skipif(
    importlib.util.find_spec("pyspiel") is not None, reason="OpenSpiel is installed"
)
def test_without_openspiel_its_agents_are_refused() -> None:
    with pytest.raises(GameError, match="OpenSpiel is not installed"):
        find_agent("mcts:10", GO)


def test_every_name_says_what_it_is() -> None:
    assert all(text for text, _ in NAMED.values())
