"""Bets of a player's search that are chosen for the public belief state (RL-CFR)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tacit.games import GameError
from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.chooser import LearnedChooser
from tacit.learn.rl_cfr.decisions import Decision, pruned
from tacit.learn.rl_cfr.sizes import HOLDEM, Sizes
from tacit.subgame.street import BetMenu, StreetPBS

ActionChooser = Callable[[Decision], Sizes]
"""What chooses a set of sizes for the player about to act."""


def base_sizes(decision: Decision) -> Sizes:
    """The default sizes, whatever the decision."""
    return HOLDEM.base


def learned_sizes(decision: Decision) -> Sizes:
    """The sizes that the shipped networks choose."""
    return LearnedChooser().at(decision)


CHOOSERS: Mapping[str, ActionChooser] = {"base": base_sizes, "learned": learned_sizes}


def chosen_menu(root: StreetPBS, menu: BetMenu, chooser: ActionChooser) -> BetMenu:
    """The menu in which the bets or raises at `root` are those of an action chooser.

    Those after further raises stay, and all of them where there is no size to choose, or where the
    likely hands of both ranges share cards.
    """
    betting, history = root.point
    if not root.board or betting.raise_bounds() is None:
        return menu
    ranges = pruned(root.ranges[0]), pruned(root.ranges[1])
    try:
        spot = Spot(board=root.board, rules=root.start.rules, ranges=ranges, bets=menu.spot_bets)
    except GameError:  # the ranges cannot meet
        return menu
    decision = Decision(spot, history)
    if not decision.has_choice:
        return menu
    pots = HOLDEM.in_pots(chooser(decision))
    lists, place = list(menu.now), history.count("r")
    lists += [menu.now[-1]] * (place + 2 - len(lists))
    lists[place] = ",".join([*(f"{100 * size:g}%" for size in pots), "a"])
    return replace(menu, now=tuple(lists))
