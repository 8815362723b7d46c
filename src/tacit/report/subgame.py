"""Subgames solved again: the opponent's values before and after, the new policy, what it gains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.report.policy import policy_table
from tacit.report.table import table
from tacit.solvers import Evaluation, Solution
from tacit.solvers.solution import policy_in_words
from tacit.subgame.blueprint import Blueprint, BlueprintValues, SubgameRoot
from tacit.tree import Place

if TYPE_CHECKING:
    from tacit.report.output import Block

MOST_SUBGAMES = 12
"""How many subgames are shown one by one."""
VALUES = ("before", "offered", "after", "margin")


@dataclass(frozen=True)
class SubgameReport:
    """Subgames that `player` (1 or 2) has solved again.

    views: each subgame with the values that the opponent was offered by infostate; policy: of the
    whole game, with the new subgames; names: the path of a place.
    """

    solution: Solution
    player: int
    method: str
    views: list[tuple[SubgameRoot, NDArray[np.float64]]]
    policy: NDArray[np.float64]
    before: Evaluation
    after: Evaluation
    names: Callable[[Place], str]

    @property
    def opponent(self) -> int:
        """The index of the other player."""
        return 2 - self.player

    def rows(self) -> list[dict[str, Any]]:
        """For each subgame its path and the values of the opponent's infostates."""
        now = BlueprintValues(Blueprint(self.solution.tree, self.policy), self.player - 1)
        rows = []
        for view, offered in self.views:
            best = now.at(view.place).best
            rows.append(
                {
                    "at": self.names(view.place),
                    "infostates": [
                        {
                            "name": name,
                            "before": float(view.best[number]),
                            "offered": float(offered[number]),
                            "after": float(best[number]),
                            "margin": float(view.best[number] - best[number]),
                        }
                        for number, name in enumerate(view.state.names(view.opponent))
                        if view.weights[number] > 0
                    ],
                }
            )
        return rows

    def json(self) -> dict[str, Any]:
        """Everything for programs; the policy by path, infostate and action."""
        policy: dict[str, Any] = {}
        for view, _ in self.views:
            policy |= policy_in_words(
                self.solution.tree,
                self.policy,
                view.place,
                player=self.player - 1,
                before=self.names(view.place),
            )
        return {
            "game": self.solution.game.name,
            "method": self.method,
            "player": self.player,
            "policy": policy,
            "margins": {
                row["at"]: {entry["name"]: entry["margin"] for entry in row["infostates"]}
                for row in self.rows()
            },
            "exploitability_before": self.before.exploitability,
            "exploitability_after": self.after.exploitability,
            "best_response_value_before": self.before.best_response[self.opponent],
            "best_response_value": self.after.best_response[self.opponent],
            "unit": self.solution.game.unit,
        }

    def blocks(self) -> list[Block]:
        """The report for people: the first subgames one by one, then the whole game."""
        blocks: list[Block] = []
        for row in self.rows()[:MOST_SUBGAMES]:
            shown = table("infostate", *VALUES)
            for entry in row["infostates"]:
                shown.add_row(entry["name"] or "any", *(f"{entry[key]:+.4f}" for key in VALUES))
            after = row["at"] or "the deal"
            shown.title = f"Player {self.opponent + 1}'s best-response value after {after}"
            blocks.append(shown)
        count = len(self.views)
        if count == 1:
            view = self.views[0][0]
            if view.state.mover == view.player:
                block = self.solution.tree.block(self.policy, view.place.node)
                title = f"Player {self.player}'s policy there"
                blocks.append(policy_table(view.state, block[:, view.place.copy], title=title))
        subgames = "1 subgame" if count == 1 else f"{count} subgames"
        shown = table(
            "",
            "blueprint",
            self.method,
            title=f"{self.solution.game.title}: {subgames} solved again by player {self.player}, "
            f"{self.method}",
        )
        if count > MOST_SUBGAMES:
            shown.note = f"{count - MOST_SUBGAMES} more subgames are not shown."
        both = self.before, self.after
        shown.add_row("exploitability", *(f"{found.exploitability:.6f}" for found in both))
        shown.add_row(
            f"player {self.opponent + 1}'s best response gets",
            *(f"{found.best_response[self.opponent]:+.6f}" for found in both),
        )
        return [*blocks, shown]
