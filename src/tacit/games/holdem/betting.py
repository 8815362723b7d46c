"""The betting of heads-up no-limit hold'em: legal actions, and the chips that each player wins.

There are no cards here: a `Betting` knows the mover, when cards are due, and the payoffs at the
end. Player 0 is the big blind, player 1 the small blind and button, as in ACPC, OpenSpiel and PHH.

An action is a number: `FOLD`, `CALL` (a check when there is nothing to call), or the chips that the
player will have committed over the whole hand after a bet or raise.

The rules are those of ACPC and of casinos for two players:
- A bet is at least a big blind, a raise at least as large as the street's last bet or raise.
- An all-in may be smaller than the minimum. Nobody raises an opponent who is all in.
- A bet may exceed the opponent's stack; what is not called is returned.
- After a call with a player all in, the remaining cards are dealt without betting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tacit.games.game import CHANCE, TERMINAL, GameError
from tacit.games.holdem.notation import NotationError

FOLD = 0
CALL = 1

MIN_CHIPS = 2
"""The smallest stack and big blind: a bet of fewer chips would be the number of a call."""

STREETS = ("preflop", "flop", "turn", "river")
PREFLOP, FLOP, TURN, RIVER = range(4)
BOARD_SIZES = (0, 3, 4, 5)
"""The number of board cards on each street."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BettingRules:
    """Blinds, stacks and streets of a hand; amounts are whole chips, players in the order 0, 1.

    A hand whose `first_street` is the flop or later starts there: no blinds are posted, each player
    has already committed `committed` chips, and the pot holds `dead` chips that belong to nobody
    (an odd chip, a folded player's blind).
    """

    stacks: tuple[int, int] = (20_000, 20_000)
    """Each player's chips at the start of the hand, before blinds and `committed`."""
    big_blind: int = 100
    small_blind: int = 50
    ante: int = 0
    first_street: int = PREFLOP
    last_street: int = RIVER
    committed: int = 0
    dead: int = 0

    def __post_init__(self) -> None:
        for name in ("big_blind", "small_blind", "ante", "committed", "dead"):
            if getattr(self, name) < 0:
                raise GameError(f"{name} is {getattr(self, name)}; expected 0 chips or more")
        if self.big_blind < max(MIN_CHIPS, self.small_blind):
            raise GameError(
                f"the big blind is {self.big_blind}; expected at least {MIN_CHIPS} chips "
                f"and at least the small blind, {self.small_blind}"
            )
        if not PREFLOP <= self.first_street <= self.last_street <= RIVER:
            raise GameError(
                f"streets {self.first_street} to {self.last_street} are impossible; expected "
                "0 (preflop) <= first_street <= last_street <= 3 (river)"
            )
        if self.committed and self.first_street == PREFLOP:
            raise GameError(
                "chips committed before the hand need a first_street after preflop; "
                "before the flop use blinds and ante"
            )
        for player, stack in enumerate(self.stacks):
            if stack < max(MIN_CHIPS, self.committed):
                raise GameError(
                    f"player {player} has a stack of {stack}; expected at least {MIN_CHIPS} and at "
                    f"least the {self.committed} already committed (stacks before the hand)"
                )

    @classmethod
    def from_pot(
        cls, street: int, *, pot: int, behind: tuple[int, int], big_blind: int = 100
    ) -> BettingRules:
        """A hand that starts on `street` (1 to 3) with chips in the `pot` and `behind` it."""
        if not FLOP <= street <= RIVER:
            raise GameError(f"street {street} is impossible here; expected 1 (flop) to 3 (river)")
        half, odd = divmod(pot, 2)
        return cls(
            stacks=(behind[0] + half, behind[1] + half),
            big_blind=big_blind,
            small_blind=min(50, big_blind),
            first_street=street,
            committed=half,
            dead=odd,
        )

    def start(self) -> Betting:
        """The betting before the first action, blinds and antes posted."""
        if self.first_street > PREFLOP:
            before = (self.committed, self.committed)
            return _settle(Betting(self, self.first_street, before, before, self.big_blind, 0))
        big, small = self.stacks
        antes = (min(self.ante, big), min(self.ante, small))
        posted = (min(antes[0] + self.big_blind, big), min(antes[1] + self.small_blind, small))
        return _settle(Betting(self, PREFLOP, posted, antes, self.big_blind, 1))


@dataclass(frozen=True, slots=True)
class Betting:
    """One moment of the betting. Immutable: `act` and `deal` return a new one."""

    rules: BettingRules
    street: int
    committed: tuple[int, int]
    """Chips that each player has put in over the whole hand."""
    before: tuple[int, int]
    """Chips that each player had put in when this street began, antes included."""
    last_raise: int
    """The size of the last bet or raise on this street, at least a big blind."""
    player: int
    """Who moves: 0, 1, `CHANCE` when board cards are due, `TERMINAL` when the hand is over."""
    acted: tuple[bool, bool] = (False, False)
    """Who has acted on this street."""
    folded: int | None = None
    """The player who folded."""

    @property
    def pot(self) -> int:
        """All chips put in so far, those of this street and dead ones included."""
        return sum(self.committed) + self.rules.dead

    @property
    def behind(self) -> tuple[int, int]:
        """Chips that each player can still bet."""
        first, second = self.rules.stacks
        return first - self.committed[0], second - self.committed[1]

    @property
    def to_call(self) -> int:
        """The chips that `CALL` costs the mover."""
        owed = self.committed[1 - self.player] - self.committed[self.player]
        return max(0, min(owed, self.behind[self.player]))

    @property
    def can_fold(self) -> bool:
        """Whether the mover faces a bet."""
        return self.player in (0, 1) and self.to_call > 0

    def raise_bounds(self) -> tuple[int, int] | None:
        """The least and most that a bet or raise may take the mover's total to, or None."""
        if self.player not in (0, 1) or self.behind[1 - self.player] == 0:
            return None
        level = max(self.committed)
        most = self.rules.stacks[self.player]
        if most <= level:
            return None
        return min(level + self.last_raise, most), most

    def to_street(self, total: int) -> int:
        """The chips on this street of the mover's `total` over the whole hand."""
        return total - self.before[self.player]

    def to_total(self, on_street: int) -> int:
        """The mover's total over the whole hand when `on_street` of it is on this street."""
        return on_street + self.before[self.player]

    def legal(self, action: int) -> bool:
        """Whether the mover may take `action`."""
        if action in (FOLD, CALL):
            return self.can_fold if action == FOLD else self.player in (0, 1)
        bounds = self.raise_bounds()
        return bounds is not None and bounds[0] <= action <= bounds[1]

    def act(self, action: int) -> Betting:
        """The betting after the mover's `action`; GameError lists what is possible."""
        if not self.legal(action):
            names = {FOLD: "fold", CALL: "check or call"}
            name = names.get(action, f"a raise to {action} in total over the hand")
            raise GameError(f"{name} is not possible here; possible: {self.options()}")
        mover, opponent = self.player, 1 - self.player
        if action == FOLD:
            return replace(self, player=TERMINAL, folded=mover)
        total = self.committed[mover] + self.to_call if action == CALL else action
        level = max(self.committed)
        return _settle(
            replace(
                self,
                committed=(total, self.committed[1]) if mover == 0 else (self.committed[0], total),
                last_raise=max(self.last_raise, total - level),
                acted=(True, self.acted[1]) if mover == 0 else (self.acted[0], True),
                player=opponent,
            )
        )

    def deal(self) -> Betting:
        """The start of the next street, after its board cards are dealt."""
        if self.player != CHANCE:
            raise GameError(
                f"no cards are due on the {STREETS[self.street]}; "
                + ("the hand is over" if self.player == TERMINAL else f"possible: {self.options()}")
            )
        chips = self.committed
        return _settle(Betting(self.rules, self.street + 1, chips, chips, self.rules.big_blind, 0))

    def options(self) -> str:
        """The possible actions, for an error message."""
        if self.player == TERMINAL:
            return "nothing: the hand is over"
        if self.player == CHANCE:
            return "only the cards of the next street"
        options = f"fold, call {self.to_call}" if self.can_fold else "check"
        if bounds := self.raise_bounds():
            span = " to ".join(map(str, sorted(set(bounds))))
            options += f", raise to {span} in total over the hand"
        return options

    def payoffs(self, winner: int | None = None) -> tuple[int, int]:
        """The chips that each player wins or loses; `winner` of the showdown, None for a tie.

        After a fold `winner` is ignored. What was not called is returned. Dead chips belong to the
        pot, so payoffs sum to them. The odd chip of a tied pot goes to the big blind, who acts
        first.
        """
        if self.player != TERMINAL:
            raise GameError(f"the hand is not over; possible: {self.options()}")
        called = min(self.committed)
        pot = 2 * called + self.rules.dead
        if self.folded is not None:
            winner = 1 - self.folded
        if winner is None:
            return pot - pot // 2 - called, pot // 2 - called
        return (pot - called, -called) if winner == 0 else (-called, pot - called)


def _settle(state: Betting) -> Betting:
    """`state`, or the end of its street or hand if the mover has no decision left."""
    behind, committed = state.behind, state.committed
    mover, opponent = state.player, 1 - state.player
    matched = committed[mover] >= committed[opponent] or behind[mover] == 0
    alone = behind[mover] == 0 or behind[opponent] == 0
    if not matched or (not alone and not state.acted[mover]):
        return state
    return replace(state, player=TERMINAL if state.street == state.rules.last_street else CHANCE)


_TOKEN = re.compile(r"[fck/]|r\d{1,18}|\S", re.ASCII)


def replay(rules: BettingRules, text: str) -> Betting:
    """The betting after a history in ACPC's notation; NotationError points at an illegal action.

    ``f``, ``c`` (or ``k`` for a check), ``r`` and the total over the whole hand; ``/`` between
    streets, as in ``r300c/kr600f``.
    """
    state = rules.start()
    for _, after in read_history(rules, text):
        state = after
    return state


def read_history(rules: BettingRules, text: str) -> Iterator[tuple[int | None, Betting]]:
    """Each action of a history (None: cards are dealt) with the betting after it, as `replay`."""
    state = rules.start()
    for match in _TOKEN.finditer(text):
        token, action = match[0], None
        try:
            if token != "/":
                action = _read_action(state, token)
            state = state.deal() if action is None else state.act(action)
        except GameError as error:
            column = match.start() + 1
            raise NotationError("betting", text, token, column, str(error)) from None
        yield action, state


def _read_action(state: Betting, token: str) -> int:
    if token in ("f", "c"):
        return FOLD if token == "f" else CALL
    if token == "k":
        if state.player in (0, 1) and state.to_call:
            raise GameError(f"there is a bet to call; possible: {state.options()}")
        return CALL
    if len(token) == 1:
        raise GameError("expected f, c, k, r and a total such as r300, or /")
    if int(token[1:]) in (FOLD, CALL):
        raise GameError(f"no raise is this small; possible: {state.options()}")
    return int(token[1:])
