"""PREFLOP43: the betting before the flop over a deck of which 43 cards are known (RL-CFR, A.2).

Each player gets two cards and 43 of the other 48 are shown to both. Nine cards stay hidden: two of
each player and the five of the board. So a player has 36 hands, and the hands of both decide the
board. The nine cards define the game and are part of its name. The tree ends with the hand.

Raises are those of the paper's fixed abstraction. Multiples of a big blind lead to multiples of it,
so nothing is rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tacit.games.game import CHANCE, TERMINAL, Game, GameError, State
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import CALL, FOLD, PREFLOP, Betting, BettingRules, replay
from tacit.games.holdem.cards import format_cards, parse_cards
from tacit.games.holdem.spot import action_label

UNKNOWN = 9
"""The number of hidden cards."""
BIG_BLIND = 100
STACKS = range(10, 101)
"""The paper's stacks, in big blinds."""
BETS = BetSettings.parse({"preflop": "50%,100%,200%,400%,800%,a"})

HANDS = tuple(combinations(range(UNKNOWN), 2))
"""The 36 hands, as indices into the nine cards."""
DEALS = tuple(
    (first, second)
    for first, mine in enumerate(HANDS)
    for second, other in enumerate(HANDS)
    if not set(mine) & set(other)
)
"""The 756 ways to deal both hands."""


@dataclass(frozen=True, slots=True)
class Preflop43State(State):
    """A world state.

    `cards` are the nine unknown cards, `stack` each player's stack in big blinds, `hands` both
    players' hands as indices into `HANDS` (empty before the deal), and `history` the betting in
    notation.
    """

    cards: tuple[int, ...]
    stack: int
    hands: tuple[int, ...] = ()
    history: str = ""

    @property
    def betting(self) -> Betting:
        """The chips and the mover."""
        return _point(self.stack, self.history)[0]

    @property
    def player(self) -> int:
        return self.betting.player if self.hands else CHANCE

    def actions(self) -> tuple[int, ...]:
        if not self.hands:
            return tuple(range(len(DEALS)))
        return tuple(_point(self.stack, self.history)[1])

    def chance(self) -> tuple[float, ...]:
        return (1 / len(DEALS),) * len(DEALS)

    def child(self, action: int) -> Preflop43State:
        if not self.hands:
            return Preflop43State(self.cards, self.stack, DEALS[action])
        history = self.history + self.label(action)
        return Preflop43State(self.cards, self.stack, self.hands, history)

    def payoff(self) -> float:
        stake = min(self.betting.committed) / BIG_BLIND
        if self.betting.folded is not None:
            return stake if self.betting.folded == 1 else -stake
        return stake * _showdowns(self.cards)[self.hands]

    def public(self) -> str | None:
        return self.history if self.hands else None

    def private(self, player: int) -> str | None:
        return _hand(self.cards, self.hands[player]) if self.hands else None

    def subgame_key(self) -> tuple[object, ...]:
        """The chips and the mover; the betting that led to them does not matter."""
        now = self.betting
        chips = now.committed, now.last_raise, now.acted
        return bool(self.hands), now.player, now.folded, chips

    def label(self, action: int) -> str:
        if not self.hands:
            return "-".join(_hand(self.cards, hand) for hand in DEALS[action])
        return _point(self.stack, self.history)[1][action]

    def render(self, player: int | None = None) -> str:
        unknown = f"Unknown: {format_cards(self.cards)}."
        if not self.hands:
            return f"{unknown} The hands are not dealt yet."
        seen = [self.private(p) if player in (None, p) else "??" for p in (0, 1)]
        chips = [f"{chips / BIG_BLIND:g}" for chips in self.betting.committed]
        return (
            f"{unknown} Player 1, the big blind, holds {seen[0]}, player 2 holds {seen[1]}. "
            f"In the pot: {chips[0]} and {chips[1]} big blinds. Betting: {self.history or 'none'}."
        )


class Preflop43(Game):
    """Each player gets two cards, 43 others are shown, and there is one round of betting.

    Player 2 posts the small blind, half a big blind, and acts first; player 1 posts the big blind.
    They fold, call (or check), raise by 0.5, 1, 2, 4 or 8 times the pot, or go all in. If nobody
    folds, the last five cards are the board and the best hand of hold'em wins the pot. The name
    states the nine cards that are not shown and the stacks in big blinds, 10 to 100.
    """

    unit = "big blinds"

    def __init__(self, cards: str, stack: str | int) -> None:
        self.cards = parse_cards(cards)
        self.stack = int(stack)
        if len(self.cards) != UNKNOWN:
            raise GameError(
                f"preflop43 has {UNKNOWN} cards that are not shown; {cards!r} has {len(self.cards)}"
            )
        if self.stack not in STACKS:
            raise GameError(
                f"preflop43 is played with {STACKS[0]} to {STACKS[-1]} big blinds, not {stack}"
            )
        self.name = f"preflop43-{format_cards(self.cards)}-{self.stack}"
        self.title = f"PREFLOP43, {self.stack} big blinds"

    def initial(self) -> Preflop43State:
        return Preflop43State(self.cards, self.stack)


def betting_rules(stack: int) -> BettingRules:
    """The rules of the betting with stacks of so many big blinds."""
    return BettingRules(
        stacks=(stack * BIG_BLIND, stack * BIG_BLIND),
        big_blind=BIG_BLIND,
        small_blind=BIG_BLIND // 2,
        last_street=PREFLOP,
    )


def deal_matrices(cards: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """[36, 36] the chance of each pair of hands, and that times player 0's result at a showdown."""
    chance, result = np.zeros((2, len(HANDS), len(HANDS)))
    for pair, sign in _showdowns(cards).items():
        chance[pair] = 1 / len(DEALS)
        result[pair] = sign / len(DEALS)
    return chance, result


def hand_names(cards: tuple[int, ...]) -> tuple[str, ...]:
    """The names of the 36 hands."""
    return tuple(_hand(cards, hand) for hand in range(len(HANDS)))


@cache
def _point(stack: int, history: str) -> tuple[Betting, dict[int, str]]:
    """The betting after `history`, the same for all deals, and the labels of its actions."""
    betting = replay(betting_rules(stack), history)
    if betting.player == TERMINAL:
        return betting, {}
    actions = (*((FOLD,) if betting.can_fold else ()), CALL, *BETS.raises(betting))
    return betting, {action: action_label(betting, action) for action in actions}


@cache
def _hand(cards: tuple[int, ...], hand: int) -> str:
    return format_cards(cards[place] for place in HANDS[hand])


@cache
def _showdowns(cards: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """For each deal the result of player 0: 1 wins, -1 loses, 0 ties."""
    # Imported here because it imports the compiler, which listing the games does not need.
    from tacit.games.holdem.hand_rank import rank_cards

    places = range(UNKNOWN)
    sevens = [
        (*HANDS[hand], *(p for p in places if p not in (*HANDS[deal[0]], *HANDS[deal[1]])))
        for deal in DEALS
        for hand in deal
    ]
    strengths = rank_cards(np.array(cards, np.int8)[np.array(sevens)]).reshape(-1, 2)
    signs = np.sign(strengths[:, 0] - strengths[:, 1]).tolist()
    return dict(zip(DEALS, signs, strict=True))
