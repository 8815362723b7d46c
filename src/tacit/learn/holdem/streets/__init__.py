"""Networks before the turn card and before the flop: PBSs from searches, targets, runs."""
