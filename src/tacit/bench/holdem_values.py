"""The error of a hold'em network on PBSs that it has not seen, beside that of equity alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tacit.report.experiment import SILENT, Experiment, Progress, option
from tacit.report.table import Row

if TYPE_CHECKING:
    from tacit.learn.holdem.network import KnotEvaluator
    from tacit.learn.holdem.targets import Solved
    from tacit.tree.pbs import PBS


@dataclass(frozen=True, kw_only=True)
class HoldemValues(Experiment):
    """The error of a hold'em network on PBSs of new boards, in % of the pot.

    PBSs before a card come from searches with the network, as in its training. For `holdem-turn`
    they are before the river card, and also random; each river is solved. For `holdem-flop` they
    are before the turn card, and turns are solved to the end of the game. For `holdem-preflop` they
    are before the flop, and flops are searched with `holdem-flop` before the turn card. The PBSs
    after the card are measured, too. Where not all next cards are solved, the value before the card
    is the network's mean over them, or over `flops`, corrected by its mean error on those that are.
    Errors are absolute ones, weighted by the ranges.

    Columns: network, situation, beliefs (self-play or random), positions, equity (the error of
    equity alone), error, worst (of a PBS).
    """

    network: str = option("holdem-turn", "A name, a run or a file.")
    boards: int = option(8, "Boards of each kind; for holdem-preflop searches.", least=1)
    positions: int = option(3, "PBSs before the card on each board.", least=1)
    cards: int = option(48, "Next cards, or flops, that are solved at each PBS.", least=1)
    flops: int = option(200, "Flops over which a network before the flop is averaged.", least=1)
    iterations: int = option(400, "Iterations of each solution.", least=1)
    seed: int = option(1000, "Of boards and ranges.", least=0)

    quick: ClassVar = {"boards": 2, "positions": 2, "cards": 6}
    title = "Error in % of the pot"
    columns: ClassVar = {
        "network": "{network}",
        "PBSs": "{situation}",
        "beliefs": "{beliefs}",
        "positions": "{positions}",
        "equity alone": "{equity:.2f}",
        "network's": "{error:.2f}",
        "worst": "{worst:.2f}",
    }
    text_columns = 3

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """Two rows of each kind of beliefs."""
        from tacit.learn.holdem.knots import Situation
        from tacit.learn.holdem.network import load_evaluator

        evaluator = load_evaluator(self.network)
        before = min(evaluator.situations)
        kinds = {"self-play": self._flops}
        if before == Situation.BEFORE_RIVER:
            kinds = {"self-play": self._played_turns, "random": self._random_turns}
        rows: list[Row] = []
        for beliefs, pbss_of in kinds.items():
            if before == Situation.BEFORE_FLOP:
                found = [self._preflops(evaluator, progress)]
            else:
                found = []
                for board in range(self.boards):
                    progress.stage(f"{beliefs} beliefs", board / self.boards)
                    random = np.random.default_rng([self.seed, board])
                    found.append(self._solved(evaluator, pbss_of(evaluator, random), random))
            both = zip((before, Situation(before + 1)), zip(*found, strict=True), strict=True)
            for situation, part in both:
                head = {"network": self.network, "situation": situation.label, "beliefs": beliefs}
                rows.append({**head, **_errors(evaluator, part)})
        return rows

    def _solved(
        self, evaluator: KnotEvaluator, pbss: list[PBS], random: np.random.Generator
    ) -> tuple[Solved, Solved]:
        """PBSs before a card and after it, solved to the end of the game."""
        from tacit.learn.holdem.targets import (
            TargetSettings,
            corrected_average,
            next_pbss,
            solve_starts,
        )

        dealt = [next_pbss(pbs, self.cards, random) for pbs in pbss]
        target = TargetSettings(iterations=self.iterations)
        after = solve_starts([pbs for each in dealt for pbs in each], target)
        return corrected_average(evaluator, pbss, after, [len(each) for each in dealt]), after

    def _played_turns(self, evaluator: KnotEvaluator, random: np.random.Generator) -> list[PBS]:
        """PBSs before the river card from self-play."""
        from tacit.learn.holdem.self_play import BoardPlay
        from tacit.learn.holdem.settings import HoldemSettings

        settings = HoldemSettings(hidden=evaluator.network.hidden).replace(positions=self.positions)
        play = BoardPlay(settings)
        play.evaluator = evaluator
        return play.play(settings.table.first_state(random), random)

    def _random_turns(self, evaluator: KnotEvaluator, random: np.random.Generator) -> list[PBS]:
        """Random PBSs before the river card."""
        from tacit.learn.holdem.random_positions import random_positions
        from tacit.learn.holdem.settings import HoldemSettings

        table = HoldemSettings(hidden=evaluator.network.hidden).table
        return random_positions(table, self.positions, random, before_card=True)

    def _flops(self, evaluator: KnotEvaluator, random: np.random.Generator) -> list[PBS]:
        """PBSs before the turn card from the search of a flop."""
        from tacit.learn.holdem.network import load_evaluator
        from tacit.learn.holdem.streets.positions import (
            FLOP_MENU,
            StreetSettings,
            flop_root,
            preflop_leaves,
            search_leaves,
        )

        settings = StreetSettings()
        reached = preflop_leaves(settings, load_evaluator("holdem-preflop"), random)
        [pbs] = reached.draw(1, random)
        when = (settings.flop_iterations,)
        _, leaves = search_leaves(flop_root(pbs, random), FLOP_MENU, evaluator, when)
        return leaves.draw(self.positions, random)

    def _preflops(self, evaluator: KnotEvaluator, progress: Progress) -> tuple[Solved, Solved]:
        """PBSs before the flop from searches, and flops of each, searched to the turn card."""
        from tacit.learn.holdem.network import load_evaluator
        from tacit.learn.holdem.random_positions import random_board
        from tacit.learn.holdem.streets.positions import StreetSettings, preflop_leaves
        from tacit.learn.holdem.streets.targets import searched_flop
        from tacit.learn.holdem.targets import corrected_average, together

        random, flop = np.random.default_rng(self.seed), load_evaluator("holdem-flop")
        pbss: list[PBS] = []
        after: list[Solved] = []
        for board in range(self.boards):
            progress.stage("self-play beliefs", board / self.boards)
            drawn = preflop_leaves(StreetSettings(), evaluator, random).draw(self.positions, random)
            pbss += drawn
            for pbs in drawn:
                after += [
                    searched_flop(pbs, flop, self.iterations, random) for _ in range(self.cards)
                ]
        deals = [random_board(3, random) for _ in range(self.flops)]
        counts, flops = [self.cards] * len(pbss), together(after)
        return corrected_average(evaluator, pbss, flops, counts, deals=deals), flops


def _errors(evaluator: KnotEvaluator, parts: Sequence[Solved]) -> Row:
    """The errors of equity and of the network, in % of the pot."""
    from tacit.learn.holdem.fitting import held_out_error

    equity, network = (
        100 * np.concatenate([held_out_error(each, solved) for solved in parts])
        for each in (None, evaluator)
    )
    return {
        "positions": len(equity),
        "equity": float(equity.mean()),
        "error": float(network.mean()),
        "worst": float(network.max()),
    }
