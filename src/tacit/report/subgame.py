"""Subgames solved again: the opponent's values before and after, the new policy, what it gains."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.report.policy import policy_table
from tacit.report.table import table
from tacit.solvers import Evaluation, Solution, evaluate
from tacit.solvers.solution import policy_in_words
from tacit.subgame.blueprint import Blueprint, BlueprintValues, SubgameRoot

if TYPE_CHECKING:
    from tacit.report.output import Block

MOST_SUBGAMES = 12
"""How many subgames are shown one by one."""
VALUES = ("before", "offered", "after", "margin")


@dataclass(frozen=True)
class SubgameReport:
    """Subgames that a player has solved again.

    values: of the blueprint `solution` for that player; views: each subgame with the values that
    the opponent was offered by infostate; policy: of the whole game, with the new subgames.
    """

    solution: Solution
    values: BlueprintValues
    method: str
    views: list[tuple[SubgameRoot, NDArray[np.float64]]]
    policy: NDArray[np.float64]

    @cached_property
    def before(self) -> Evaluation:
        """Of the blueprint."""
        return evaluate(self.solution.tree, self.solution.policy)

    @cached_property
    def after(self) -> Evaluation:
        """Of the policy with the new subgames."""
        return evaluate(self.solution.tree, self.policy)

    def rows(self) -> list[dict[str, Any]]:
        """For each subgame its path and the values of the opponent's infostates."""
        now = BlueprintValues(Blueprint(self.solution.tree, self.policy), self.values.player)
        rows = []
        for view, offered in self.views:
            after = now.at(view.place).best
            columns = zip(view.best, offered, after, view.best - after, strict=True)
            names = view.state.names(view.opponent)
            infostates = [
                {"name": name, **dict(zip(VALUES, map(float, entries), strict=True))}
                for name, entries, weight in zip(names, columns, view.weights, strict=True)
                if weight > 0
            ]
            rows.append({"at": self.values.names(view.place), "infostates": infostates})
        return rows

    def json(self) -> dict[str, Any]:
        """Everything for programs; the policy by path, infostate and action."""
        player, opponent = self.values.player, self.values.opponent
        policy: dict[str, Any] = {}
        for view, _ in self.views:
            path = self.values.names(view.place)
            tree = self.solution.tree
            policy |= policy_in_words(tree, self.policy, view.place, player=player, before=path)
        return {
            "game": self.solution.game.name,
            "method": self.method,
            "player": player + 1,
            "policy": policy,
            "margins": {
                row["at"]: {entry["name"]: entry["margin"] for entry in row["infostates"]}
                for row in self.rows()
            },
            "exploitability_before": self.before.exploitability,
            "exploitability_after": self.after.exploitability,
            "best_response_value_before": self.before.best_response[opponent],
            "best_response_value": self.after.best_response[opponent],
            "unit": self.solution.game.unit,
        }

    def blocks(self) -> list[Block]:
        """The report for people: the first subgames one by one, then the whole game."""
        player, opponent = self.values.player, self.values.opponent
        blocks: list[Block] = []
        for row in self.rows()[:MOST_SUBGAMES]:
            title = f"Player {opponent + 1}'s best-response value after {row['at'] or 'the deal'}"
            shown = table("infostate", *VALUES, title=title)
            for entry in row["infostates"]:
                shown.add_row(entry["name"] or "any", *(f"{entry[key]:+.4f}" for key in VALUES))
            blocks.append(shown)
        count = len(self.views)
        view = self.views[0][0]
        if count == 1 and view.state.mover == player:
            block = self.solution.tree.block(self.policy, view.place.node)[:, view.place.copy]
            blocks.append(
                policy_table(view.state, block, title=f"Player {player + 1}'s policy there")
            )
        subgames = "1 subgame" if count == 1 else f"{count} subgames"
        title = (
            f"{self.solution.game.title}: {subgames} solved again by player {player + 1}, "
            f"{self.method}"
        )
        shown = table("", "blueprint", self.method, title=title)
        if count > MOST_SUBGAMES:
            shown.note = f"{count - MOST_SUBGAMES} more subgames are not shown."
        both = self.before, self.after
        shown.add_row("exploitability", *(f"{found.exploitability:.6f}" for found in both))
        shown.add_row(
            f"player {opponent + 1}'s best response gets",
            *(f"{found.best_response[opponent]:+.6f}" for found in both),
        )
        return [*blocks, shown]
