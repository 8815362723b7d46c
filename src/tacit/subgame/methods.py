"""Subgames solved again for one player, by any method.

A method chooses the gadget above the subgame and the alternative payoffs that it offers the
opponent: its values against the blueprint or estimates of them, with or without the gifts on the
path (safe and nested subgame solving, sections 3 to 5 and appendices A to F).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solvers import LINEAR_PROGRAM
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
from tacit.subgame.blueprint import BlueprintValues, SubgameRoot
from tacit.subgame.linear_program import solve_root_exactly
from tacit.suggest import unknown
from tacit.tree import LEAF, TERMINAL, Place, PublicTree, StopRule, build_forest
from tacit.tree.kernels.passes import BEST

Array = NDArray[Any]
Vector = NDArray[np.float64]
Kind = Literal["given", "resolve", "maxmargin", "cfr-br", "hedge", "mixed"]
Gifts = Literal["none", "split", "whole"]

SLACK = 1e-6
"""Relative rounding error by which alternative payoffs may exceed the game's payoffs."""


@dataclass(frozen=True)
class Method:
    """A way to solve a subgame again.

    kind: the gadget; estimated: alternative payoffs are estimates instead of best-response values;
    gifts: how the opponent's gifts are added to the alternative payoffs.
    """

    name: str
    kind: Kind
    estimated: bool = False
    gifts: Gifts = "none"


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("unsafe", "given"),
        Method("resolve", "resolve"),
        Method("maxmargin", "maxmargin"),
        Method("reach-maxmargin", "maxmargin", gifts="split"),
        Method("reach-maxmargin-not-split", "maxmargin", gifts="whole"),
        Method("estimated", "resolve", estimated=True),
        Method("estimated-distributional", "hedge", estimated=True),
        Method("estimated-distributional-cfr-br", "cfr-br", estimated=True),
        Method("reach-estimated-distributional", "hedge", estimated=True, gifts="split"),
        Method("reach-estimated-distributional-not-split", "hedge", estimated=True, gifts="whole"),
        Method("continual", "mixed"),
    )
}


def find_method(name: str) -> Method:
    """The method called `name`; GameError names the nearest one if there is none."""
    if name in METHODS:
        return METHODS[name]
    raise GameError(unknown("method", name, METHODS))


@dataclass(frozen=True, kw_only=True)
class SolveBudget:
    """How a subgame is solved: by which algorithm, or "lp", for how long, and how exactly.

    gift_scale: factor of the gifts (appendix F); 1 is safe. share: the gadget's share of the range
    in continual re-solving. With an evaluator the subgame ends in leaves, after `depth` public
    moves or where `stop` says; see `solve_to_the_end`.
    """

    algorithm: str = "pcfr+"
    iterations: int = 1000
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
    """Subgames solved again: a forest with one tree for each root, and a policy [slots] on it.

    alternatives[r]: [K] the opponent's alternative payoffs at root r; entering[r]: [K] its reach
    there, averaged over the iterations. below: the roots at the leaves of a depth-limited forest,
    if the algorithm is regret matching.
    """

    roots: Sequence[SubgameRoot]
    method: Method
    tree: PublicTree = field(repr=False)
    policy: Array = field(repr=False)
    alternatives: Sequence[Vector] = field(repr=False)
    entering: Sequence[Vector] = field(repr=False)
    below: Sequence[SubgameRoot] = field(default=(), repr=False)

    @property
    def player(self) -> int:
        """The player who solved them."""
        return self.roots[0].player

    def best(self) -> list[Vector]:
        """For each root, the CBV [K] of the opponent's infostates against the policy."""
        beliefs = [_solving_beliefs(root) for root in self.roots]
        responder = BestResponse(self.tree, self.policy, beliefs=beliefs)
        responder.visit(1 - self.player, BEST)
        return [responder.expected(1 - self.player, node)[copy] for node, copy in self.tree.roots]

    def margins(self) -> list[Vector]:
        """For each root [K], CBV against the blueprint minus CBV against the policy."""
        return [root.best - now for root, now in zip(self.roots, self.best(), strict=True)]

    def written_into(self, tree: PublicTree, policy: Array) -> Array:
        """[slots] `policy` on the whole `tree` with the player's policy in these subgames."""
        written = policy.copy()
        for root, start in zip(self.roots, self.tree.roots, strict=True):
            for here, there in matching_places(self.tree, start, tree, root.place):
                if self.tree.arrays.player[here.node] == self.player:
                    block = self.tree.block(self.policy, here.node)[:, here.copy]
                    tree.block(written, there.node)[:, there.copy] = block
        return written


def gadget_of(root: SubgameRoot, method: Method, budget: SolveBudget) -> tuple[Gadget, Vector]:
    """The gadget above a subgame, and the alternative payoffs [K] that it offers."""
    scale = budget.gift_scale
    if not (np.isfinite(scale) and scale >= 0):
        raise GameError(f"gifts cannot be scaled by {scale}; give zero or more")
    gifts = {"none": np.zeros(1), "split": root.gifts, "whole": root.whole_gifts}[method.gifts]
    offered: Vector = (root.estimate if method.estimated else root.best) + scale * gifts
    weights, other = root.weights, root.reach[root.opponent]
    if method.kind == "given":
        return Given(weights, other), offered
    if method.kind == "mixed":
        return Mixed(weights, offered, other, share=budget.share), offered
    if method.kind in ("resolve", "maxmargin"):
        return (Resolve if method.kind == "resolve" else MaxMargin)(weights, offered), offered
    errors = np.abs(root.best - root.estimate)
    return (Hedged if method.kind == "hedge" else Distributional)(weights, offered, errors), offered


def improve(
    values: BlueprintValues, places: Sequence[Place], method: str, budget: SolveBudget
) -> list[SubgameResult]:
    """Solve the subgames at `places` again for the player of `values`.

    Write the results into a policy for the whole game in their order.
    """
    if not places:
        raise GameError("the blueprint reaches none of these subgames; name another with --at")
    roots = [values.at(place) for place in places]
    if budget.algorithm == LINEAR_PROGRAM:
        return [solve_roots(values.tree, [root], method, budget) for root in roots]
    return solve_to_the_end(values.tree, roots, method, budget)


def solve_roots(
    whole: PublicTree,
    roots: Sequence[SubgameRoot],
    method: Method | str,
    budget: SolveBudget | None = None,
    *,
    tree: PublicTree | None = None,
) -> SubgameResult:
    """Solve the subgames at `roots` again, all in one forest.

    `tree`: a forest with the same public states as roots, for example with other actions.
    """
    budget = budget or SolveBudget()
    method = find_method(method) if isinstance(method, str) else method
    if not roots:
        raise GameError("no subgame is given; name at least one public state")
    low, high = payoff_bounds(whole, roots[0].opponent)
    for root in roots:
        check_alternatives(root, low, high)
    pairs = [gadget_of(root, method, budget) for root in roots]
    gadgets, offered = [gadget for gadget, _ in pairs], [payoffs for _, payoffs in pairs]
    limited = budget.depth is not None or budget.stop is not None
    if tree is None:
        tree = build_forest(
            whole.builder, [root.state for root in roots], depth=budget.depth, stop=budget.stop
        )
    if budget.algorithm == LINEAR_PROGRAM:
        if limited or len(roots) > 1:
            raise GameError(
                "a linear program solves one subgame to its end; leave --depth out, or choose CFR"
            )
        if method.kind not in ("given", "resolve", "maxmargin"):
            raise GameError(f"{method.name} is no linear program; take an algorithm such as pcfr+")
        policy = solve_root_exactly(tree, roots[0], method.kind, gadgets[0], offered[0])
        return SubgameResult(roots, method, tree, policy, offered, [gadgets[0].previous])
    if limited and budget.evaluator is None:
        raise GameError("a depth-limited subgame needs an evaluator for its leaves")
    root_gadgets = RootGadgets(roots[0].opponent, gadgets)
    solver = Solver(
        tree,
        find_algorithm(budget.algorithm),
        beliefs=[_solving_beliefs(root) for root in roots],
        leaves=budget.evaluator if limited else None,
        mode=budget.mode,
        root=root_gadgets,
        storage=64 if budget.double else 32,
        threads=budget.threads,
    )
    below: list[SubgameRoot] = []
    if limited and isinstance(solver.minimiser, RegretMatching):
        leaves = _LeafRoots(solver, roots[0].player)
        solver.run(budget.iterations, each=leaves.each)
        below = leaves.roots(low=low, high=high)
    else:
        solver.run(budget.iterations)
    policy = solver.average_policy()
    return SubgameResult(roots, method, tree, policy, offered, root_gadgets.average(), below)


def solve_to_the_end(
    whole: PublicTree, roots: Sequence[SubgameRoot], method: Method | str, budget: SolveBudget
) -> list[SubgameResult]:
    """Solve depth-limited subgames, then the subgames at their leaves, and so on to the end.

    At a leaf the alternative payoffs are the values that the search above it has assumed.
    """
    limited = budget.depth is not None or budget.stop is not None
    if limited and not isinstance(find_algorithm(budget.algorithm), RegretMatching):
        raise GameError(
            f"subgames below the leaves of {budget.algorithm} cannot be solved again; choose an "
            "algorithm by regret matching, such as linear-cfr"
        )
    result = solve_roots(whole, roots, method, budget)
    if not result.below:
        return [result]
    there = {
        here: beneath
        for root, start in zip(roots, result.tree.roots, strict=True)
        for here, beneath in matching_places(result.tree, start, whole, root.place)
    }
    below = [replace(root, place=there[root.place]) for root in result.below]
    return [result, *solve_to_the_end(whole, below, method, budget)]


def matching_places(
    source: PublicTree, start: Place, target: PublicTree, place: Place
) -> Iterator[tuple[Place, Place]]:
    """The public states of `source` below `start`, each with that of `target` below `place`."""
    stack = [(start, place)]
    while stack:
        here, there = stack.pop()
        yield here, there
        if source.arrays.player[here.node] not in (TERMINAL, LEAF):
            children = zip(source.children(here), target.children(there), strict=True)
            stack += [(below, beneath) for (_, below), (_, beneath) in children]


def check_alternatives(root: SubgameRoot, low: float, high: float) -> None:
    """Refuse alternative payoffs that are missing or that the game cannot pay."""
    possible = root.weights > 0
    slack = SLACK * max(1.0, abs(low), abs(high))
    for what, given in (("best-response values", root.best), ("estimates", root.estimate)):
        if given.shape != root.weights.shape:
            raise GameError(
                f"the {what} have shape {given.shape}; the opponent has {len(root.weights)} "
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
    """The least and the largest payoff of `player` at the terminals of a tree."""
    low, high = np.inf, -np.inf
    for node in np.flatnonzero(tree.arrays.player == TERMINAL).tolist():
        least, most = tree.state(node).payoff_bounds()
        low, high = min(low, least), max(high, most)
    return (low, high) if player == 0 else (-high, -low)


def _solving_beliefs(root: SubgameRoot) -> tuple[Vector, Vector]:
    """The player's reach; ones for the opponent, whose reach the gadget decides."""
    other = np.ones(len(root.weights))
    own = root.reach[root.player]
    return (own, other) if root.player == 0 else (other, own)


class _LeafRoots:
    """The leaves of a search by regret matching as roots of subgames that `player` solves again.

    In every iteration the evaluator answers the opponent's value at each leaf. The search assumes
    the average of these values: if the opponent gets no more below each leaf, its value at the root
    holds. So the averages are the alternative payoffs there (CFR-D, Burch et al. 2014; *Modified
    Continual Re-solving* of Student of Games).
    """

    def __init__(self, search: Solver, player: int) -> None:
        self.search = search
        self.player = player
        self.opponent = 1 - player
        self.sums = np.zeros(len(search.work.values[self.opponent]))
        self.total = 0.0
        # Unless the opponent is updated second, its values are against the previous policy.
        self.against_previous = self.opponent == 0 or not search.minimiser.alternating

    def each(self, iteration: int) -> None:
        """Add the opponent's values at the leaves in this iteration."""
        against = iteration - 1 if self.against_previous else iteration
        if against > 0:
            weight = self.search.minimiser.weight(against)
            self.sums += weight * self.search.work.values[self.opponent]
            self.total += weight

    def roots(self, *, low: float, high: float) -> list[SubgameRoot]:
        """One root for each leaf that the player reaches; call it once, after the last iteration.

        Values are clipped to the game's payoffs, `low` to `high`. Gifts are zero: the search above
        has used them.
        """
        search, tree, opponent = self.search, self.search.tree, self.opponent
        if self.against_previous:
            search.limited.leaves.fill(opponent, search.work.reach, search.work.values[opponent])
            self.each(search.iteration + 1)
        reach = search.average_reach()
        roots = []
        for node in tree.leaves.tolist():
            state = tree.state(node)
            if state.mover == TERMINAL:
                continue
            both = [tree.vectors(reach[p], p, node, values=False) for p in (0, 1)]
            sums = tree.vectors(self.sums, opponent, node, values=True)
            for copy in range(int(tree.arrays.copies[node])):
                own = (both[0][copy].astype(np.float64), both[1][copy].astype(np.float64))
                weights = state.compatible_reach(opponent, own[self.player])
                if not weights.max(initial=0.0) > 0:
                    continue
                values = np.full(len(weights), np.nan)
                np.divide(sums[copy], self.total * weights, out=values, where=weights > 0)
                values, none = np.clip(values, low, high), np.zeros(len(weights))
                place = Place(node, copy)
                roots.append(
                    SubgameRoot(place, state, self.player, own, values, values, none, none)
                )
        return roots
