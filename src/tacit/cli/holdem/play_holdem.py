"""`tacit play holdem`: hands of heads-up no-limit hold'em against a player."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.cli.show import read_line

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console

    from tacit.agents.holdem.player import HoldemPlayer
    from tacit.formats.phh import HandHistory
    from tacit.games.holdem.betting import BettingRules
    from tacit.games.holdem.hand import PublicHand

HELP = (
    "fold (f), check (k), call (c); an amount such as 300 bets or raises to 300 on this street; "
    "50%, half, pot: by that share of the pot; min; all in (a); quit"
)
AFTER = "Enter: next hand; think: what it thought; grid N: its policy at decision N; quit"


@dataclass
class _Table:
    """A match in play; seats alternate from hand to hand."""

    player: HoldemPlayer
    rules: BettingRules
    random: np.random.Generator
    screen: Console
    person: int
    hands: int = 0
    score: int = 0
    thoughts: list[tuple[Any, int]] = field(default_factory=list)
    """Of the hand: the player's memory at each of its decisions, and its cards."""


def play_holdem(
    agent: str, *, seat: int, stack: int, seed: int | None, log: Path | None = None
) -> None:
    """Play hands until the person quits."""
    import numpy as np

    from tacit.agents.holdem.named import find_player
    from tacit.formats.match_log import MatchRecord
    from tacit.games.holdem.betting import BettingRules
    from tacit.report.output import console

    rules = BettingRules(stacks=(stack, stack))
    player = find_player(agent)
    screen = console()
    table = _Table(player, rules, np.random.default_rng(seed), screen, seat - 1)
    _say(
        table,
        f"Heads-up no-limit hold'em, blinds 50 and 100, stacks {stack:,} each hand, against "
        f"{agent}.\nType {HELP}; ? repeats this.",
    )
    with MatchRecord(log, rules, f"play holdem --agent {agent}") as record:
        while (hand := _play_hand(table)) is not None:
            record.add(hand)
            if not _between_hands(table):
                break
            table.person = 1 - table.person
        else:
            _say(table, "The hand in play does not count.")
        record.finish()
    _say(table, f"Final score {_score(table)}")


def _say(table: _Table, text: str) -> None:
    table.screen.print(text, soft_wrap=True, markup=False, highlight=False)


def _score(table: _Table) -> str:
    mbb = 10 * table.score / table.hands if table.hands else 0.0
    return (
        f"after {table.hands} hand{'' if table.hands == 1 else 's'}: {table.score:+,} chips "
        f"({mbb:+,.0f} mbb/h)."
    )


def _play_hand(table: _Table) -> HandHistory | None:
    """One hand; None if the person quits."""
    from tacit.formats.phh import HandHistory
    from tacit.games import CHANCE, TERMINAL
    from tacit.games.holdem.betting import BOARD_SIZES
    from tacit.games.holdem.cards import HAND_INDEX
    from tacit.games.holdem.hand import PublicHand
    from tacit.games.holdem.wording import describe_action
    from tacit.tree.playing import draw

    person, player, random = table.person, table.player, table.random
    deck = [int(card) for card in random.permutation(52)[:9]]
    holes = ((deck[0], deck[1]), (deck[2], deck[3]))
    board = deck[4:]
    other = 1 - person
    held = int(HAND_INDEX[holes[other]])
    memory = player.begin(table.rules, other, random)
    hand = PublicHand.start(table.rules)
    table.thoughts = []
    name = "big blind" if person == 0 else "small blind and button"
    _say(table, f"\nHand {table.hands + 1}. You are the {name}.")
    _show_table(table, hand, holes[person])
    while hand.mover != TERMINAL:
        if hand.mover == CHANCE:
            first, last = BOARD_SIZES[hand.betting.street], BOARD_SIZES[hand.betting.street + 1]
            cards = tuple(board[first:last])
            hand, memory = hand.deal(cards), player.deal(memory, cards)
            _show_table(table, hand, holes[person])
            continue
        if hand.mover == person:
            chosen = _ask(table, hand)
            if chosen is None:
                return None
            action = chosen
        else:
            with table.screen.status("thinking"):
                policy = player.policy(memory)
            table.thoughts.append((memory, held))
            action = policy.actions[draw(policy.chances[:, held], random)]
            _say(table, f"Opponent: {describe_action(hand.betting, action)}")
        hand, memory = hand.act(action), player.act(memory, action)
    history = HandHistory(
        rules=table.rules, holes=holes, board=hand.board, actions=hand.actions,
        fields={"players": ["you", "opponent"][:: 1 if person == 0 else -1], "hand": table.hands},
    )  # fmt: skip
    payoffs = history.payoffs()
    assert payoffs is not None
    won = payoffs[person]
    table.hands += 1
    table.score += won
    _show_end(table, hand, holes[other], won)
    return history


def _show_table(table: _Table, hand: PublicHand, hole: tuple[int, int]) -> None:
    """The cards and chips that the person sees."""
    from rich.text import Text

    from tacit.games.holdem.betting import STREETS
    from tacit.report.holdem.playing_cards import cards_text

    betting, person = hand.betting, table.person
    line = Text(f"{STREETS[betting.street]:<8}")
    line.append_text(cards_text(hand.board, table.screen))
    line.append("  your cards " if hand.board else "your cards ")
    line.append_text(cards_text(sorted(hole, reverse=True), table.screen))
    behind = betting.behind
    line.append(
        f"   pot {betting.pot:,}, you have {behind[person]:,} behind, "
        f"the opponent {behind[1 - person]:,}"
    )
    table.screen.print(line, soft_wrap=True)


def _show_end(table: _Table, hand: PublicHand, hole: tuple[int, int], won: int) -> None:
    from rich.text import Text

    from tacit.report.holdem.playing_cards import cards_text

    folded = hand.betting.folded
    if folded is None:
        line = Text("Showdown: the opponent has ")
        line.append_text(cards_text(sorted(hole, reverse=True), table.screen))
        table.screen.print(line, soft_wrap=True)
    else:
        _say(table, "You fold." if folded == table.person else "The opponent folds.")
    result = (
        f"You win {won:,}." if won > 0 else f"You lose {-won:,}." if won else "The pot is split."
    )
    _say(table, f"{result} Score {_score(table)}")


def _ask(table: _Table, hand: PublicHand) -> int | None:
    """The person's action; None if the person quits."""
    from tacit.games import GameError
    from tacit.games.holdem.wording import describe_options, read_action
    from tacit.report.table import printable

    while True:
        answer = read_line(f"Your move ({describe_options(hand.betting)}): ")
        if answer is None or answer.strip().lower() in ("q", "quit", "exit"):
            return None
        if answer.strip() in ("?", "help"):
            _say(table, HELP)
            continue
        try:
            return read_action(hand.betting, answer)
        except GameError as error:
            _say(table, printable(str(error)))


def _between_hands(table: _Table) -> bool:
    """Show what the person asks for; whether another hand is played."""
    from tacit.agents.holdem.search_player import Memory
    from tacit.report.holdem.holdem_thought import thought_grid, thought_report
    from tacit.report.output import print_report

    while True:
        answer = read_line(f"{AFTER}: ")
        if answer is None:
            return False
        word, _, rest = answer.strip().lower().partition(" ")
        thoughts = [each for each in table.thoughts if isinstance(each[0], Memory)]
        if word in ("q", "quit", "n", "no", "exit"):
            return False
        if word in ("", "y", "yes", "next"):
            return True
        if word in ("t", "think"):
            for number, (memory, held) in enumerate(thoughts, 1):
                print_report(table.screen, thought_report(memory, held, number))
            if not thoughts:
                _say(table, "It made no decision by search in this hand.")
        elif word in ("g", "grid") and rest.isdecimal() and 1 <= int(rest) <= len(thoughts):
            print_report(table.screen, thought_grid(thoughts[int(rest) - 1][0]))
        elif word in ("g", "grid"):
            _say(table, f"Name a decision from 1 to {len(thoughts)}, as in grid 1.")
        else:
            _say(table, AFTER)
