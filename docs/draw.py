"""Draw pictures of the pages on subgames, growing trees and sizes: `python docs/draw.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes

from tacit.games import load_game
from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.chooser import shipped_actors
from tacit.learn.rl_cfr.decisions import Decision
from tacit.learn.rl_cfr.episodes import point_of
from tacit.learn.rl_cfr.learners import Learner
from tacit.learn.rl_cfr.sizes import HOLDEM
from tacit.solvers.growing import GrowingSearch, GrowingSettings
from tacit.solvers.leaves import Zero
from tacit.solvers.oracle import Oracle
from tacit.solvers.solution import written_policy
from tacit.subgame.blueprint import Blueprint, BlueprintValues
from tacit.subgame.methods import SolveBudget, solve_roots
from tacit.tree import CHANCE, LEAF, TERMINAL, Builder, build_tree
from tacit.tree.pbs import PBS

IMAGES = Path(__file__).parent / "images"
PLAYERS_DRAWN = (
    (0, "tab:blue", "player 1"),
    (1, "tab:orange", "player 2"),
    (CHANCE, "tab:green", "chance"),
    (TERMINAL, "black", "end"),
    (LEAF, "0.7", "leaf"),
)
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


def growing_tree() -> None:
    """The tree of one search after 1, 10 and 100 simulations; wide lines lead to many nodes."""
    figure, axes = pyplot.subplots(2, 3, figsize=(9.6, 5.6), layout="constrained")
    for row, (name, path, evaluator) in enumerate(
        (("tic-tac-toe", "a1 b2 c3", Zero()), ("leduc", "", None))
    ):
        builder = Builder(load_game(name))
        state = builder.at(path)
        pbs = PBS(state, (np.ones(state.counts[0]), np.ones(state.counts[1])))
        leaves = evaluator or Oracle(builder, iterations=30)
        for column, simulations in enumerate((1, 10, 100)):
            settings = GrowingSettings(simulations=simulations)
            random = np.random.default_rng(1)
            search = GrowingSearch(builder, [pbs], leaves, settings, random=random).run()
            _draw_tree(axes[row, column], search)
            title = f"{name}, {simulations} simulation{'s' * (simulations > 1)}"
            axes[row, column].set_title(title, fontsize=10)
    shown = axes[1, 2].get_legend_handles_labels()
    figure.legend(*shown, frameon=False, fontsize=9, loc="outside lower center", ncols=5)
    figure.savefig(IMAGES / "growing-tree.png", dpi=150)
    pyplot.close(figure)


def _draw_tree(axes: Axes, search: GrowingSearch) -> None:
    """Nodes by depth, leaves side by side; colours say who moves."""
    tree = search.tree
    arrays = tree.arrays
    count, depth = np.zeros(tree.nodes), np.zeros(tree.nodes)
    children: list[list[int]] = [[] for _ in range(tree.nodes)]
    for node in range(1, tree.nodes):
        parent = int(arrays.edge_parent[tree.parent_edge[node]])
        children[parent].append(node)
    order = [tree.roots[0].node]
    for node in order:
        for child in children[node]:
            depth[child] = depth[node] + 1
            order.append(child)
    for node in reversed(order):
        count[node] = 1 + sum(count[child] for child in children[node])
    across, free = np.zeros(tree.nodes), 0.0
    stack = [(order[0], False)]
    while stack:
        node, placed = stack.pop()
        if placed:
            across[node] = np.mean([across[child] for child in children[node]])
        elif not children[node]:
            across[node], free = free, free + 1
        else:
            stack.append((node, True))
            stack += [(child, False) for child in reversed(children[node])]
    for node in order[1:]:
        parent = int(arrays.edge_parent[tree.parent_edge[node]])
        width = 0.4 + 2.6 * count[node] / count[order[0]]
        axes.plot(
            [across[parent], across[node]], [-depth[parent], -depth[node]],
            color="0.7", linewidth=width, zorder=1,
        )  # fmt: skip
    for player, colour, label in PLAYERS_DRAWN:
        chosen = [node for node in order if arrays.player[node] == player]
        axes.scatter(across[chosen], -depth[chosen], s=9, color=colour, label=label, zorder=2)
    axes.axis("off")


SIZE_BOARDS = {"dry": "Ks7d2c9h3s", "flushes": "Kh7h2h9c4d", "straights": "Jd9c8hTs3s"}
OPENER = "22+,A2s+,K8s+,Q9s+,J9s+,T8s+,97s+,86s+,75s+,64s+,54s,A8o+,KTo+,QTo+,JTo"
CALLER = "22-TT,A2s-AJs,K9s+,QTs+,J9s+,T8s+,98s,87s,76s,65s,ATo-AQo,KJo+,QJo"
DEPTHS = tuple(float(depth) for depth in np.geomspace(0.4, 12, 15))
BLUFFS = tuple(range(0, 100, 10))


def chosen_sizes() -> None:
    """The actor's sizes: by stacks on three boards, and by the share of bluffs in a range."""
    river = shipped_actors()["river"].learner
    figure, panels = pyplot.subplots(
        1, 4, figsize=(11, 3.4), layout="constrained", sharey=True, width_ratios=(1, 1, 1, 1.1)
    )
    for axes, (title, board) in zip(panels, SIZE_BOARDS.items(), strict=False):
        for history, name, colour, shift in (
            ("", "OOP bets", "tab:blue", 0.97),
            ("k", "IP bets", "tab:orange", 1.03),
        ):
            points = [
                (shift * depth, size)
                for depth in DEPTHS
                for size in _sizes(river, board, (CALLER, OPENER), depth, history)
            ]
            axes.scatter(*zip(*points, strict=True), s=14, color=colour, label=name)
        axes.plot(DEPTHS, DEPTHS, color="0.6", linewidth=1)
        axes.set(xscale="log", title=f"{board}: {title}", xlabel="stack, in pots")
    nuts, caught = "KK,77,22", "KQs,KJs,KTs,K9s,QQ,JJ,TT,ATs,A9s"
    points = [
        (bluffs, size)
        for bluffs in BLUFFS
        for size in _sizes(
            river, "Ks7d2c9h3s", (f"{nuts},QTs:{bluffs / 100},QJs:{bluffs / 100}", caught), 3.0, ""
        )
    ]
    panels[3].scatter(*zip(*points, strict=True), s=14, color="tab:blue")
    panels[3].set(title="sets and bluffs, stack 3", xlabel="weight of the bluffs, %")
    ticks = (0.1, 0.25, 0.5, 1, 2, 5)
    panels[0].set(yscale="log", ylabel="chosen sizes, in pots", ylim=(0.08, 7))
    panels[0].set_yticks(ticks, labels=map(str, ticks))
    for axes in panels[:3]:
        axes.set_xticks((0.5, 1, 2, 5, 10), labels=("0.5", "1", "2", "5", "10"))
        axes.minorticks_off()
    for axes in panels:
        axes.grid(visible=True, alpha=0.3)
    panels[0].legend(loc="upper left", fontsize=8)
    figure.savefig(IMAGES / "chosen-sizes.png", dpi=130)
    pyplot.close(figure)


def _sizes(
    learner: Learner, board: str, ranges: tuple[str, str], depth: float, history: str
) -> list[float]:
    """The sizes in pots that the actor alone chooses."""
    spot = Spot.of(
        board, ranges=ranges, pot=1000, behind=round(1000 * depth), bets="a", big_blind=50
    )
    point = point_of(Decision(spot, history))
    chosen = learner.choose(point)
    return [HOLDEM.pots[place] for place in chosen if point.usable[place]]


if __name__ == "__main__":
    coin_toss()
    growing_tree()
    chosen_sizes()
