"""Players of hold'em by name, with options after a colon."""

from __future__ import annotations

from collections.abc import Callable

from tacit.agents.holdem.player import HoldemPlayer, RulePlayer, always_call, always_fold
from tacit.games import GameError
from tacit.suggest import unknown

PLAYERS: dict[str, tuple[str, Callable[[str], HoldemPlayer]]] = {
    "always-fold": ("folds to every bet", lambda _: RulePlayer(always_fold)),
    "always-call": ("checks and calls", lambda _: RulePlayer(always_call)),
    "blueprint": (
        "a blueprint in card buckets, without search; blueprint:FILE for one of your own",
        lambda text: _blueprint(text),
    ),
    "blueprint-search": (
        "the same, and from the turn on nested search (blueprint-search:flop: from the flop on)",
        lambda text: _blueprint_search(text),
    ),
    "search": ("searches at every street; search:fast for matches", lambda text: _search(text)),
}
"""By word: what it is, and how it is made from the text after the colon."""


def find_player(name: str) -> HoldemPlayer:
    """The player of that name; GameError names the nearest one if there is none."""
    word, _, text = name.partition(":")
    if word not in PLAYERS:
        raise GameError(unknown("player", name, PLAYERS))
    return PLAYERS[word][1](text)


def _search(text: str) -> HoldemPlayer:
    # Imported here because it imports torch, which listing the players does not need.
    from tacit.agents.holdem.searching import search_player

    return search_player(text)


def _blueprint(text: str) -> HoldemPlayer:
    # Imported here because it compiles kernels, which listing the players does not need.
    from tacit.agents.holdem.blueprint_player import blueprint_player

    return blueprint_player(text)


def _blueprint_search(text: str) -> HoldemPlayer:
    from tacit.agents.holdem.blueprint_search import blueprint_search_player

    return blueprint_search_player(text)
