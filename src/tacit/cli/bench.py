"""`tacit bench`: speed, memory and convergence, measured here and now."""

from __future__ import annotations

from typing import Any

import click

from tacit.cli.lazy import LazyGroup


def _command(name: str, kind: Any) -> click.Command:
    from tacit.cli.experiment import command_of

    return command_of(name, kind)


bench = LazyGroup(
    "bench",
    {
        "tabular": (
            "tacit.bench.tabular:Tabular",
            "Milliseconds per iteration, beside OpenSpiel's C++.",
        ),
        "algorithms": (
            "tacit.bench.algorithms:Algorithms",
            "The exploitability that each algorithm reaches.",
        ),
        "holdem": ("tacit.bench.holdem:Holdem", "Seconds to a target on two hold'em spots."),
        "rebel": ("tacit.bench.rebel:Rebel", "Training examples per second of self-play."),
        "subgame": ("tacit.bench.subgame:Subgame", "What a gadget adds to an iteration."),
        "growth": ("tacit.bench.growth:Growth", "Expansions of a growing public tree per second."),
    },
    make=_command,
    help="Measure speed, memory and convergence.",
)
