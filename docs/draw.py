"""Draw the pictures of the page on subgames: `python docs/draw.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot

from tacit.games import load_game
from tacit.solvers.solution import written_policy
from tacit.subgame.blueprint import Blueprint, BlueprintValues
from tacit.subgame.methods import SolveBudget, solve_roots
from tacit.tree import build_tree

IMAGES = Path(__file__).parent / "images"
METHODS = ("unsafe", "resolve", "maxmargin", "reach-maxmargin")


def coin_toss() -> None:
    """What player 1 gets by playing each side, over how often player 2 guesses heads."""
    tree = build_tree(load_game("coin-toss"))
    assert tree.game.blueprint is not None
    blueprint = Blueprint(tree, written_policy(tree, tree.game.blueprint))
    view = BlueprintValues(blueprint, 1).at(tree.find("play"))
    guess = np.linspace(0, 1, 101)
    figure, axes = pyplot.subplots(figsize=(8.4, 4.4), layout="constrained")
    for name, value, offered, gift, colour in (
        ("heads", 1 - 2 * guess, view.best[0], view.gifts[0], "tab:blue"),
        ("tails", 2 * guess - 1, view.best[1], view.gifts[1], "tab:orange"),
    ):
        axes.plot(guess, value, color=colour, label=f"playing {name}")
        axes.axhline(offered, color=colour, linestyle="--", label=f"{name}: against the blueprint")
        if gift > 0:
            axes.axhline(
                offered + gift,
                color=colour,
                linestyle=":",
                linewidth=3,
                zorder=3,
                label=f"{name}: with the gift",
            )
    for method in METHODS:
        found = solve_roots(tree, [view], method, SolveBudget(iterations=4000, double=True))
        heads = float(found.policy[0])
        axes.axvline(heads, color="0.6", linewidth=0.8)
        axes.text(heads, -1.04, method, rotation=60, ha="right", va="top", fontsize=8)
    axes.set(xlim=(0, 1.02), ylim=(-1, 1), ylabel="player 1 gets")
    axes.set_xlabel("how often player 2 guesses heads (never forfeiting)")
    axes.xaxis.set_label_position("top")
    axes.tick_params(axis="x", bottom=False, labelbottom=False, top=True, labeltop=True)
    axes.spines[["right", "bottom"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(IMAGES / "coin-toss.png", dpi=150)
    pyplot.close(figure)


if __name__ == "__main__":
    coin_toss()
