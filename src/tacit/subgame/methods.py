"""Subgames solved again for one player: every method a root on the same tree.

A method says which gadget stands above the subgame and which alternative payoffs it offers the
opponent: what she got against the blueprint or was estimated to get, with or without the gifts on
the way (safe and nested subgame solving, sections 3 to 5 and appendices A to F).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solvers.algorithms import RegretMatching, find_algorithm
from tacit.solvers.best_response import BestResponse
from tacit.solvers.depth_limited import Mode
from tacit.solvers.engine import Solver
from tacit.solvers.gadgets import (
    Distributional,
    Gadget,
    Given,
    Hedged,
    MaxMargin,
    Mixed,
    Resolve,
    RootGadgets,
)
from tacit.solvers.leaves import Evaluator
from tacit.subgame.blueprint import Blueprint, BlueprintValues, SubgameRoot
from tacit.subgame.leaf_roots import LeafRoots
from tacit.suggest import unknown
from tacit.tree import LEAF, TERMINAL, Place, PublicTree, StopRule, build_forest
from tacit.tree.passes import BEST

Array = NDArray[Any]
Vector = NDArray[np.float64]
Kind = Literal["given", "resolve", "maxmargin", "cfr-br", "hedge", "mixed"]
Gifts = Literal["none", "split", "whole"]

DEFAULT_METHOD = "reach-maxmargin"
DEFAULT_ALGORITHM = "pcfr+"
DEFAULT_ITERATIONS = 1000
SLACK = 1e-6
"""How far alternative payoffs may lie beyond the game's payoffs, for rounding, relative to them."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to solve a subgame again.

    `kind` is the gadget; `estimated` takes estimates instead of best-response values; `gifts` are
    added to the alternative payoffs split, whole or not at all. A `safe` method never makes the
    player more exploitable, but for the error of the solver.
    """

    name: str
    about: str
    kind: Kind
    estimated: bool = False
    gifts: Gifts = "none"
    safe: bool = False


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(name="unsafe", about="the opponent comes in as the blueprint does", kind="given"),
        Method(
            name="resolve",
            about="she enters or takes what she had",
            kind="resolve",
            safe=True,
        ),
        Method(
            name="maxmargin",
            about="the smallest margin is made as large as possible",
            kind="maxmargin",
            safe=True,
        ),
        Method(
            name="reach-maxmargin",
            about="maxmargin, her gifts split among the subgames",
            kind="maxmargin",
            gifts="split",
            safe=True,
        ),
        Method(
            name="reach-maxmargin-not-split",
            about="maxmargin, every subgame taking her whole gifts",
            kind="maxmargin",
            gifts="whole",
        ),
        Method(
            name="estimated",
            about="resolve with estimates of what she gets in equilibrium",
            kind="resolve",
            estimated=True,
        ),
        Method(
            name="estimated-distributional",
            about="estimates with normal errors, Hedge at the root",
            kind="hedge",
            estimated=True,
        ),
        Method(
            name="estimated-distributional-cfr-br",
            about="estimates with normal errors, best responses at the root",
            kind="cfr-br",
            estimated=True,
        ),
        Method(
            name="reach-estimated-distributional",
            about="the same with Hedge and gifts, split",
            kind="hedge",
            estimated=True,
            gifts="split",
        ),
        Method(
            name="reach-estimated-distributional-not-split",
            about="the same with Hedge and gifts, whole",
            kind="hedge",
            estimated=True,
            gifts="whole",
        ),
        Method(
            name="continual",
            about="resolve, her range before mixed in by half",
            kind="mixed",
        ),
    )
}


def find_method(name: str) -> Method:
    """The method called `name`; GameError names the nearest one if there is none."""
    if name in METHODS:
        return METHODS[name]
    raise GameError(unknown("method", name, METHODS))


@dataclass(frozen=True, kw_only=True)
class SolveBudget:
    """How a subgame is solved: by which algorithm, for how long, and how exactly.

    gift_scale multiplies the gifts (appendix F); one keeps what is promised. share is that of the
    gadget in continual re-solving's range. With an evaluator the subgame ends after `depth` public
    moves, or where `stop` says, in leaves that it answers for; see `solve_to_the_end`.
    """

    algorithm: str = DEFAULT_ALGORITHM
    iterations: int = DEFAULT_ITERATIONS
    double: bool = False
    threads: int = 1
    gift_scale: float = 1.0
    share: float = 0.5
    evaluator: Evaluator | None = None
    depth: int | None = None
    stop: StopRule | None = None
    mode: Mode = "cfr-d"


@dataclass(frozen=True)
class SubgameResult:
    """Subgames solved again: a forest with one root a view, and a policy [slots] on it.

    alternatives[r]: [K] what the opponent was offered at root r; entering[r]: [K] her reach there,
    averaged over the iterations. below: what the player sees at the leaves of a depth-limited
    forest, if regrets were matched.
    """

    views: Sequence[SubgameRoot]
    method: Method
    tree: PublicTree = field(repr=False)
    policy: Array = field(repr=False)
    alternatives: Sequence[Vector] = field(repr=False)
    entering: Sequence[Vector] = field(repr=False)
    below: Sequence[SubgameRoot] = field(default=(), repr=False)

    @property
    def player(self) -> int:
        """Who has solved them."""
        return self.views[0].player

    def best(self) -> list[Vector]:
        """For each root, what the opponent's infostates [K] get at best against the policy."""
        views = self.views
        beliefs = [_solving_beliefs(view) for view in views]
        responder = BestResponse(self.tree, self.policy, beliefs=beliefs)
        responder.visit(views[0].opponent, BEST)
        return [
            responder.expected(views[0].opponent, root.node)[root.copy] for root in self.tree.roots
        ]

    def margins(self) -> list[Vector]:
        """For each root [K], CBV against the blueprint less CBV against the policy."""
        return [view.best - now for view, now in zip(self.views, self.best(), strict=True)]

    def written_into(self, tree: PublicTree, policy: Array) -> Array:
        """[slots] `policy` on the whole `tree`, the player's part in these subgames replaced."""
        written = policy.copy()
        for view, root in zip(self.views, self.tree.roots, strict=True):
            copy_policy(
                self.tree, self.policy, Place(*root), tree, written, view.place, self.player
            )
        return written


def gadget_of(view: SubgameRoot, method: Method, budget: SolveBudget) -> tuple[Gadget, Vector]:
    """The gadget above a view's subgame, and the alternative payoffs [K] that it offers."""
    base = view.estimate if method.estimated else view.best
    scale = budget.gift_scale
    if not (np.isfinite(scale) and scale >= 0):
        raise GameError(f"gifts cannot be scaled by {scale}; give zero or more")
    gifts = {"none": np.zeros(1), "split": view.gifts, "whole": view.whole_gifts}[method.gifts]
    offered: Vector = base + scale * gifts
    weights, other = view.weights, view.reach[view.opponent]
    if method.kind == "given":
        return Given(weights, other), offered
    if method.kind == "resolve":
        return Resolve(weights, offered), offered
    if method.kind == "maxmargin":
        return MaxMargin(weights, offered), offered
    if method.kind == "mixed":
        return Mixed(weights, offered, other, share=budget.share), offered
    deviations = np.abs(view.best - view.estimate)
    kinds = {"cfr-br": Distributional, "hedge": Hedged}
    return kinds[method.kind](weights, offered, deviations), offered


def solve_subgames(
    blueprint_values: BlueprintValues,
    places: Sequence[Place],
    method: Method | str,
    budget: SolveBudget | None = None,
) -> SubgameResult:
    """Solve the subgames at these public states again, for the player of `blueprint_values`."""
    budget = budget or SolveBudget()
    views = [blueprint_values.at(place) for place in places]
    return solve_roots(blueprint_values.tree, views, method, budget)


def solve_roots(
    whole: PublicTree,
    views: Sequence[SubgameRoot],
    method: Method | str,
    budget: SolveBudget | None = None,
    *,
    tree: PublicTree | None = None,
) -> SubgameResult:
    """As `solve_subgames`, for views that may have been changed, and on a forest of one's own.

    `tree`: a forest with the views' public states as roots, such as one with other actions in it.
    """
    budget = budget or SolveBudget()
    method = find_method(method) if isinstance(method, str) else method
    if not views:
        raise GameError("no subgame is given; name at least one public state")
    low, high = payoff_bounds(whole, views[0].opponent)
    for view in views:
        check_alternatives(view, low, high)
    pairs = [gadget_of(view, method, budget) for view in views]
    root_gadgets = RootGadgets(views[0].opponent, [gadget for gadget, _ in pairs])
    beliefs = [_solving_beliefs(view) for view in views]
    limited = budget.depth is not None or budget.stop is not None
    if tree is None:
        tree = build_forest(
            whole.builder, [view.state for view in views], depth=budget.depth, stop=budget.stop
        )
    if limited and budget.evaluator is None:
        raise GameError("a depth-limited subgame needs an evaluator for its leaves")
    solver = Solver(
        tree,
        find_algorithm(budget.algorithm),
        beliefs=beliefs,
        leaves=budget.evaluator if limited else None,
        mode=budget.mode,
        root=root_gadgets,
        storage=64 if budget.double else 32,
        threads=budget.threads,
    )
    below: list[SubgameRoot] = []
    if limited and isinstance(solver.minimiser, RegretMatching):
        leaves = LeafRoots(solver, views[0].player)
        solver.run(budget.iterations, each=leaves.each)
        below = leaves.found(low=low, high=high)
    else:
        solver.run(budget.iterations)
    policy = solver.average_policy()
    offered = [payoffs for _, payoffs in pairs]
    return SubgameResult(views, method, tree, policy, offered, root_gadgets.average(), below)


def solve_to_the_end(
    whole: PublicTree, views: Sequence[SubgameRoot], method: Method | str, budget: SolveBudget
) -> list[SubgameResult]:
    """Depth-limited subgames, then what follows their leaves in the same way, and so on.

    At a leaf the opponent is offered what the search above it has counted on. Written into a policy
    for the whole game one after the other, they make one for all of the subgames.
    """
    if not isinstance(find_algorithm(budget.algorithm), RegretMatching):
        raise GameError(
            f"what follows the leaves of {budget.algorithm} cannot be solved again; choose an "
            "algorithm that matches regrets, such as linear-cfr"
        )
    found = solve_roots(whole, views, method, budget)
    if not found.below:
        return [found]
    there = {
        here: beneath
        for view, root in zip(views, found.tree.roots, strict=True)
        for here, beneath in matching_places(found.tree, Place(*root), whole, view.place)
    }
    below = [replace(view, place=there[view.place]) for view in found.below]
    return [found, *solve_to_the_end(whole, below, method, budget)]


def copy_policy(
    source: PublicTree,
    policy: Array,
    start: Place,
    target: PublicTree,
    written: Array,
    place: Place,
    player: int | None,
) -> None:
    """Write the policy below `start` of one tree to where `place` of the other has the same game.

    player: whose policy, None for both. What the source does not have below its leaves stays.
    """
    for here, there in matching_places(source, start, target, place):
        mover = int(source.arrays.player[here.node])
        if mover < 2 and player in (None, mover):
            block = source.block(policy, here.node)[:, here.copy]
            target.block(written, there.node)[:, there.copy] = block


def matching_places(
    source: PublicTree, start: Place, target: PublicTree, place: Place
) -> Iterator[tuple[Place, Place]]:
    """The public states of one tree from `start` on, with those of the other from `place` on."""
    stack = [(start, place)]
    while stack:
        here, there = stack.pop()
        yield here, there
        if source.arrays.player[here.node] not in (TERMINAL, LEAF):
            children = zip(source.children(here), target.children(there), strict=True)
            stack += [(below, beneath) for (_, below), (_, beneath) in children]


def check_alternatives(view: SubgameRoot, low: float, high: float) -> None:
    """GameError if alternative payoffs are missing or lie beyond what the game can pay."""
    possible = view.weights > 0
    slack = SLACK * max(1.0, abs(low), abs(high))
    for what, given in (("best-response values", view.best), ("estimates", view.estimate)):
        if given.shape != view.weights.shape:
            raise GameError(
                f"the {what} have shape {given.shape}; the opponent has {len(view.weights)} "
                "infostates at this public state, give one number each"
            )
        offered = given[possible]
        if not np.all(np.isfinite(offered)):
            raise GameError(f"the {what} of the opponent's infostates are not all numbers")
        if np.any(offered < low - slack) or np.any(offered > high + slack):
            worst = offered[int(np.argmax(np.abs(offered)))]
            raise GameError(
                f"an alternative payoff of {worst:g} is impossible: this game pays the opponent "
                f"from {low:g} to {high:g}"
            )


def payoff_bounds(tree: PublicTree, player: int) -> tuple[float, float]:
    """The least and the most that `player` can get at the ends of a tree."""
    low, high = np.inf, -np.inf
    for node in np.flatnonzero(tree.arrays.player == TERMINAL).tolist():
        state = tree.state(node)
        least, most = state.payoff_bounds()
        low, high = min(low, least), max(high, most)
    return (low, high) if player == 0 else (-high, -low)


def _solving_beliefs(view: SubgameRoot) -> tuple[Vector, Vector]:
    """The player's reach; the opponent's is the gadget's, ones stand in for it."""
    other = np.ones(len(view.weights))
    own = view.reach[view.player]
    return (own, other) if view.player == 0 else (other, own)


def solved_again(
    blueprint: Blueprint,
    places: Sequence[Place],
    method: Method | str,
    budget: SolveBudget | None = None,
    *,
    players: Sequence[int] = (0, 1),
) -> Array:
    """[slots] the blueprint with these subgames solved again, for each of the players by itself."""
    written = blueprint.policy
    for player in players:
        blueprint_values = BlueprintValues(blueprint, player)
        found = solve_subgames(blueprint_values, places, method, budget)
        written = found.written_into(blueprint.tree, written)
    return written
