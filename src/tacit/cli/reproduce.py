"""`tacit reproduce`: the papers' tables and figures, computed again."""

from __future__ import annotations

from tacit.cli.lazy import experiment_group

reproduce = experiment_group(
    "reproduce",
    "Compute tables and figures of the papers, beside theirs.",
    {
        "rebel-table2": (
            "tacit.reproduce.rebel_table2:Table2",
            "ReBeL, Table 2: search with trained networks.",
        ),
        "rebel-fig4": (
            "tacit.reproduce.rebel_figure4:Figure4",
            "ReBeL, Figure 4: convergence on whole games.",
        ),
        "rebel-ablations": (
            "tacit.reproduce.rebel_ablations:Ablations",
            "ReBeL, Figures 2 and 6: ablations.",
        ),
        "teh-tabular": (
            "tacit.reproduce.teh_tabular:TurnEndgame",
            "ReBeL, Figure 5: turn endgame hold'em.",
        ),
        "safe-tables": (
            "tacit.reproduce.safe_tables:SafeTables",
            "Safe subgame solving, Tables 3 to 5, on small games.",
        ),
        "holdem-tables": (
            "tacit.reproduce.deal_tables:HoldemTables",
            "Safe subgame solving, Tables 3 and 5, in hold'em.",
        ),
        "holdem-off-tree": (
            "tacit.reproduce.holdem_off_tree:HoldemOffTree",
            "Safe subgame solving, Table 2: off-tree bets in hold'em.",
        ),
    },
)
