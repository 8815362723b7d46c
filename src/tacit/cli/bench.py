"""`tacit bench`: speed, memory and convergence, measured here and now."""

from __future__ import annotations

from tacit.cli.lazy import experiment_group

bench = experiment_group(
    "bench",
    "Measure speed, memory and convergence.",
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
        "depth-limited": (
            "tacit.bench.depth_limited:DepthLimitedTurn",
            "A depth-limited turn with exact rivers, beside the whole tree.",
        ),
        "growth": ("tacit.bench.growth:Growth", "Expansions of a growing public tree per second."),
    },
)
