"""The time of decisions in hold'em: every decision is counted on its street."""

from __future__ import annotations

import json

from support.commands import call


def test_every_decision_is_counted_once() -> None:
    words = ("--agent", "always-call", "--opponent", "always-call", "--hands=3", "--json")
    code, out, _ = call("bench", "holdem-decisions", *words)
    rows = json.loads(out)
    assert code == 0
    assert [row["street"] for row in rows] == ["preflop", "flop", "turn", "river", "all"]
    # Both check and call to the end, so each street of each hand has one decision of the player.
    assert [row["decisions"] for row in rows] == [3, 3, 3, 3, 12]
    assert all(0 <= row["mean"] <= row["largest"] for row in rows)
