"""The error of a hold'em network on PBSs that it has not seen, beside that of equity alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tacit.report.experiment import SILENT, Experiment, Progress, option
from tacit.report.table import Row

if TYPE_CHECKING:
    from tacit.learn.holdem.network import KnotEvaluator
    from tacit.learn.holdem.targets import Solved


@dataclass(frozen=True, kw_only=True)
class HoldemValues(Experiment):
    """The error of a hold'em network on PBSs of new boards, in % of the pot.

    PBSs before the river card come from searches with the network on random boards, as in its
    self-play, and at random; the value of each is the mean over all 48 rivers, solved exactly. The
    same rivers are the PBSs after the card. Errors are absolute ones, weighted by the ranges.

    Columns: network, situation, beliefs (self-play or random), positions, equity (the error of
    equity alone), error, worst (of a PBS).
    """

    network: str = option("holdem-turn", "A name, a run or a file.")
    boards: int = option(8, "Boards of each kind.", least=1)
    positions: int = option(3, "PBSs before the card on each board.", least=1)
    iterations: int = option(400, "Iterations of each river.", least=1)
    seed: int = option(1000, "Of boards and ranges.", least=0)

    quick: ClassVar = {"boards": 2, "positions": 2}
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
        from tacit.learn.holdem.network import load_evaluator
        from tacit.learn.holdem.random_positions import random_positions
        from tacit.learn.holdem.self_play import BoardPlay
        from tacit.learn.holdem.settings import HoldemSettings
        from tacit.learn.holdem.targets import TargetSettings, solve_before_card

        evaluator = load_evaluator(self.network)
        settings = HoldemSettings(hidden=evaluator.network.hidden).replace(positions=self.positions)
        play = BoardPlay(settings)
        play.evaluator = evaluator
        target = TargetSettings(iterations=self.iterations, cards=48)
        rows: list[Row] = []
        for beliefs in ("self-play", "random"):
            found: list[list[Solved]] = [[], []]
            for board in range(self.boards):
                progress.stage(f"{beliefs} beliefs", board / self.boards)
                random = np.random.default_rng([self.seed, board])
                if beliefs == "self-play":
                    pbss = play.play(settings.table.first_state(random), random)
                else:
                    pbss = random_positions(
                        settings.table, self.positions, random, before_card=True
                    )
                for part, solved in zip(
                    found, solve_before_card(pbss, target, random), strict=True
                ):
                    part.append(solved)
            for situation, part in zip(("before the river", "river"), found, strict=True):
                head = {"network": self.network, "situation": situation, "beliefs": beliefs}
                rows.append({**head, **_errors(evaluator, part)})
        return rows


def _errors(evaluator: KnotEvaluator, parts: list[Solved]) -> Row:
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
