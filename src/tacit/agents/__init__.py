"""What chooses a move: solved policies, rules, and search with a value network."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.agents.agent import Agent
    from tacit.games import Game
    from tacit.learn.trainer import Run


def search(run: Run, *, iterations: int | None = None) -> Agent:
    """The agent that searches with a run's network, as its settings say."""
    from dataclasses import replace

    from tacit.agents.search_agent import SearchAgent

    settings = run.settings.play
    if iterations is not None:
        settings = replace(settings, iterations=iterations)
    return SearchAgent(run.encoding.builder, run.network, settings)


def uniform(game: Game) -> Agent:
    """The agent that plays every legal action alike."""
    from tacit.agents import simple
    from tacit.agents.agent import RuleAgent
    from tacit.tree import Builder

    return RuleAgent(Builder(game), simple.uniform)
