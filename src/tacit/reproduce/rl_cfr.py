"""RL-CFR (Li, Fang and Huang 2024), section 6: what chosen bet sizes gain over fixed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from tacit.games import GameError
from tacit.report.experiment import SILENT, Progress, check_names, option
from tacit.report.table import Row, Table, table_of
from tacit.reproduce.row_store import Reproduction, RowStore

if TYPE_CHECKING:
    from tacit.evaluation.river_sizes import Method
    from tacit.learn.rl_cfr.chooser import LearnedChooser
    from tacit.learn.rl_cfr.decisions import Decision
    from tacit.learn.rl_cfr.training import TrainedActor

EXPERIMENTS = (
    "rivers",
    "comparisons",
    "rivers-refined",
    "auto",
    "auto-turns",
    "turns",
    "turns-actor",
    "turns-deep",
    "turns-all",
    "turns-converged",
    "flops",
    "preflop43",
)
COLUMNS = {
    "experiment": "{experiment}",
    "measure": "{measure}",
    "base": "{base}",
    "ours": "{ours}",
    "difference": "{difference:+.3g} ± {error:.2g}",
    "paper base": "{paper_base}",
    "paper ours": "{paper_ours}",
    "count": "{count:,}",
    "seed": "{seed}",
}
AUTO_ITERATIONS = 600
"""Of the solves that compare rivers of --bets auto with the base."""
EXPLOITABILITY = "exploitability, mbb/h"
VALUE = "value, mbb/h"
MUL = "MUL-ACTION, 3 x time"
SIX = "FINE-GRAIN, ours 6 sizes"


TURNS: dict[str, Callable[[Row, Row], float]] = {
    EXPLOITABILITY: lambda first, second: (first["response"] + second["response"]) / 2,
    VALUE: lambda first, _: first["value"],
}
"""The measures of turns, from the rows of both players' plans."""


class Paper43(NamedTuple):
    """The paper's figures of PREFLOP43: of the base and with chosen sizes."""

    reward: float | None
    exploitability: tuple[float | None, float | None]
    head_to_head: float | None


PAPER43 = Paper43(4, (23, 21), 5)
NO_PAPER43 = Paper43(None, (None, None), None)


class Form(NamedTuple):
    """How PREFLOP43 is measured, and the figures that stand beside.

    converged: with many iterations; refined: with choices refined by solves.
    """

    converged: bool
    refined: bool
    paper: Paper43


class TurnForm(NamedTuple):
    """Turns that are measured, and how.

    deep: those with more than four pots behind; refined: with choices refined by solves;
    iterations: of the solves, by default the paper's.
    """

    deep: bool = False
    refined: bool = True
    iterations: int | None = None

    @property
    def choice(self) -> str:
        """The turns and how their sizes are chosen."""
        how = "refined" if self.refined else "actor alone"
        return f"{'deep ' if self.deep else ''}turns, {how}"

    @property
    def name(self) -> str:
        """The experiment of its rows."""
        many = "" if self.iterations is None else f", {self.iterations:,} iterations"
        return self.choice + many


FORMS = {
    "preflop43": Form(converged=False, refined=False, paper=PAPER43),
    "preflop43, refined": Form(converged=False, refined=True, paper=PAPER43),
    "preflop43, converged": Form(converged=True, refined=False, paper=NO_PAPER43),
}


@dataclass(frozen=True, kw_only=True)
class RLCFR(Reproduction):
    """RL-CFR, section 6: exploitability and expected value of chosen sizes beside fixed ones.

    Rivers come from walks through solved turns, apart from those of training. The fine-grained game
    has 15 sizes and all-in; bets that a policy does not know are answered by nested solving, and
    best responses are exact. MUL-ACTION takes the best of three fixed sets by solving each, FINE-
    GRAIN has six sizes; `equal time`: with fewer iterations, so that they take as long.
    `rivers-refined`: the choice of `--bets auto`, of three sizes, beside the base and these two
    with all iterations. Rows of rivers by the paper's learner are called `rivers, actor-critic` and
    say its epochs. `auto`: `tacit spot --bets auto`, refined by solves, on rivers; `auto-turns`: on
    turns. On turns sizes are chosen for turn and river, refined as by `--bets auto` (`turns`) or by
    the actor alone (`turns-actor`), with at most four pots behind, or more (`turns-deep`), of which
    those with more than twelve keep the base; a best response has 15 sizes on the turn and three on
    the river, and policies are solved against all of these. `turns-all`: the mean of both kinds of
    turns by their shares of those that are drawn. `turns-converged`: some of both kinds with 800
    iterations instead of 250. `flops`: what sizes of the flop gain in sampled games of few hands
    and cards, which are not those in which they were refined. In PREFLOP43 sizes are chosen for the
    first action of each player, and what methods win from each other is computed, not sampled. Its
    first rows are solved as the paper's: 250 iterations with simultaneous updates. `converged`:
    1,000 iterations with alternating ones; what is left is due to the sizes. `refined`: of the
    base's, the learner's best eight sets, and sets that differ from the best of these by one or two
    sizes, the one that is worth most by solving each.

    Columns: experiment, measure (exploitability in the fine-grained game, or the expected value of
    the acting player), base (or the method compared with) and ours (means), difference and error
    (its mean over states and standard error), paper_base, paper_ours, count (of states), training
    (the command), seconds. Of `auto`: ours is the gain over the base of the worst spot and player,
    error the largest exploitability of the solves that measure it; spots_worse, most_seconds.
    """

    experiments: tuple[str, ...] = option(EXPERIMENTS, "Experiments, separated by commas.")
    rivers: int = option(1000, "Rivers, in blocks of 20.", least=20)
    compared: int = option(200, "Rivers on which MUL-ACTION and FINE-GRAIN play.", least=20)
    spots: int = option(50, "Spots for --bets auto.", least=2)
    auto_iterations: int = option(200, "Iterations of the solves of auto-turns.", least=1)
    turns: int = option(100, "Turns.", least=2)
    deep: int = option(30, "Turns with more than four pots behind.", least=2)
    converged: int = option(12, "Turns of each kind with more iterations.", least=2)
    turn_iterations: int = option(800, "Iterations of these.", least=1)
    flops: int = option(10, "Flops.", least=2)
    flop_iterations: int = option(200, "Iterations of the solves of flops.", least=1)
    deals: int = option(50, "Tables of PREFLOP43: cards and stacks.", least=2)
    runs: tuple[str, ...] = option((), "Choosers: runs or files; by default the shipped ones.")

    key = ("experiment", "measure", "count", "training")
    quick: ClassVar = {
        "rivers": 20,
        "compared": 20,
        "spots": 2,
        "auto_iterations": 30,
        "turns": 2,
        "deep": 2,
        "converged": 2,
        "turn_iterations": 250,
        "flops": 2,
        "flop_iterations": 30,
        "deals": 2,
    }

    def __post_init__(self) -> None:
        check_names(self.experiments, EXPERIMENTS, "experiment")
        for count in (self.rivers, self.compared):
            if count % 20:
                raise GameError(f"rivers come in blocks of 20, so {count} cannot be measured")

    def rows(self, progress: Progress = SILENT, out: Path | None = None) -> list[Row]:
        """All rows; the blocks of states that are finished are kept beside them."""
        parts = None if out is None else out.with_name(f"{out.stem}-blocks.json")
        store, blocks = RowStore(out, self.key), RowStore(parts, ("method", "block", "training"))
        computing: dict[str, Callable[[RowStore, RowStore, Progress], object]] = {
            "rivers": self._rivers,
            "comparisons": self._comparisons,
            "rivers-refined": self._rivers_refined,
            "auto": self._auto,
            "auto-turns": self._auto_turns,
            "turns": partial(self._turns, TurnForm()),
            "turns-actor": partial(self._turns, TurnForm(refined=False)),
            "turns-deep": partial(self._turns, TurnForm(deep=True)),
            "turns-all": self._turns_all,
            "turns-converged": self._turns_converged,
            "flops": self._flops,
            "preflop43": self._preflop43,
        }
        for name in self.experiments:
            computing[name](store, blocks, progress)
        return store.rows

    def _actors(self, *problems: str) -> list[TrainedActor]:
        """The choosers of the first problem that has any: those of `runs`, or the shipped one."""
        from tacit.learn.rl_cfr.chooser import shipped_actors
        from tacit.learn.rl_cfr.training import load_actor

        given = [load_actor(Path(run)) for run in self.runs]
        for problem in problems:
            if found := [actor for actor in given if actor.settings.problem == problem]:
                return found
            if problem in shipped_actors():
                return [shipped_actors()[problem]]
        raise GameError(
            f"there is no chooser for {problems[0]}; train one (tacit train rl-cfr-{problems[0]}) "
            "and give its folder with --runs"
        )

    def _rivers(self, store: RowStore, blocks: RowStore, progress: Progress) -> None:
        from tacit.evaluation.river_sizes import fixed, learned
        from tacit.learn.rl_cfr.sizes import HOLDEM

        for actor in self._actors("river"):
            methods = {
                ("base", ""): fixed(HOLDEM.base),
                ("ours", actor.command): learned(actor.learner),
            }
            (base, ours), seconds = self._play(blocks, progress, self.rivers, methods)
            kind = actor.settings.learner
            name = "rivers" if kind == "bandit" else f"rivers, {kind}, {actor.epoch} epochs"
            head = {"experiment": name, "count": self.rivers, "training": actor.command}
            for row in _compared(base, ours, seconds):
                store.add({**head, "measure": row.pop("measure")}, partial(dict, row))

    def _comparisons(self, store: RowStore, blocks: RowStore, progress: Progress) -> None:
        from tacit.evaluation.river_sizes import fine_grain, learned, mul_action

        others = {
            "MUL-ACTION, equal time": mul_action(equal_time=True),
            MUL: mul_action(equal_time=False),
            "FINE-GRAIN, equal time": fine_grain(equal_time=True),
            SIX: fine_grain(equal_time=False),
        }
        for actor in self._actors("river"):
            methods = {
                ("ours", actor.command): learned(actor.learner),
                ("ours, 6 sizes", actor.command): learned(actor.learner, 6),
                **{(name, ""): method for name, method in others.items()},
            }
            (three, six, *rest), seconds = self._play(blocks, progress, self.compared, methods)
            for name, theirs in zip(others, rest, strict=True):
                head = {"experiment": name, "count": self.compared, "training": actor.command}
                for row in _compared(theirs, six if name == SIX else three, seconds, paper=False):
                    store.add({**head, "measure": row.pop("measure")}, partial(dict, row))

    def _rivers_refined(self, store: RowStore, blocks: RowStore, progress: Progress) -> None:
        from tacit.evaluation.river_sizes import fine_grain, fixed, mul_action, refined
        from tacit.learn.rl_cfr.chooser import LearnedChooser
        from tacit.learn.rl_cfr.sizes import HOLDEM

        others = {
            "rivers, refined": ("base", fixed(HOLDEM.base)),
            "MUL-ACTION, ours refined": (MUL, mul_action(equal_time=False)),
            "FINE-GRAIN, ours refined": (SIX, fine_grain(equal_time=False)),
        }
        for actor in self._actors("river"):
            chooser = LearnedChooser(actors={"river": actor})
            methods = {
                ("ours, refined", actor.command): refined(chooser),
                **{(name, ""): method for name, method in others.values()},
            }
            (ours, *rest), seconds = self._play(blocks, progress, self.compared, methods)
            for name, theirs in zip(others, rest, strict=True):
                head = {"experiment": name, "count": self.compared, "training": actor.command}
                for row in _compared(theirs, ours, seconds, paper=False):
                    store.add({**head, "measure": row.pop("measure")}, partial(dict, row))

    def _play(
        self,
        blocks: RowStore,
        progress: Progress,
        count: int,
        methods: Mapping[tuple[str, str], Method],
    ) -> tuple[list[list[Sequence[float]]], float]:
        """By method, for each river its exploitability and value in mbb; and the seconds of all.

        methods: by name and the command of training.
        """
        from tacit.evaluation.river_sizes import BLOCK, held_out_rivers, measure

        def compute(block: int, method: Method) -> Row:
            return {"rivers": [list(measure(river, method)) for river in held_out_rivers(block)]}

        found: list[list[Sequence[float]]] = [[] for _ in methods]
        seconds = 0.0
        for block in range(count // BLOCK):
            for rivers, ((name, training), method) in zip(found, methods.items(), strict=True):
                progress.stage(f"{count} rivers, {name}", block * BLOCK / count)
                head = {"method": name, "block": block, "training": training}
                row: dict[str, Any] = blocks.add(head, partial(compute, block, method))
                rivers += row["rivers"]
                seconds += row["seconds"]
        return found, seconds

    def _auto(self, store: RowStore, blocks: RowStore, progress: Progress) -> None:
        from tacit.evaluation.river_sizes import mixed_rivers
        from tacit.learn.rl_cfr.chooser import LearnedChooser

        actor = self._actors("river")[0]
        chooser = LearnedChooser(actors={"river": actor})
        states = partial(mixed_rivers, self.spots)
        self._auto_row(store, progress, "auto", actor, chooser, states, AUTO_ITERATIONS)

    def _auto_turns(self, store: RowStore, blocks: RowStore, progress: Progress) -> None:
        from tacit.evaluation.turn_sizes import mixed_turns
        from tacit.learn.rl_cfr.chooser import LearnedChooser

        actor = self._actors("turn")[0]
        chooser = LearnedChooser(actors={"river": self._actors("river")[0], "turn": actor})
        states = partial(mixed_turns, self.spots)
        solves = self.auto_iterations
        self._auto_row(store, progress, "auto, turns", actor, chooser, states, solves)

    def _auto_row(
        self,
        store: RowStore,
        progress: Progress,
        name: str,
        actor: TrainedActor,
        chooser: LearnedChooser,
        states: Callable[[], list[Decision]],
        iterations: int,
    ) -> None:
        """The row of `--bets auto` on spots of one street."""
        from tacit.evaluation.river_sizes import measure_auto

        def compute() -> Row:
            measured = []
            for number, state in enumerate(states()):
                progress.stage(f"{name}, {self.spots} spots", number / self.spots)
                measured.append(measure_auto(chooser, state, iterations=iterations))
            worse = [row.worse for row in measured]
            return {
                "base": 0.0,
                "ours": 0.0 - max(worse),
                "difference": 0.0 - sum(worse) / len(worse),
                "error": max(row.error for row in measured),
                "paper_base": None,
                "paper_ours": None,
                "spots_worse": sum(row.worse > row.error for row in measured),
                "most_seconds": max(row.seconds for row in measured),
            }

        head = {
            "experiment": name,
            "measure": "least gain, % of pot",
            "count": self.spots,
            "training": actor.command,
        }
        store.add(head, compute)

    def _turns(
        self, form: TurnForm, store: RowStore, blocks: RowStore, progress: Progress
    ) -> list[Row]:
        """The rows of each chooser and measure."""
        from tacit.evaluation.turn_sizes import (
            held_out_turn,
            learned_plans,
            measure_plan,
        )
        from tacit.learn.rl_cfr.chooser import LearnedChooser
        from tacit.learn.rl_cfr.refinement import TURN_BASE, turn_plan
        from tacit.learn.rl_cfr.rewards import ITERATIONS
        from tacit.learn.rl_cfr.street_game import Plan

        iterations = form.iterations or ITERATIONS

        def choose(chooser: LearnedChooser, number: int) -> Row:
            plans = learned_plans(chooser, held_out_turn(number, deep=form.deep))
            return {"bets": [(plan.bets, plan.later_bets) for plan in plans]}

        def measured(number: int, player: int, plan: Plan) -> Row:
            kind = f"{'deep ' if form.deep else ''}player {player}, {iterations} iterations"
            turn = held_out_turn(number, deep=form.deep)
            head = {"method": f"{kind}, {plan.pots}, {plan.later_pots}", "block": number}
            compute = partial(_fields, partial(measure_plan, turn, plan, player, iterations))
            return blocks.add({**head, "training": ""}, compute)

        river = self._actors("river")[0]
        count = self.deep if form.deep else self.turns
        if form.iterations is not None:
            count = self.converged
        rows = []
        for actor in self._actors("turn"):
            chooser = LearnedChooser(actors={"river": river, "turn": actor}, refine=form.refined)

            def compute(measure: str, chooser: LearnedChooser, trained: str) -> Row:
                pairs, seconds = [], 0.0
                for number in range(count):
                    progress.stage(f"{count} {form.name}", number / count)
                    head = {"method": form.choice, "block": number, "training": trained}
                    choice: dict[str, Any] = blocks.add(head, partial(choose, chooser, number))
                    ours = [turn_plan(tuple(bets), tuple(later)) for bets, later in choice["bets"]]
                    base, chosen = (
                        [measured(number, player, plan) for player, plan in enumerate(plans)]
                        for plans in ((TURN_BASE, TURN_BASE), ours)
                    )
                    pairs.append((TURNS[measure](*base), TURNS[measure](*chosen)))
                    seconds += sum(row["seconds"] for row in (choice, *base, *chosen))
                return _pairs_row(pairs) | {"seconds": seconds}

            head = {"experiment": form.name, "count": count, "training": actor.command}
            trained = f"{actor.command}; {river.command}"
            for measure in TURNS:
                row = partial(compute, measure, chooser, trained)
                rows.append(store.add({**head, "measure": measure}, row))
        return rows

    def _turns_all(self, store: RowStore, blocks: RowStore, progress: Progress) -> None:
        """Turns as they are drawn: the rows of both kinds, weighted by their shares."""
        from tacit.evaluation.turn_sizes import deep_share

        usual, deep = (
            self._turns(TurnForm(deep=each), store, blocks, progress) for each in (False, True)
        )
        weights = 1 - deep_share(), deep_share()
        for parts in zip(usual, deep, strict=True):
            head = {
                "experiment": "all turns, refined",
                "count": sum(part["count"] for part in parts),
                **{name: parts[0][name] for name in ("training", "measure")},
            }
            store.add(head, partial(_stratified, parts, weights))

    def _turns_converged(self, store: RowStore, blocks: RowStore, progress: Progress) -> None:
        for deep in (False, True):
            form = TurnForm(deep=deep, iterations=self.turn_iterations)
            self._turns(form, store, blocks, progress)

    def _flops(self, store: RowStore, blocks: RowStore, progress: Progress) -> None:
        from tacit.evaluation.flop_sizes import flop_choices, flop_gains, held_out_flop
        from tacit.learn.rl_cfr.chooser import LearnedChooser

        def compute(chooser: LearnedChooser, number: int) -> Row:
            flop = held_out_flop(number)
            return dict(flop_gains(flop, flop_choices(chooser, flop), self.flop_iterations))

        river = self._actors("river")[0]
        for actor in self._actors("turn"):
            chooser = LearnedChooser(actors={"river": river, "turn": actor})
            trained = f"{actor.command}; {river.command}"

            def gains(choice: str, chooser: LearnedChooser, trained: str) -> Row:
                found: list[dict[str, Any]] = []
                for number in range(self.flops):
                    progress.stage(f"{self.flops} flops", number / self.flops)
                    head = {"method": "flops", "block": number, "training": trained}
                    found.append(blocks.add(head, partial(compute, chooser, number)))
                both = [sum(row[choice]) / 2 for row in found]
                return _gain_row(both) | _seconds(found) | {"least_gain": min(both)}

            for choice in ("refined", "actor alone"):
                named = {"experiment": f"flops, {choice}", "measure": "gain, % of pot"}
                head = {**named, "count": self.flops, "training": actor.command}
                store.add(head, partial(gains, choice, chooser, trained))

    def _preflop43(self, store: RowStore, blocks: RowStore, progress: Progress) -> None:
        from tacit.evaluation.preflop43_sizes import (
            CONVERGED,
            PAPER,
            held_out_table,
            learned43,
            measure_table,
            refined43,
        )
        from tacit.learn.rl_cfr.learners import Bandit

        for actor, (name, form) in product(self._actors("preflop43"), FORMS.items()):
            learner, solves = actor.learner, CONVERGED if form.converged else PAPER
            if not form.refined:
                chooser = learned43(learner)
            elif isinstance(learner, Bandit):
                chooser = refined43(learner, solves)
            else:  # it predicts the reward of one set only
                continue
            found = []
            for number in range(self.deals):
                progress.stage(f"{self.deals} tables, {name}", number / self.deals)
                head = {"method": name, "block": number, "training": actor.command}
                play = partial(measure_table, held_out_table(number), chooser, number, solves)
                found.append(blocks.add(head, partial(_fields, play)))
            rewards, most = ([g for row in found for g in row[n]] for n in ("rewards", "most"))
            pairs = [(row["base"], row["ours"]) for row in found]
            won = [row["head_to_head"] for row in found]
            rows = {
                "reward, mbb an action": _gain_row(rewards, form.paper.reward),
                "reward of all sizes, mbb an action": _gain_row(most),
                EXPLOITABILITY: _pairs_row(pairs, *form.paper.exploitability),
                "head to head, mbb/h": _gain_row(won, form.paper.head_to_head),
            }
            for measure, row in rows.items():
                count = len(rewards) if "reward" in measure else self.deals
                head = {"experiment": name, "measure": measure, "count": count}
                store.add({**head, "training": actor.command}, partial(dict, row | _seconds(found)))

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """One table."""
        title = "RL-CFR: chosen sizes beside the base {0.5, 1, 2 pots, all-in}"
        shown = [
            {**row, **{n: _number(row[n]) for n in PLAIN}, "seed": _seed(row["training"])}
            for row in rows
        ]
        return [table_of(shown, COLUMNS, text_columns=2, title=title)]


PLAIN = ("base", "ours", "paper_base", "paper_ours")


def _seed(training: str) -> str:
    """The seed in a command of training."""
    return training.partition("--seed ")[2].partition(" ")[0]


def _seconds(rows: Sequence[Row]) -> Row:
    """The time that these rows took together."""
    return {"seconds": sum(row["seconds"] for row in rows)}


def _fields(compute: Callable[[], Any]) -> Row:
    """The fields of a named tuple."""
    return dict(compute()._asdict())


def _number(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _compared(
    base: Sequence[Sequence[float]],
    ours: Sequence[Sequence[float]],
    seconds: float,
    *,
    paper: bool = True,
) -> list[Row]:
    """Rows of exploitability and of the acting player's expected value, from rows of rivers."""
    rows = []
    papers = {EXPLOITABILITY: (20, 17), VALUE: (None, None)}
    for column, (measure, (paper_base, paper_ours)) in enumerate(papers.items()):
        pairs = [(theirs[column], mine[column]) for theirs, mine in zip(base, ours, strict=True)]
        theirs = (paper_base, paper_ours) if paper else (None, None)
        rows.append({"measure": measure, **_pairs_row(pairs, *theirs), "seconds": seconds})
    return rows


def _pairs_row(
    pairs: Sequence[tuple[float, float]],
    paper_base: float | None = None,
    paper_ours: float | None = None,
) -> Row:
    """Both means, and the mean difference with its standard error."""
    from tacit.evaluation.river_sizes import summary

    difference, error = summary([mine - theirs for theirs, mine in pairs])
    return {
        "base": sum(theirs for theirs, _ in pairs) / len(pairs),
        "ours": sum(mine for _, mine in pairs) / len(pairs),
        "difference": difference,
        "error": error,
        "paper_base": paper_base,
        "paper_ours": paper_ours,
    }


def _stratified(parts: Sequence[Row], weights: Sequence[float]) -> Row:
    """The weighted mean of rows about different kinds of states."""

    def mean(name: str) -> float:
        return sum(w * float(part[name]) for w, part in zip(weights, parts, strict=True))

    squares = [(w * part["error"]) ** 2 for w, part in zip(weights, parts, strict=True)]
    return {
        **{name: mean(name) for name in ("base", "ours", "difference")},
        "error": sum(squares) ** 0.5,
        "paper_base": None,
        "paper_ours": None,
    } | _seconds(parts)


def _gain_row(gains: Sequence[float], paper_ours: float | None = None) -> Row:
    """Gains over the base, whose own is zero."""
    return _pairs_row([(0.0, gain) for gain in gains], None, paper_ours)
