"""Learnt bet sizes as tables and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.games.holdem.betting import FLOP, RIVER, STREETS, TURN
from tacit.report.plot import picture, save
from tacit.report.table import Table, table, table_of

if TYPE_CHECKING:
    from tacit.games.holdem.spot import Spot
    from tacit.learn.rl_cfr.chooser import SizeChoice
    from tacit.learn.rl_cfr.street_game import Plan
    from tacit.learn.rl_cfr.training import ActorProgress
    from tacit.report.output import Block

OPPONENTS = {FLOP: "three sizes", TURN: "six sizes", RIVER: "every size"}
"""By the street of a spot, the sizes of the opponent against whom its plans are refined."""
REWARD = "gain over the base, % of the pot"


def rewards_table(measured: Sequence[ActorProgress], name: str) -> Table:
    """The mean reward of the choices over a run."""
    columns = {
        "seconds": "{seconds:.0f}",
        "rewards": "{examples:,}",
        "loss": "{loss:.1e}",
        REWARD: "{choice:+.3f} ± {error:.3f}",
    }
    rows = (entry._asdict() for entry in measured)
    return table_of(rows, columns, text_columns=0, title=f"{name}: mean reward, standard error")


def plot_rewards(measured: Sequence[ActorProgress], path: Path, *, title: str) -> None:
    """The mean reward of the choices over the number of solved sets, with its standard error."""
    figure, axes = picture()
    axes.errorbar(
        [entry.examples for entry in measured],
        [entry.choice or 0.0 for entry in measured],
        yerr=[entry.error or 0.0 for entry in measured],
        marker="o",
        linewidth=1.6,
        capsize=3,
    )
    axes.axhline(0, color="0.5", linewidth=1)
    axes.set(xlabel="sets solved", ylabel=REWARD, title=title)
    save(figure, path)


def plan_text(plan: Plan) -> str:
    """A plan in the notation of bet sizes: ``33%,75%,a/80%,a``."""
    bets, raises = (
        ",".join([*(f"{100 * size:g}%" for size in pots), "a"]) for pots in (plan.pots, plan.raises)
    )
    return f"{bets}/{raises}"


def choice_report(choice: SizeChoice, spot: Spot) -> list[Block]:
    """Which sizes were chosen, what they gain over the base, and how long that took."""
    shown = table("", "OOP", "IP", text_columns=3, title="chosen sizes, bets/raises")
    for street, plans in choice.plans.items():
        shown.add_row(STREETS[street], *map(plan_text, plans))
    seconds = f"chosen in {choice.seconds:.2f} s"
    if choice.gains is None or choice.exploitability is None:
        return [shown, f"{seconds}, {choice.unrefined}"]
    first, second = (100 * gain / spot.pot for gain in choice.gains)
    before, after = (100 * loss / spot.pot for loss in choice.exploitability)
    opponent = OPPONENTS[min(choice.plans)]
    return [
        shown,
        f"over 50%,100%,200%,a/80%,a against {opponent}: OOP {first:+.3f} %, IP {second:+.3f} % "
        f"of the pot; exploitability by other sizes {before:.3f} -> {after:.3f} %; {seconds}",
    ]


def choice_json(choice: SizeChoice, spot: Spot) -> dict[str, Any]:
    """The same for programs, in chips."""
    found: dict[str, Any] = {
        "bets": {
            STREETS[street]: "|".join(map(plan_text, plans))
            for street, plans in choice.plans.items()
        },
        "seconds": choice.seconds,
        "ev_gain": None,
        "exploitability_base": None,
        "exploitability": None,
    }
    if choice.gains is not None and choice.exploitability is not None:
        found["ev_gain"] = dict(zip(("oop", "ip"), choice.gains, strict=True))
        found["exploitability_base"], found["exploitability"] = choice.exploitability
    return found
