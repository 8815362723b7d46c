"""How long the decisions of a player of hold'em take."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tacit.report.experiment import SILENT, Experiment, Progress, option
from tacit.report.table import Row

ALL = "all"


@dataclass(frozen=True, kw_only=True)
class HoldemDecisions(Experiment):
    """Seconds of a decision of a player of hold'em, street by street.

    Blinds are 50 and 100, and seats change after each hand. A decision is timed from question to
    answer with its searches; one that follows an earlier search takes next to nothing. Two more
    hands are played before, so that the compilation of kernels is not counted.

    Columns: agent, opponent, hands, street (or "all"), decisions, mean and largest (in seconds).
    """

    agent: str = option("search", "The player that is measured.")
    opponent: str = option("blueprint", "Its opponent.")
    hands: int = option(60, "Number of hands.", least=1)
    stack: int = option(20_000, "Chips of both players.", least=100)
    seed: int = option(0, "Seed of the hands.", least=0)

    quick: ClassVar = {"hands": 10}
    title = "Seconds of a decision of {agent} against {opponent}, {hands} hands"
    columns: ClassVar = {
        "street": "{street}",
        "decisions": "{decisions:,}",
        "mean": "{mean:.2f}",
        "largest": "{largest:.2f}",
    }

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """A row for each street and one for all of them."""
        from tacit.agents.holdem.named import find_player
        from tacit.agents.holdem.player import HoldemPlayer, HoldemPolicy
        from tacit.agents.holdem.seat import Decisions
        from tacit.evaluation.holdem.hands import play_hand, shuffled_deck
        from tacit.games.holdem.betting import STREETS, BettingRules
        from tacit.games.holdem.hand import PublicHand

        player, opponent = find_player(self.agent), find_player(self.opponent)
        taken: dict[str, Decisions] = {}

        class Timed(HoldemPlayer):
            """The player with a clock; a memory is the public hand and the player's memory."""

            def begin(self, rules: BettingRules, seat: int, random: np.random.Generator) -> Any:
                return PublicHand.start(rules), player.begin(rules, seat, random)

            def policy(self, memory: Any) -> HoldemPolicy:
                hand, inner = memory
                begun = time.perf_counter()
                policy = player.policy(inner)
                seconds = time.perf_counter() - begun
                for name in (STREETS[hand.betting.street], ALL):
                    taken[name].add(seconds, 0)
                return policy

            def act(self, memory: Any, action: int) -> Any:
                return memory[0].act(action), player.act(memory[1], action)

            def deal(self, memory: Any, cards: tuple[int, ...]) -> Any:
                return memory[0].deal(cards), player.deal(memory[1], cards)

        rules, timed = BettingRules(stacks=(self.stack, self.stack)), Timed()

        def play(number: int) -> None:
            deck = shuffled_deck(np.random.default_rng((self.seed, number)))
            seated = (opponent, timed) if number % 2 else (timed, opponent)
            play_hand(seated, rules, deck, np.random.default_rng((self.seed, number, 0)))

        for first, last in ((0, 2), (2, 2 + self.hands)):
            taken.update({name: Decisions() for name in (*STREETS, ALL)})
            for number in range(first, last):
                progress.stage("hands", number / (2 + self.hands))
                play(number)
        head = {"agent": self.agent, "opponent": self.opponent, "hands": self.hands}
        return [
            {
                **head,
                "street": name,
                "decisions": each.count,
                "mean": each.seconds / max(1, each.count),
                "largest": each.slowest,
            }
            for name, each in taken.items()
        ]
