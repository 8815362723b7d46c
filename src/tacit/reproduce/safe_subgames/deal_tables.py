"""Safe and nested subgame solving, Tables 3 and 5: flop and turn hold'em by every method.

The blueprint and the boards solved so far are kept in a folder, from which a later run resumes.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.archive import ArchiveError, read_arrays, write_arrays
from tacit.cache import cache_root
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import FLOP, TURN, BettingRules
from tacit.games.holdem.cards import parse_board
from tacit.games.holdem.ranges import parse_range
from tacit.games.holdem.spot import Spot
from tacit.report.experiment import SILENT, Progress, option
from tacit.report.table import Row, Table, table
from tacit.reproduce.row_store import Reproduction, RowStore
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.engine import Solver
from tacit.solvers.sharing.card_buckets import VERSION, Buckets, BucketSettings, card_buckets
from tacit.solvers.sharing.layout import share_buckets
from tacit.subgame.deal_subgames import DealSubgames
from tacit.subgame.methods import SolveBudget, find_method
from tacit.tree.cards.builder import build_spot

TableGame = Literal["flop-holdem", "turn-holdem"]
PAPER_TABLES = {"flop-holdem": "Table 3", "turn-holdem": "Table 5"}

BLUEPRINT = "blueprint"
BLUEPRINT_ALGORITHM = "dcfr"
TABLE_METHODS = (
    "unsafe",
    "resolve",
    "maxmargin",
    "reach-maxmargin",
    "reach-maxmargin-not-split",
    "estimated",
    "estimated-distributional",
    "reach-estimated-distributional",
    "reach-estimated-distributional-not-split",
)
"""In the paper's order."""

_PAPER: dict[TableGame, dict[int, tuple[float, ...]]] = {
    "flop-holdem": {
        200: (886.9, 146.8, 601.6, 300.5, 298.8, 248.7, 116.6, 104.4, 102.1, 95.60),
        2_000: (373.7, 39.58, 177.9, 139.9, 139.0, 98.07, 62.61, 62.45, 57.98, 49.24),
        30_000: (91.28, 5.514, 54.07, 43.43, 41.47, 25.88, 24.23, 34.30, 22.58, 17.33),
    },
    "turn-holdem": {
        200: (684.6, 130.4, 454.9, 427.6, 424.4, 333.4, 120.6, 119.4, 116.8, 113.3),
        2_000: (465.1, 85.95, 321.5, 299.6, 298.3, 229.4, 89.43, 87.83, 85.80, 83.24),
        20_000: (345.5, 79.34, 251.8, 234.4, 233.5, 175.5, 76.44, 74.35, 72.59, 70.68),
    },
}
"""Tables 3 (small flop hold'em) and 5 in mbb/h: the blueprint, then `TABLE_METHODS`."""

SAVE_EVERY = 30.0
"""Seconds between two saves of the boards solved so far."""


def paper_figures(game: TableGame, buckets: int) -> dict[str, float]:
    """The paper's figures for a number of buckets, by method; empty if it has no such column."""
    column = _PAPER[game].get(buckets, ())
    return dict(zip((BLUEPRINT, *TABLE_METHODS), column, strict=False))


def spot_of_all_hands(
    board: str,
    streets: tuple[int, int],
    *,
    stack: int,
    committed: int,
    bets: BetSettings,
    name: str,
) -> Spot:
    """A spot from the first of `streets` to the last, with all hands in both ranges."""
    first, last = streets
    rules = BettingRules(
        stacks=(stack, stack), first_street=first, last_street=last, committed=committed
    )
    both = parse_range("random")
    return Spot(board=parse_board(board), rules=rules, ranges=(both, both), bets=bets, name=name)


@dataclass(frozen=True, kw_only=True)
class HoldemTables(Reproduction):
    """Safe subgame solving (Tables 3 and 5) in flop and turn hold'em, beside the paper's figures.

    A blueprint in card buckets is solved; then all subgames after the deal are solved again by
    every method, and the exploitability is measured in the game without buckets. It takes about ten
    minutes on one core. An interrupted run is resumed from its folder by the same command.

    Columns: key (of all settings), solve_boards, settings, differences (from the paper's game and
    budget), boards, boards_solved, rows (for each method: method, exploitability_mbb, paper_mbb,
    best_response_mbb of both players), seconds.
    """

    game: TableGame = option("flop-holdem", "The game.")
    buckets: int = option(200, "Card buckets on each street after the first two cards.", least=1)
    stack: int = option(1_000, "Chips of each player.", least=200)
    bets: tuple[str, str] = option(("200%", "100%"), "Bet sizes on each street.")
    flop: str = option("Kh7h2d", "The flop on which turn-holdem starts.")
    blueprint_iterations: int = option(200, "Iterations of the blueprint.", least=1)
    iterations: int = option(100, "Iterations of each subgame's solve.", least=1)
    boards: int | None = option(
        None, "Solve at most this many boards again.", least=1, shown_default="all"
    )
    seed: int = option(0, "Seed of the buckets and of the order of boards.")
    folder: Path | None = option(
        None, "The folder in which runs are resumed.", shown_default="the cache folder"
    )
    memory: int = option(16 << 30)
    force_all_in: float = 0.5
    committed: int = 100
    """From each player in the pot where turn hold'em starts."""
    algorithm: str = "dcfr"
    methods: tuple[str, ...] = TABLE_METHODS

    key = ("key", "solve_boards")
    quick: ClassVar = {"blueprint_iterations": 20, "iterations": 10, "boards": 5}

    def spot(self) -> Spot:
        """The game."""
        first, second = self.bets
        if self.game == "flop-holdem":
            sizes = {"preflop": first, "flop": second}
            bets = BetSettings.parse(sizes, force_all_in=self.force_all_in)
            return Spot.from_the_blinds(bets, stack=self.stack, last_street=FLOP)
        return spot_of_all_hands(
            self.flop,
            (FLOP, TURN),
            stack=self.stack,
            committed=self.committed,
            bets=BetSettings.parse({"flop": first, "turn": second}, force_all_in=self.force_all_in),
            name=f"no-limit turn hold'em from the flop {self.flop} on",
        )

    def bucket_settings(self) -> BucketSettings:
        """The same number of buckets on every street after the first two cards."""
        last = FLOP if self.game == "flop-holdem" else TURN
        return BucketSettings(counts=(self.buckets,) * last, last_street=last, seed=self.seed)

    def settings(self) -> dict[str, Any]:
        """What determines a column."""
        others = ("boards", "folder", "memory")
        return {name: value for name, value in vars(self).items() if name not in others}

    def run_name(self) -> str:
        """The name of the run's folder."""
        text = json.dumps([VERSION, self.settings()], sort_keys=True)
        return f"{self.game}-{self.buckets}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"

    def differences(self) -> list[str]:
        """The differences from the paper's game and budget, in sentences."""
        first, second = self.bets
        start = (
            "from the blinds on"
            if self.game == "flop-holdem"
            else f"from the flop {self.flop} on with {self.committed} from each in the pot (the "
            "paper's begins before the flop and has all flops)"
        )
        return [
            f"Stacks of {self.stack:,} chips at blinds of 50 and 100 (the paper: 20,000).",
            f"The game runs {start}; bets and raises of {first} of the pot on its first street and "
            f"{second} on its second, all in where little would be left behind (the paper does not "
            "state its sizes).",
            f"Blueprint: {self.blueprint_iterations:,} iterations of discounted CFR in "
            f"{self.buckets:,} buckets on each street after the first two cards; subgames: "
            f"{self.iterations:,} iterations of {self.algorithm} (the paper: CFR+, numbers not "
            "stated).",
            "Buckets are clusters of equity distributions, on the last street of equities against "
            "eight groups of hands (the paper does not state its features).",
            "Exploitability is NashConv / 2.",
        ]

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """One row: a column of the paper's table."""
        head = {"key": self.run_name(), "solve_boards": self.boards}
        store.add(head, lambda: self.column(progress))

    def column(self, progress: Progress = SILENT) -> Row:
        """Compute the column, or resume an earlier run in the folder."""
        spot = self.spot()
        settings = self.bucket_settings()
        place = (self.folder or cache_root() / "tables") / self.run_name()
        place.mkdir(parents=True, exist_ok=True)
        buckets = card_buckets(settings, on_stage=progress.stage, report=progress.warn)
        return self.column_of(spot, buckets, place, progress)

    def column_of(
        self, spot: Spot, buckets: Buckets, place: Path, progress: Progress = SILENT
    ) -> Row:
        """As `column`, for any spot of two streets and any buckets; kept in `place`."""
        place.mkdir(parents=True, exist_ok=True)
        progress.stage("the tree", 0.0)
        tree = build_spot(spot, max_bytes=self.memory)
        sharing = share_buckets(tree, buckets)
        solver = Solver(tree, find_algorithm(BLUEPRINT_ALGORITHM), sharing=sharing)
        average, last = self._blueprint(solver, place / "blueprint.npz", progress)
        subgames = DealSubgames(sharing, average, last, buckets)
        kept = self._solve_boards(subgames, place / "boards.npz", progress)
        whole, sums = subgames.blueprint_sums(), kept["sums"]
        paper = paper_figures(self.game, self.buckets)
        scale = 1000 / spot.rules.big_blind
        rows = []
        for name, own in zip((BLUEPRINT, *self.methods), sums, strict=True):
            solved = whole if name == BLUEPRINT else whole - sums[0] + own
            first, second = subgames.best_responses(solved)
            rows.append(
                {
                    "method": name,
                    "exploitability_mbb": scale * (first + second) / 2,
                    "paper_mbb": paper.get(name),
                    "best_response_mbb": (scale * first, scale * second),
                }
            )
        return {
            "settings": self.settings(),
            "differences": self.differences(),
            "boards": len(kept["solved"]),
            "boards_solved": int(kept["solved"].sum()),
            "seconds": float(kept["seconds"]),
            "rows": rows,
        }

    def _blueprint(
        self, solver: Solver, path: Path, progress: Progress
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[bucket slots] the blueprint's policy and that of its solver's last iteration."""
        shape = solver.policy.shape
        kept = _load(path, {"average": shape, "last": shape}, progress)
        if kept is None:
            for iteration in range(self.blueprint_iterations):
                progress.stage("the blueprint", iteration / self.blueprint_iterations)
                solver.run(1)
            kept = {"average": solver.average_buckets(), "last": solver.policy}
            write_arrays(path, kept)
        progress.stage("blueprint values", 0.0)
        return kept["average"], kept["last"]

    def _solve_boards(
        self, subgames: DealSubgames, path: Path, progress: Progress
    ) -> dict[str, NDArray[Any]]:
        """Solve the boards that no earlier run has solved.

        sums: [1 + methods, 2, lines, K] the best-response sums of all boards solved, whose row 0 is
        the blueprint's on them; solved: [boards]; seconds: [].
        """
        boards, lines = len(subgames.boards), len(subgames.lines)
        shape = (1 + len(self.methods), 2, lines, max(subgames.deal.counts))
        kept = _load(path, {"sums": shape, "solved": (boards,), "seconds": ()}, progress)
        if kept is None:
            solved = np.zeros(boards, np.bool_)
            kept = {"sums": np.zeros(shape), "solved": solved, "seconds": np.zeros(())}
        methods = [find_method(name) for name in self.methods]
        budget = SolveBudget(algorithm=self.algorithm, iterations=self.iterations)
        order = np.random.default_rng(self.seed).permutation(boards).tolist()
        left = [number for number in order[: self.boards] if not kept["solved"][number]]
        saved = time.monotonic()
        for count, number in enumerate(left):
            progress.stage(f"{len(left):,} boards by {len(methods)} methods", count / len(left))
            begin = time.perf_counter()
            kept["sums"] += subgames.solve(number, methods, budget)
            kept["solved"][number] = True
            kept["seconds"] += time.perf_counter() - begin
            if time.monotonic() - saved > SAVE_EVERY:
                write_arrays(path, kept)
                saved = time.monotonic()
        write_arrays(path, kept)
        return kept

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """Methods down; exploitability and its ratio to the blueprint's, here and in the paper."""
        return [column_table(row) for row in rows]


def _load(
    path: Path, shapes: dict[str, tuple[int, ...]], progress: Progress
) -> dict[str, NDArray[Any]] | None:
    """The arrays of a file; None if there is none, or if it is damaged, which is reported."""
    if not path.exists():
        return None
    try:
        found = read_arrays(path, "a table's results")
        if any(found[name].shape != shape for name, shape in shapes.items()):
            raise ValueError("arrays of other shapes than this run's")
    except (ArchiveError, ValueError, KeyError) as error:
        progress.warn(f"{path}: cannot be read ({error}); computing it again")
        return None
    return found


def column_table(column: Row) -> Table:
    """A table's column, beside the paper's."""
    settings, first = column["settings"], column["rows"][0]
    title = (
        f"{settings['game']}, {settings['buckets']:,} buckets: exploitability in mbb/h "
        f"({column['boards_solved']:,} of {column['boards']:,} boards solved again), and "
        f"{PAPER_TABLES[settings['game']]} of the paper"
    )
    headers = "method", "here", "of the blueprint", "paper", "of its blueprint"
    made = table(*headers, title=title, note="\n".join(column["differences"]))
    for row in column["rows"]:
        cells = []
        for name in ("exploitability_mbb", "paper_mbb"):
            known = row[name] is not None
            cells.append(f"{row[name]:,.2f}" if known else "")
            cells.append(f"{100 * row[name] / first[name]:.0f} %" if known else "")
        made.add_row(row["method"], *cells)
    return made
