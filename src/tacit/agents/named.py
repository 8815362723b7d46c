"""Agents by name: `uniform`, `mcts:1000`, `gnugo:10`, or a trained network.

A name is a word, and after a colon a number or a text: simulations, a level, a command. Our own
MCTS and GT-CFR take a trained network after an @: `puct:400@my-run`, `sog:400@my-run`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.agents.agent import Agent, RuleAgent
from tacit.agents.continual_agent import ContinualAgent
from tacit.agents.gtp import GTPAgent, gnugo
from tacit.agents.mcts import MCTSAgent, MCTSSettings, Playouts
from tacit.agents.openspiel import ISMCTSAgent, OpenSpielMCTS
from tacit.agents.openspiel_a2c import A2CAgent
from tacit.agents.search_agent import SearchAgent
from tacit.agents.simple import baselines, uniform
from tacit.games import GameError
from tacit.learn.settings import AS_TRAINED, Effort
from tacit.suggest import unknown
from tacit.tree import Builder

if TYPE_CHECKING:
    from tacit.learn.trainer import TrainedNetwork


def _number(word: str, text: str, default: int) -> int:
    if not text:
        return default
    if not text.isdecimal() or not 1 <= int(text) <= 10**9:
        raise GameError(f"{word}:{text} is not an agent; write a positive number, as {word}:100")
    return int(text)


def _puct(builder: Builder, text: str) -> Agent:
    number, at, network = text.partition("@")
    settings = MCTSSettings(simulations=_number("puct", number, 100))
    evaluator = _network(network, builder).network if at else Playouts()
    return MCTSAgent(builder, evaluator, settings)


def _student(builder: Builder, text: str) -> Agent:
    number, at, network = text.partition("@")
    if not at:
        raise GameError("GT-CFR needs a network of Student of Games: name it, as sog:100@RUN")
    found = _network(network, builder)
    if found.settings.method != "student-of-games":
        raise GameError(f"{network} was not trained by Student of Games; name a run that was")
    simulations = _number("sog", number, found.settings.evaluation.play_simulations)
    return trained_agent(found, builder, simulations=simulations)


def trained_agent(
    found: TrainedNetwork,
    builder: Builder,
    *,
    effort: Effort = AS_TRAINED,
    simulations: int | None = None,
) -> Agent:
    """The agent that searches with a network as its settings say.

    effort: of ReBeL's search; simulations: of GT-CFR.
    """
    settings = found.settings
    if settings.method == "student-of-games":
        growing = settings.growing_play
        growing = replace(growing, simulations=simulations or growing.simulations)
        greedy = settings.evaluation.play_greedy
        return ContinualAgent(builder, found.network, growing, greedy=greedy)
    return SearchAgent(builder, found.network, effort.of(settings.play))


def _network(name: str, builder: Builder) -> TrainedNetwork:
    """The trained network of that name or path, for the builder's game."""
    from tacit.learn.shipped import find_network
    from tacit.learn.trainer import load_network

    return load_network(find_network(name), builder)


NAMED: dict[str, tuple[str, Callable[[Builder, str], Agent]]] = {
    "uniform": ("every legal action alike", lambda builder, _: RuleAgent(builder, uniform)),
    "call-when-unlikely": (
        "Liar's Dice: the action most likely to be right",
        lambda builder, _: _baseline(builder, "call-when-unlikely"),
    ),
    "puct": (
        "our MCTS; puct:400 simulations a move with random playouts, puct:400@RUN with a network",
        _puct,
    ),
    "sog": ("GT-CFR; sog:400@RUN with the network of a run", _student),
    "mcts": (
        "OpenSpiel's MCTS; mcts:1000 simulations a move",
        lambda builder, text: OpenSpielMCTS(builder, _number("mcts", text, 1000)),
    ),
    "is-mcts": (
        "OpenSpiel's IS-MCTS in Leduc; is-mcts:1000 simulations a move",
        lambda builder, text: ISMCTSAgent(builder, _number("is-mcts", text, 1000)),
    ),
    "a2c": (
        "OpenSpiel's A2C in Leduc; a2c:20000 games of self-play before the first",
        lambda builder, text: A2CAgent(builder, _number("a2c", text, 20_000)),
    ),
    "gnugo": (
        "GnuGo; gnugo:10 is its level",
        lambda builder, text: gnugo(builder, _number("gnugo", text, 10)),
    ),
    "gtp": ("any Go engine: 'gtp:COMMAND'", lambda builder, text: GTPAgent(builder, text)),
}
"""By word: what it is, and how it is made from the text after the colon."""


def find_agent(name: str, builder: Builder, *, effort: Effort = AS_TRAINED) -> Agent:
    """The agent of that name, or search with the trained network of that name or path.

    effort: of ReBeL's search, by default as the network's settings say.
    """
    word, _, text = name.partition(":")
    if word in NAMED:
        return NAMED[word][1](builder, text)
    from tacit.learn.shipped import shipped

    if not Path(name).exists() and name not in shipped():
        otherwise = f"name a run, a network file, or one of {', '.join(NAMED)}"
        raise GameError(unknown("agent", name, [*NAMED, *shipped()], otherwise=otherwise))
    return trained_agent(_network(name, builder), builder, effort=effort)


def _baseline(builder: Builder, name: str) -> Agent:
    known = baselines(builder)
    if name not in known:
        raise GameError(f"{name} does not play {builder.game.name}; take uniform")
    return known[name]
