"""The search player by the name of its settings, with its evaluators and stored solutions."""

from __future__ import annotations

from functools import cache

from tacit.agents.holdem.search_player import Leaves, SearchPlayer
from tacit.agents.holdem.settings import read_settings
from tacit.agents.holdem.stored import load_plans
from tacit.games.holdem.betting import FLOP, PREFLOP, TURN
from tacit.learn.holdem.equity_evaluator import EquityEvaluator
from tacit.learn.holdem.network import load_evaluator, shipped
from tacit.solvers.leaves import PBSEvaluator

NETWORKS = {PREFLOP: "holdem-preflop", FLOP: "holdem-flop", TURN: "holdem-turn"}
"""By street, the network for the PBSs at the end of its betting."""


def search_player(text: str) -> SearchPlayer:
    """The player with the settings of `tacit.agents.holdem.settings.read_settings`."""
    settings = read_settings(text)
    stored = load_plans() if settings.network else {}
    return SearchPlayer(settings, evaluators(network=settings.network), stored=stored)


@cache
def evaluators(*, network: bool) -> Leaves:
    """The evaluator of each street's leaves: a trained network if there is one, or equity."""
    equity, known = EquityEvaluator(), shipped() if network else {}
    found: dict[int, PBSEvaluator] = {}
    for street, name in NETWORKS.items():
        found[street] = load_evaluator(name) if name in known else equity
    return found
