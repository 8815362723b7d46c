"""The betting of one street, walked once for all boards on which it takes place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tacit.array_record import Float64, Int8, Int32
from tacit.games import CHANCE, TERMINAL
from tacit.games.holdem.betting import Betting
from tacit.games.holdem.spot import action_label
from tacit.tree.arrays import LEAF
from tacit.tree.builder import Limit
from tacit.tree.cards.states import CardState, labelled_actions
from tacit.tree.public_state import ActionSet


class Entry(NamedTuple):
    """The start of a street: the betting so far, and where the tree ends below it."""

    betting: Betting
    history: str
    limit: Limit
    root: bool = False


@dataclass(frozen=True)
class StreetTemplate:
    """The betting of a street from its entries on, parents before children; n nodes.

    An entry's nodes are consecutive. Nodes before a deal (`deals`) have one edge per board; the
    others have one per action.
    """

    player: Int8
    """[n] who moves: 0, 1, CHANCE, TERMINAL or LEAF"""
    moves: Int32
    """[n] the number of actions"""
    scale: Float64
    """[n] `TreeArrays.terminal_scale`"""
    fold: Int8
    """[n] 1 at the end of a hand by a fold"""
    parent: Int32
    """[n] the node from which an action leads here, -1 at an entry"""
    move: Int32
    """[n] the number of that action"""
    entries: Int32
    """[entries] their nodes"""
    deals: Int32
    """[.] the nodes where the cards of the next street are dealt"""
    betting: tuple[Betting, ...] = field(repr=False)
    history: tuple[str, ...] = field(repr=False)
    labels: tuple[tuple[str, ...], ...] = field(repr=False)
    following: tuple[Entry, ...] = field(repr=False)
    """The entries of the next street, after each of `deals`."""

    def __len__(self) -> int:
        return len(self.player)


def walk_street(
    start: CardState, entries: Sequence[Entry], actions: ActionSet | None = None
) -> StreetTemplate:
    """The betting of a street from each of `entries` on, which are below `start`.

    actions: by default those of the spot's bet sizes.
    """
    rows: list[tuple[int, int, float, int, int, int]] = []
    betting: list[Betting] = []
    history: list[str] = []
    labels: list[tuple[str, ...]] = []
    starts: list[int] = []
    deals: list[int] = []
    following: list[Entry] = []
    stack = [(entry, -1, 0) for entry in reversed(entries)]
    while stack:
        (here, past, limit, root), parent, move = stack.pop()
        state = CardState(start.spot, here, start.deal, past)
        number, mover, scale, fold = len(rows), here.player, 0.0, 0
        chosen: Sequence[int] = ()
        if parent < 0:
            starts.append(number)
        if mover == TERMINAL:
            scale, fold = state.amount, int(here.folded is not None)
            scale = -scale if here.folded == 0 else scale
        elif not root and limit.ends(state):
            mover = LEAF
        elif mover == CHANCE:
            deals.append(number)
            following.append(Entry(here.deal(), past + "/", limit))
        else:
            labelled = None if actions is None else actions(state)
            if labelled is None:
                chosen = start.spot.actions(here, past)
            else:
                chosen = labelled_actions(labelled)
        names = tuple(action_label(here, action) for action in chosen)
        rows.append((mover, len(chosen), scale, fold, parent, move))
        betting.append(here)
        history.append(past)
        labels.append(names)
        below = [
            (Entry(here.act(action), past + name, limit.below(mover)), number, n)
            for n, (action, name) in enumerate(zip(chosen, names, strict=True))
        ]
        stack += reversed(below)
    player, moves, scales, folds, parents, numbers = zip(*rows, strict=True)
    return StreetTemplate(
        player=np.array(player, np.int8),
        moves=np.array(moves, np.int32),
        scale=np.array(scales),
        fold=np.array(folds, np.int8),
        parent=np.array(parents, np.int32),
        move=np.array(numbers, np.int32),
        entries=np.array(starts, np.int32),
        deals=np.array(deals, np.int32),
        betting=tuple(betting),
        history=tuple(history),
        labels=tuple(labels),
        following=tuple(following),
    )
