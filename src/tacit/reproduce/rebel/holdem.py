"""ReBeL, section 8: the hold'em agent against local best response and other players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from tacit.evaluation.holdem.local_best_response import SETTINGS
from tacit.evaluation.holdem.match import LBR, make_players, play_holdem
from tacit.games import GameError
from tacit.report.experiment import Progress, option
from tacit.report.table import Row, Table, table_of
from tacit.reproduce.row_store import Reproduction, RowStore

OPPONENTS = ("lbr:fold-call", "lbr:fcpa", "blueprint", "always-fold", "always-call")
INTERVAL = 1.96
"""Standard errors on each side of a 95 % interval."""
PUBLISHED = {
    "lbr:fold-call": "DeepStack -428 ± 87, Student of Games -434 ± 9",
    "lbr:fcpa": "ReBeL -881 ± 94, DeepStack -383 ± 219",
}
"""What LBR won from other agents, in mbb/h."""
COLUMNS = {
    "agent": "{agent}",
    "opponent": "{opponent}",
    "hands": "{hands:,}",
    "mbb/h": "{mbb:+,.0f}",
    "±": "{error:,.0f}",
    "95 % interval": "{low:+,.0f} to {high:+,.0f}",
    "plain": "{plain:+,.0f} ± {plain_error:,.0f}",
    "published": "{published}",
}


@dataclass(frozen=True, kw_only=True)
class RebelHoldem(Reproduction):
    """The hold'em agent against LBR in both published settings, a blueprint and simple players.

    LBR (Lisý and Bowling 2017) folds or calls (fold-call), or calls until the flop's end and then
    folds, calls, bets the pot or goes all in (fcpa). Every deal is played twice with the hands
    exchanged; results are by AIVAT. With --out, hands are kept beside that file, too, and an
    interrupted match is resumed.

    Columns: agent, opponent, hands, seed, mbb (what `agent` wins from `opponent`, in mbb/h), error
    (standard), low and high (95 % interval), plain and plain_error (without AIVAT), seats (as big
    and small blind), deviation and plain_deviation (standard, of a pair of hands), published (of
    other agents), seconds. LBR is the `agent` of its rows, so less than zero is what it loses.
    """

    agent: str = option("search:fast", "The player that is measured.")
    opponents: tuple[str, ...] = option(OPPONENTS, "Opponents, separated by commas.")
    hands: int = option(1_000, "Hands against each opponent.", least=2)
    seed: int = option(0, "Seed of the hands.", least=0)
    workers: int = option(0, "Processes that play; 0: this one.", least=0)

    key = ("agent", "opponent", "hands", "seed")
    quick: ClassVar = {"hands": 20}
    title: ClassVar = "Hold'em, blinds 50 and 100, stacks 20,000: what the first player wins, mbb/h"
    columns: ClassVar = COLUMNS
    text_columns: ClassVar = 2

    def __post_init__(self) -> None:
        if self.hands % 2:
            raise GameError(f"hands are played in pairs; {self.hands} is odd, take a hand more")
        for opponent in self.opponents:
            if opponent.partition(":")[0] == LBR and opponent.partition(":")[2] not in SETTINGS:
                known = ", ".join(f"{LBR}:{setting}" for setting in SETTINGS)
                raise GameError(f"{opponent} is not a setting of LBR; take one of {known}")

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """A row for each opponent."""
        for opponent in self.opponents:
            pair = self.agent, opponent
            if opponent.partition(":")[0] == LBR:
                pair = opponent, self.agent
            make_players(*pair)
            head = {"agent": pair[0], "opponent": pair[1], "hands": self.hands, "seed": self.seed}
            stage = f"{pair[0]} against {pair[1]}"
            progress.stage(stage, 0)
            store.add(head, partial(self._play, *pair, stage, store.path, progress))

    def _play(
        self, first: str, second: str, stage: str, out: Path | None, progress: Progress
    ) -> Row:
        name = f"{first}-{second}-{self.seed}".replace(":", "-").replace(",", "-")
        found = play_holdem(
            first,
            second,
            hands=self.hands,
            seed=self.seed,
            record=None if out is None else out.with_name(f"{out.stem}-{name}.hands"),
            workers=self.workers,
            each=lambda count: progress.stage(stage, count / self.hands),
        )
        ours, plain = found.best, found.plain
        return {
            "mbb": ours.mean,
            "error": ours.error,
            "low": ours.mean - INTERVAL * ours.error,
            "high": ours.mean + INTERVAL * ours.error,
            "plain": plain.mean,
            "plain_error": plain.error,
            "seats": list(ours.seats),
            "deviation": ours.deviation,
            "plain_deviation": plain.deviation,
            "published": PUBLISHED.get(first, ""),
        }

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """One table."""
        note = "± is the standard error; `plain` is without AIVAT. LBR loses where it is negative."
        return [
            table_of(
                rows, self.columns, text_columns=self.text_columns, title=self.title, note=note
            )
        ]
