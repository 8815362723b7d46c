"""One hand of hold'em between two players, and its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.agents.holdem.player import HoldemPlayer, HoldemPolicy
from tacit.evaluation.holdem.aivat import Foresight, HandEstimate, is_over
from tacit.games import CHANCE, TERMINAL, GameError
from tacit.games.holdem.betting import BOARD_SIZES, RIVER, BettingRules
from tacit.games.holdem.cards import (
    HAND_INDEX,
    NUM_CARDS,
    NUM_HANDS,
    format_cards,
    live_hands,
    parse_cards,
)
from tacit.games.holdem.hand import PublicHand
from tacit.games.holdem.hand_rank import rank_cards
from tacit.tree.playing import draw

TOLERANCE = 1e-6


@dataclass(frozen=True)
class PlayedHand:
    """A hand that is over; holes and board in the order of `tacit.formats.phh.HandHistory`.

    board: all cards that were dealt, up to the river if players were all in; won: player 0's chips;
    estimate: the same by AIVAT, None if it was not asked for.
    """

    holes: tuple[tuple[int, ...], tuple[int, ...]]
    board: tuple[int, ...]
    actions: tuple[int, ...]
    won: int
    estimate: float | None = None

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "holes": [format_cards(hole) for hole in self.holes],
            "board": format_cards(self.board),
            "actions": list(self.actions),
            "won": self.won,
            "estimate": self.estimate,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PlayedHand:
        """From `to_json`."""
        first, second = (parse_cards(text) for text in data["holes"])
        board, actions = parse_cards(data["board"]), tuple(map(int, data["actions"]))
        estimate = data["estimate"]
        return cls(
            (first, second),
            board,
            actions,
            int(data["won"]),
            None if estimate is None else float(estimate),
        )


def play_hand(
    players: Sequence[HoldemPlayer],
    rules: BettingRules,
    deck: Sequence[int],
    random: np.random.Generator,
    *,
    aivat: bool = False,
) -> PlayedHand:
    """Play one hand; players[s] sits in seat s.

    deck: at least nine cards: the holes of players 0 and 1, then the board.
    """
    holes = tuple(deck[0:2]), tuple(deck[2:4])
    board = tuple(deck[4 : 4 + BOARD_SIZES[RIVER]])
    held = [int(HAND_INDEX[hole[0], hole[1]]) for hole in holes]
    lucks = [np.random.default_rng(random.integers(2**63)) for _ in range(3)]
    memories = [
        player.begin(rules, seat, luck)
        for seat, (player, luck) in enumerate(zip(players, lucks, strict=False))
    ]
    hand = PublicHand.start(rules)
    estimate = HandEstimate(hand) if aivat else None
    while hand.mover != TERMINAL:
        if hand.mover == CHANCE:
            street = hand.betting.street
            cards = board[BOARD_SIZES[street] : BOARD_SIZES[street + 1]]
            if not is_over(hand):
                memories = [p.deal(m, cards) for p, m in zip(players, memories, strict=True)]
                if estimate is not None:
                    estimate.deal(cards)
            hand = hand.deal(cards)
            continue
        mover = hand.mover
        policy = players[mover].policy(memories[mover])
        check_policy(policy, hand, type(players[mover]).__name__)
        action = policy.actions[draw(policy.chances[:, held[mover]], lucks[2])]
        if estimate is not None:
            estimate.act(policy, action, _foresight(players, memories, hand))
        hand = hand.act(action)
        if not is_over(hand):
            memories = [p.act(m, action) for p, m in zip(players, memories, strict=True)]
    won, _ = hand.betting.payoffs(_winner(hand, holes))
    return PlayedHand(
        holes, hand.board, hand.actions, won, None if estimate is None else estimate.total
    )


def _foresight(
    players: Sequence[HoldemPlayer], memories: Sequence[Any], hand: PublicHand
) -> Foresight:
    """The policies on the rest of the street, as far as one of the players knows or expects them.

    What a player will do comes first, then what the opponent expects, then what it does itself.
    """

    def foresee(actions: tuple[int, ...]) -> HoldemPolicy | None:
        after = hand
        for action in actions:
            after = after.act(action)
        mover, other = after.mover, 1 - after.mover
        return (
            players[mover].answer(memories[mover], actions)
            or players[other].expected_answer(memories[other], actions)
            or players[mover].expected_answer(memories[mover], actions)
        )

    return foresee


def shuffled_deck(random: np.random.Generator) -> list[int]:
    """Nine cards: two for each player, five for the board."""
    cards: list[int] = random.permutation(NUM_CARDS)[:9].tolist()
    return cards


def check_policy(policy: HoldemPolicy, hand: PublicHand, name: str) -> None:
    """Refuse a policy of the wrong shape, with illegal actions or without probabilities."""
    if policy.chances.shape != (len(policy.actions), NUM_HANDS):
        raise GameError(
            f"{name} answers a policy of shape {policy.chances.shape}; "
            f"expected {(len(policy.actions), NUM_HANDS)}"
        )
    for action in policy.actions:
        if not hand.betting.legal(action):
            raise GameError(
                f"{name} would take the action {action} after {hand.history!r}; possible: "
                f"{hand.betting.options()}"
            )
    chances = policy.chances[:, live_hands(hand.board)]
    if not (chances.min() >= 0 and abs(chances.sum(axis=0) - 1).max() <= TOLERANCE):
        raise GameError(f"{name} answers chances after {hand.history!r} that do not sum to one")


def _winner(hand: PublicHand, holes: tuple[tuple[int, ...], tuple[int, ...]]) -> int | None:
    """Who wins the showdown; None for a tie or after a fold."""
    if hand.betting.folded is not None:
        return None
    first, second = rank_cards(np.array([(*hole, *hand.board) for hole in holes]))
    return None if first == second else int(second > first)
