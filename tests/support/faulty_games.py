"""Matching pennies after a coin toss, right or with one fault in its rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacit.games import CHANCE, TERMINAL, Game, State

FAULTS = {
    "chance-sum": "chance sums to 0.9; it must sum to one",
    "chance-negative": "chance() gives -0.5; probabilities must be finite and not negative",
    "chance-infinite": "chance() gives inf; probabilities must be finite and not negative",
    "chance-nan": "chance() gives nan; probabilities must be finite and not negative",
    "chance-none": "chance() gives [None, 0.5]; probabilities must be numbers",
    "chance-count": "there are 3 chances for 2 actions; chance() gives one for each",
    "payoff-nan": "the payoff is nan; it must be a finite number",
    "payoff-infinite": "the payoff is -inf; it must be a finite number",
    "payoff-none": "the payoff is None; it must be a finite number",
    "payoff-word": "the payoff is 'much'; it must be a finite number",
    "label-equal": "actions 0 and 1 are both called 'x'; give each a label of its own",
    "label-space": "action 1 has the label 'side 1'; a label is a word: not empty, without spaces",
    "label-empty": "action 1 has the label ''; a label is a word",
    "label-number": "action 1 has the label 1; a label is a word",
    "action-word": "the action 'heads' is not an int; number the actions",
    "action-twice": "actions() lists an action twice: [0, 0, 1]",
    "action-none": "there are no actions; make player TERMINAL where the game is over",
    "action-late": "the game is over but there are actions; make actions() empty there",
    "mover-unknown": "the mover is 7; player must be 0, 1, CHANCE or TERMINAL",
    "mover-hidden": "does not tell who moves; make the mover part of public()",
    "public-list": "public() cannot be hashed: list; return numbers, strings or tuples of them",
    "private-list": "private(0) cannot be hashed: list; return numbers, strings or tuples",
    "subgame-list": "subgame_key() cannot be hashed: list; return numbers, strings or tuples",
    "state-unhashable": "a state cannot be hashed: UnhashableState; make it a frozen dataclass",
    "forgets-move": "infostates merge that differ in their moves or payoffs after 'tails'",
    "public-forgets": "public() must determine all earlier public observations",
    "subgame-payoff": "; make subgame_key() differ between them",
}
"""Each fault, and what is said about it wherever it is met."""


@dataclass(frozen=True, slots=True)
class FaultyState(State):
    """What has happened: the toss, player 1's side, player 2's guess."""

    fault: str = ""
    done: tuple[int, ...] = ()

    @property
    def stage(self) -> int:
        return len(self.done)

    @property
    def player(self) -> int:
        if self.stage == 2 and self.fault == "mover-unknown":
            return 7
        if self.stage == 2 and self.fault == "mover-hidden":
            return 1 - self.done[1]
        return (CHANCE, 0, 1, TERMINAL)[self.stage]

    def actions(self) -> Any:
        if self.stage == 1 and self.fault == "action-word":
            return ("heads", "tails")
        if self.stage == 2 and self.fault == "action-twice":
            return (0, 0, 1)
        if self.stage == 2 and self.fault == "action-none":
            return ()
        return (0, 1) if self.stage < 3 or self.fault == "action-late" else ()

    def chance(self) -> Any:
        return {
            "chance-sum": (0.5, 0.4),
            "chance-negative": (1.5, -0.5),
            "chance-infinite": (float("inf"), 0.5),
            "chance-nan": (float("nan"), 0.5),
            "chance-none": [None, 0.5],
            "chance-count": (0.5, 0.25, 0.25),
        }.get(self.fault, (0.5, 0.5))

    def child(self, action: int) -> FaultyState:
        return FaultyState(self.fault, (*self.done, action))

    def payoff(self) -> Any:
        right = 1.0 if self.done[1] == self.done[2] else -1.0
        return {
            "payoff-nan": float("nan"),
            "payoff-infinite": -float("inf"),
            "payoff-none": None,
            "payoff-word": "much",
        }.get(self.fault, right * (1 + self.done[0]))

    def public(self) -> Any:
        toss = self.done[:1]
        if self.fault == "public-forgets" and self.stage == 3:
            toss = ()
        seen = self.stage, toss, self.done[2:]
        return list(seen) if self.fault == "public-list" else seen

    def private(self, player: int) -> Any:
        if self.fault == "private-list":
            return [player]
        if player == 0 and self.stage >= 2 and self.fault != "forgets-move":
            return self.done[1]
        return None

    def subgame_key(self) -> Any:
        if self.fault == "subgame-list":
            return [self.stage]
        if self.fault == "subgame-payoff" and self.stage == 3:
            return "end"
        return self.public()

    def label(self, action: int) -> Any:
        wrong = {"label-space": "side 1", "label-empty": "", "label-number": 1}
        if self.fault == "label-equal" and self.stage == 1:
            return "x"
        if self.fault in wrong and self.stage == 1 and action == 1:
            return wrong[self.fault]
        return ("heads", "tails")[action]

    def render(self, player: int | None = None) -> str:
        side = self.done[1:2] if player is None or self.private(player) is not None else ()
        return f"toss {self.done[:1]}, side {side}, guess {self.done[2:]}"


class UnhashableState(FaultyState):
    """A state without a hash."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]


class FaultyGame(Game):
    """A coin is tossed in public for the stake; player 1 hides a side, player 2 guesses it."""

    title = "Pennies for a tossed stake"

    def __init__(self, fault: str = "") -> None:
        self.name = f"faulty-{fault}" if fault else "pennies"
        self.fault = fault

    def initial(self) -> FaultyState:
        if self.fault == "state-unhashable":
            return UnhashableState(self.fault)
        return FaultyState(self.fault)
