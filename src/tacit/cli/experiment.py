"""`tacit bench` and `tacit reproduce`: commands made of experiments.

Options come from an experiment's fields, help from its docstring.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tacit.cli import LazyGroup
from tacit.cli.options import SHARED, parameters_of
from tacit.cli.progress import StageProgress
from tacit.files import check_writable
from tacit.games import GameError
from tacit.report.experiment import Experiment, has_plot
from tacit.report.output import show


def command_of(name: str, kind: type[Experiment]) -> click.Command:
    """The command that runs an experiment."""
    parameters = parameters_of(kind)
    path = click.Path(path_type=Path)
    if hasattr(kind, "add_rows"):
        text = "Keep finished rows in this JSON file, and resume from it if it exists."
        parameters.append(click.Option(["--out"], type=path, help=text))
    if kind.quick:
        values = ", ".join(f"{key.replace('_', '-')} {value}" for key, value in kind.quick.items())
        text = f"The same rows in under five minutes: {values}."
        parameters.append(click.Option(["--quick"], is_flag=True, help=text))
    if has_plot(kind):
        parameters.append(click.Option(["--plot"], type=path, help="Save a picture (PNG)."))
    parameters.append(click.Option(["--json", "as_json"], **SHARED["as_json"]))

    def run(*, as_json: bool, quick: bool = False, plot: Path | None = None, **given: Any) -> None:
        kept = {"out": given.pop("out")} if "out" in given else {}
        if quick:
            context = click.get_current_context()
            for field, value in kind.quick.items():
                if context.get_parameter_source(field) is not ParameterSource.COMMANDLINE:
                    given[field] = value
        experiment = kind(**given)
        check_writable(plot)
        if plot is not None:
            try:
                experiment.check_plot()
            except GameError as error:
                raise click.UsageError(str(error)) from None
        with StageProgress(name, visible=not as_json) as progress:
            rows = experiment.rows(progress, **kept)
        if plot is not None:
            experiment.plot(rows, plot)
        show(as_json, rows, () if as_json else experiment.tables(rows))

    return click.Command(name, params=parameters, callback=run, help=kind.__doc__)


bench = LazyGroup(
    "bench",
    {
        "tabular": ("tabular:Tabular", "Milliseconds per iteration, beside OpenSpiel's C++."),
        "algorithms": ("algorithms:Algorithms", "The exploitability that each algorithm reaches."),
        "holdem": ("holdem:Holdem", "Seconds to a target on two hold'em spots."),
        "rebel": ("rebel:Rebel", "Training examples per second of self-play."),
        "scale": ("scale:Scale", "What training at the scale of ReBeL's paper would cost."),
        "subgame": ("subgame:Subgame", "What a gadget adds to an iteration."),
        "memory": ("memory:Memory", "Estimates of the memory of solves, beside their peaks."),
        "depth-limited": (
            "depth_limited:DepthLimitedTurn",
            "A depth-limited turn with exact rivers, beside the whole tree.",
        ),
        "holdem-values": (
            "holdem_values:HoldemValues",
            "The error of a hold'em network on PBSs that it has not seen.",
        ),
        "holdem-decisions": (
            "holdem_decisions:HoldemDecisions",
            "Seconds of a decision of a player of hold'em.",
        ),
        "growth": ("growth:Growth", "Expansions of a growing public tree per second."),
        "sog": ("sog:Sog", "Simulations of growing-tree CFR per second."),
    },
    room="tacit.bench",
    make=command_of,
    help="Measure speed, memory and convergence.",
)
reproduce = LazyGroup(
    "reproduce",
    {
        "rebel-table2": ("rebel.table2:Table2", "ReBeL, Table 2: search with trained networks."),
        "rebel-fig4": ("rebel.figure4:Figure4", "ReBeL, Figure 4: convergence on whole games."),
        "rebel-ablations": ("rebel.ablations:Ablations", "ReBeL, Figures 2 and 6: ablations."),
        "rebel-holdem": (
            "rebel.holdem:RebelHoldem",
            "ReBeL, section 8: the hold'em agent against LBR and other players.",
        ),
        "teh-tabular": (
            "rebel.tabular_turn_endgame:TurnEndgame",
            "ReBeL, Figure 5: turn endgame hold'em.",
        ),
        "rebel-teh": (
            "rebel.turn_endgame:RebelTurnEndgame",
            "ReBeL, Figure 2: search with a learned network in turn endgame hold'em.",
        ),
        "sog-safety": ("sog.safety:SogSafety", "Student of Games: safe and unsafe re-solving."),
        "safe-tables": (
            "safe_subgames.tables:SafeTables",
            "Safe subgame solving, Tables 3 to 5, on small games.",
        ),
        "holdem-tables": (
            "safe_subgames.deal_tables:HoldemTables",
            "Safe subgame solving, Tables 3 and 5, in hold'em.",
        ),
        "holdem-off-tree": (
            "safe_subgames.holdem_off_tree:HoldemOffTree",
            "Safe subgame solving, Table 2: off-tree bets in hold'em.",
        ),
        "sog-leduc": (
            "sog.exploitability:SogLeduc",
            "Student of Games, Figure 3: exploitability in Leduc, beside IS-MCTS.",
        ),
        "sog-glasses": (
            "sog.exploitability:SogGlasses",
            "Student of Games, Figure 3: exploitability on the glasses map.",
        ),
        "rl-cfr": ("rl_cfr:RLCFR", "RL-CFR, section 6: chosen bet sizes beside fixed ones."),
        "sog-boards": (
            "sog.boards:SogBoards",
            "Student of Games, Table 1: board games against other engines.",
        ),
    },
    room="tacit.reproduce",
    make=command_of,
    help="Compute tables and figures of the papers, beside theirs.",
)
