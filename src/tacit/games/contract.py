"""Checks of one state, for the tree builder and for `check_game`.

Each function returns the checked answer of the state, or raises a GameError of one line. `place`
names the state in that line; it is called only if something is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence

import numpy as np

from tacit.games.game import CHANCE, TERMINAL, GameError, State

CHANCE_TOLERANCE = 1e-9
"""Largest error of the sum of a chance state's probabilities."""

Place = Callable[[State], str]


def checked_mover(state: State, place: Place) -> int:
    """The mover; a terminal state has no actions."""
    mover = state.player
    if mover not in (0, 1, CHANCE, TERMINAL):
        raise GameError(
            f"{place(state)} the mover is {mover!r}; player must be 0, 1, CHANCE or TERMINAL"
        )
    if mover == TERMINAL and len(state.actions()):
        raise GameError(
            f"{place(state)} the game is over but there are actions; make actions() empty there"
        )
    return mover


def checked_actions(state: State, place: Place) -> Sequence[int]:
    """The actions of a state that is not terminal; `checked_labels` checks each."""
    actions = state.actions()
    if len(actions) == 0:
        raise GameError(
            f"{place(state)} there are no actions; make player TERMINAL where the game is over"
        )
    if len(set(actions)) != len(actions):
        raise GameError(f"{place(state)} actions() lists an action twice: {list(actions)!r}")
    return actions


def checked_labels(state: State, actions: Iterable[int], place: Place) -> list[str]:
    """The labels of `actions`, which are ints: words, all different."""
    first: dict[str, int] = {}
    for action in actions:
        if not isinstance(action, int | np.integer):
            problem = f"the action {action!r} is not an int; number the actions"
            raise GameError(f"{place(state)} {problem}")
        label = state.label(action)
        if not isinstance(label, str) or label.split() != [label]:
            raise GameError(
                f"{place(state)} action {action} has the label {label!r}; a label is a word: not "
                "empty, without spaces"
            )
        if first.setdefault(label, action) != action:
            raise GameError(
                f"{place(state)} actions {first[label]} and {action} are both called {label!r}; "
                "give each a label of its own"
            )
    return list(first)


def checked_chance(state: State, actions: Sequence[int], place: Place) -> Sequence[float]:
    """The probabilities of `actions`: one each, none negative, with sum one."""
    chances = state.chance()
    try:
        total = float(sum(chances))
        fine = abs(total - 1.0) <= CHANCE_TOLERANCE and min(chances) >= 0
    except TypeError:
        problem = f"chance() gives {list(chances)!r}; probabilities must be numbers"
        raise GameError(f"{place(state)} {problem}") from None
    if len(chances) != len(actions):
        problem = f"there are {len(chances)} chances for {len(actions)} actions; chance() gives one"
        raise GameError(f"{place(state)} {problem} for each")
    if fine:
        return chances
    wrong = [chance for chance in chances if not 0 <= chance < math.inf]
    problem = f"chance sums to {total:.12g}; it must sum to one"
    if wrong:
        problem = f"chance() gives {wrong[0]!r}; probabilities must be finite and not negative"
    raise GameError(f"{place(state)} {problem}")


def checked_payoff(state: State, place: Place) -> float:
    """Player 0's payoff."""
    payoff = state.payoff()
    try:
        if math.isfinite(payoff):
            return payoff
    except TypeError:
        pass
    raise GameError(f"{place(state)} the payoff is {payoff!r}; it must be a finite number")


def check_hashable(states: Iterable[State], name: str) -> None:
    """Refuse states, and keys of states, that cannot be hashed."""
    for state in states:
        keys: dict[str, Hashable] = {
            "public()": state.public(),
            "private(0)": state.private(0),
            "private(1)": state.private(1),
            "subgame_key()": state.subgame_key(),
            "a state": state,
        }
        for text, key in keys.items():
            try:
                hash(key)
            except TypeError:
                advice = "return numbers, strings or tuples of them"
                if key is state:
                    advice = "make it a frozen dataclass"
                what = f"{text} cannot be hashed: {type(key).__name__}"
                raise GameError(f"{name}: {what}; {advice}") from None
