"""What chooses a move: solved policies, rules, and search with a value network."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.agents.agent import Agent
    from tacit.games import Game
    from tacit.learn.trainer import TrainedNetwork
    from tacit.solvers import Solution

__all__ = ["policy", "search", "uniform"]


def search(
    run: TrainedNetwork | str | Path,
    *,
    iterations: int | None = None,
    depth: int | None = None,
    simulations: int | None = None,
    game: Game | None = None,
) -> Agent:
    """The agent that searches with the network of a run, as its settings say.

    `run` may be the path of one or of a network file, or the name of a game whose network comes
    with tacit; give `game` for a file of a game that has no name in the package. Give `iterations`
    and `depth` of ReBeL's search, or `simulations` of Student of Games.
    """
    from tacit.agents.named import trained_agent
    from tacit.learn.settings import Effort
    from tacit.learn.trainer import trained

    found = trained(run, game=game)
    builder = found.network.encoding.builder
    effort = Effort(iterations=iterations, depth=depth)
    return trained_agent(found, builder, effort=effort, simulations=simulations)


def uniform(game: Game | str) -> Agent:
    """The agent that plays every legal action alike."""
    from tacit.agents import simple
    from tacit.agents.agent import RuleAgent
    from tacit.games import load_game
    from tacit.tree import Builder

    return RuleAgent(Builder(load_game(game)), simple.uniform)


def policy(solution: Solution) -> Agent:
    """The agent that plays by the policy of a solution."""
    from tacit.agents.agent import PolicyAgent

    return PolicyAgent(solution.tree, solution.policy)
