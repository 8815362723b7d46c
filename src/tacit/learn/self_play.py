"""Self-play over public belief states (ReBeL, Algorithms 1 and 2).

A *table* is a fixed number of games played side by side: in each round every game's current PBS is
the root of a subgame, all are solved as one forest, each gives training examples, and each moves on
to a leaf sampled at a random iteration. Every game begins at the same PBS, so that one is solved
once a round for all of them: a game that ends begins anew at a leaf sampled from that search. A
table's results depend on its positions, the network and the seed alone, so they are the same
whichever worker plays it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.learn.encoding import Encoding
from tacit.learn.examples import Examples
from tacit.learn.policy_network import PolicyNetwork, collect_policies
from tacit.solve.algorithms import FictitiousPlay, Minimiser, find_algorithm
from tacit.solve.depth_limited import Mode
from tacit.solve.engine import Beliefs, Solver
from tacit.solve.leaves import Evaluator
from tacit.tree import (
    CHANCE,
    LEAF,
    PLAYERS,
    TERMINAL,
    Builder,
    Place,
    PublicState,
    PublicTree,
    build_forest,
)
from tacit.tree.beliefs import normalised
from tacit.tree.builder import before_chance

Array = NDArray[Any]
MOMENTS = 16
"""How many iterations of fictitious play tell what pairs of infostates get in it."""
Stop = Literal["depth", "round"]


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """A depth-limited search: `iterations` update both players.

    Its subgames `stop` after `depth` public moves, or where the `round` ends: before the next
    public chance event, or with the game. The first `warm_start` iterations are taken from the
    policy network's proposal, 15 in the paper; 0 begins with the uniform policy. With `tremble`
    the beliefs of every search below the first are shaken a little, see `shaken`. Fictitious play
    does not tell actions apart that are within `blur`, a share of the largest value: a network errs
    by as much, and with more iterations search would only answer its errors.
    """

    algorithm: str = "dcfr"
    mode: Mode = "cfr-d"
    iterations: int = 64
    depth: int = 2
    stop: Stop = "depth"
    warm_start: int = 0
    tremble: float = 0.0
    blur: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.blur < inf:
            raise GameError(f"blur must be at least 0, not {self.blur:g}")
        if not 0 <= self.warm_start < self.iterations:
            raise GameError(
                f"a warm start of {self.warm_start} iterations leaves none of "
                f"{self.iterations} to search; give it fewer, or search for more"
            )

    @property
    def minimiser(self) -> Minimiser:
        """What improves the policies."""
        found = find_algorithm(self.algorithm)
        return replace(found, blur=self.blur) if isinstance(found, FictitiousPlay) else found

    def forest(self, builder: Builder, states: Sequence[PublicState]) -> PublicTree:
        """The subgames at `states`, as deep as is searched."""
        if self.stop == "round":
            return build_forest(builder, states, stop=before_chance)
        return build_forest(builder, states, depth=self.depth)

    def begin(self, tree: PublicTree, evaluator: Evaluator, beliefs: Beliefs) -> Solver:
        """A search of `tree` that has not run yet."""
        return Solver(
            tree,
            self.minimiser,
            leaves=evaluator,
            beliefs=beliefs,
            mode=self.mode,
            warm_start=self.warm_start,
        )

    def shaken(
        self, beliefs: tuple[Array, Array], random: np.random.Generator
    ) -> tuple[Array, Array]:
        """Beliefs [K_0] and [K_1], each multiplied by e to the power of `tremble` normal variates.

        Where a search must mix what it plays at a PBS, the solution below jumps as beliefs pass
        that point, and a network, being smooth, learns the mean of both sides. Without trembling,
        search would converge to the very point and then play one side alone.
        """
        if self.tremble == 0:
            return beliefs
        first, second = (
            b * np.exp(self.tremble * random.standard_normal(len(b))).astype(b.dtype)
            for b in beliefs
        )
        return first, second

    def weights(self) -> NDArray[np.float64]:
        """[iterations] how likely each iteration is to be sampled: its weight in the average."""
        weights = np.array([self.minimiser.weight(t) for t in range(1, self.iterations + 1)])
        shares: NDArray[np.float64] = weights / weights.sum()
        return shares

    def iterations_at(self, points: Array) -> NDArray[np.int64]:
        """[n] the iterations at points [n] between 0 and 1, along which they lie by weight."""
        ends = np.cumsum(self.weights())[:-1]
        return 1 + np.searchsorted(ends, points, side="right")


class Position(NamedTuple):
    """A PBS that can travel: the number of a public state of the encoding, and both beliefs."""

    state: int
    beliefs: tuple[Array, Array]


class Round(NamedTuple):
    """What a round of searches gives: examples, where each game goes on, policies if wanted."""

    examples: Examples
    positions: list[Position]
    policies: Examples | None


def start(encoding: Encoding) -> Position:
    """The PBS at the start of the game."""
    root = encoding.builder.root
    return Position(encoding.number[root.key], (np.ones(root.counts[0]), np.ones(root.counts[1])))


def random_positions(encoding: Encoding, count: int, random: np.random.Generator) -> list[Position]:
    """Random public states with random beliefs (uniform on the simplex)."""
    states = [state for state in encoding.states if state.mover != CHANCE]
    return [
        Position(
            encoding.number[states[number].key],
            (
                random.dirichlet(np.ones(states[number].counts[0])),
                random.dirichlet(np.ones(states[number].counts[1])),
            ),
        )
        for number in random.integers(0, len(states), count)
    ]


def play_round(
    encoding: Encoding,
    evaluator: Evaluator,
    positions: Sequence[Position],
    settings: SearchSettings,
    random: np.random.Generator,
    *,
    explore: float = 0.25,
) -> Round:
    """Search at every position and at the start of the game; the examples, and where games go on.

    If the evaluator has a policy network, policies are collected for it. The start is solved, and
    given as an example, once. A game that stands there or that ends goes on at a leaf below the
    start, if the start has any.
    """
    first = start(encoding)
    roots = [first] + [place for place in positions if place.state != first.state]
    search = _new_search(encoding, evaluator, roots, settings, random)
    moves = np.zeros(len(positions), dtype=np.int64)
    moves[[place.state != first.state for place in positions]] = np.arange(1, len(roots))
    games = len(positions)
    # Two draws for each game: from its own root, and from the start should the game end.
    number = np.concatenate([moves, np.zeros(games, dtype=np.int64)])
    when = random.choice(settings.iterations, size=2 * games, p=settings.weights()) + 1
    drawn: list[Position | None] = [None] * (2 * games)
    remember = _remembering(encoding, search, settings, random)

    def sample(iteration: int) -> None:
        remember(iteration)
        due = np.flatnonzero(when == iteration)
        if len(due) == 0:
            return
        reach = search.believed_reach()
        for draw in due.tolist():
            place = sample_leaf(search, int(number[draw]), random, explore=explore)
            if place is not None:
                drawn[draw] = _position(encoding, search, place, reach)

    search.run(settings.iterations, each=sample)
    moved = [drawn[game] or drawn[games + game] or first for game in range(games)]
    return Round(collect(encoding, search, roots), moved, _policies(evaluator, search))


def solve_positions(
    encoding: Encoding,
    evaluator: Evaluator,
    positions: Sequence[Position],
    settings: SearchSettings,
    random: np.random.Generator,
) -> Round:
    """Search at every position, and stay there."""
    search = _new_search(encoding, evaluator, positions, settings, random)
    search.run(settings.iterations, each=_remembering(encoding, search, settings, random))
    examples = collect(encoding, search, positions)
    return Round(examples, list(positions), _policies(evaluator, search))


def _new_search(
    encoding: Encoding,
    evaluator: Evaluator,
    positions: Sequence[Position],
    settings: SearchSettings,
    random: np.random.Generator,
) -> Solver:
    """A search over a forest with one root for each position."""
    states = [encoding.states[position.state] for position in positions]
    tree = settings.forest(encoding.builder, states)
    first = encoding.number[encoding.builder.root.key]
    beliefs = [
        place.beliefs if place.state == first else settings.shaken(place.beliefs, random)
        for place in positions
    ]
    return settings.begin(tree, evaluator, beliefs)


def _remembering(
    encoding: Encoding, search: Solver, settings: SearchSettings, random: np.random.Generator
) -> Callable[[int], None]:
    """To be called each iteration: those of fictitious play tell what pairs of infostates get.

    Some of them, that is, evenly spread by their weight.
    """
    times: Counter[int] = Counter()
    if encoding.pairs and isinstance(search.minimiser, FictitiousPlay):
        points = (np.arange(MOMENTS) + random.random(MOMENTS)) / MOMENTS
        times.update(settings.iterations_at(points).tolist())

    def remember(iteration: int) -> None:
        if iteration in times:
            search.remember(times[iteration])

    return remember


def _policies(evaluator: Evaluator, search: Solver) -> Examples | None:
    """What a search teaches the evaluator's policy network, if it has one."""
    guide = getattr(evaluator, "guide", None)
    return collect_policies(guide, search) if isinstance(guide, PolicyNetwork) else None


def _position(
    encoding: Encoding, search: Solver, place: Place, reach: tuple[Array, Array]
) -> Position | None:
    """The PBS at a leaf of a search, given both reaches.

    None if these rule each other out: each is sure of something that the other's hand denies, as
    can happen where a player explores.
    """
    tree = search.tree
    state = tree.state(place.node)
    first, second = (
        normalised(tree.vectors(reach[p], p, place.node, values=False)[place.copy]).astype(
            np.float64
        )
        for p in PLAYERS
    )
    if first @ state.compatibility @ second <= 0:
        return None
    return Position(encoding.number[state.key], (first, second))


def collect(encoding: Encoding, search: Solver, positions: Sequence[Position]) -> Examples:
    """The roots of a search as training examples."""
    per_root = 1 if encoding.joint else 2
    rows = np.zeros((len(positions) * per_root, encoding.inputs), dtype=np.float32)
    values = np.zeros((len(positions) * per_root, encoding.outputs), dtype=np.float32)
    found = [search.root_pairs()] if encoding.pairs else [search.root_values(p) for p in PLAYERS]
    for number, position in enumerate(positions):
        state = encoding.states[position.state]
        for player in PLAYERS:
            row = number * per_root + (0 if encoding.joint else player)
            if player == 0 or not encoding.joint:
                head = encoding.describe(state, player)
                rows[row, : len(head)] = head
                for p in PLAYERS:
                    rows[row, encoding.input_columns(state, p)] = normalised(position.beliefs[p])
            if not encoding.pairs:
                values[row, encoding.output_columns(state, player)] = found[player][number]
        if encoding.pairs:
            pairs = encoding.pair_sign(state) * found[0][number]
            values[number, encoding.pair_columns(state)] = pairs
    return Examples(rows, values)


def sample_leaf(
    search: Solver, number: int, random: np.random.Generator, *, explore: float
) -> Place | None:
    """Play from root `number` by the current policy; None where the game ends.

    One player, drawn at random, moves uniformly at random with probability `explore` each time. In
    fictitious play one player, drawn at random, responds, and the other plays the average, which
    `believed_reach` has left in `averaged` (ReBeL, footnote 9).
    """
    tree, root = search.tree, search.tree.roots[number]
    policies = [search.policy, search.policy]
    if isinstance(search.minimiser, FictitiousPlay):
        policies[int(random.integers(2))] = search.averaged
    place = Place(root.node, root.copy)
    state = tree.state(place.node)
    own = [
        tree.vectors(search.work.reach[p], p, place.node, values=False)[place.copy] for p in PLAYERS
    ]
    joint = own[0][:, None] * own[1][None, :] * state.compatibility
    pair = _draw(joint.ravel(), random)
    infostates = list(divmod(pair, joint.shape[1]))
    explorer = int(random.integers(2))
    while tree.arrays.player[place.node] not in (LEAF, TERMINAL):
        state = tree.state(place.node)
        expansion, mover = state.expansion, state.mover
        sources = list(infostates)
        if mover != CHANCE:
            at = infostates[mover]
            if mover == explorer and random.random() < explore:
                chances = expansion.legal[:, at].astype(np.float64)
            else:
                chances = tree.block(policies[mover], place.node)[:, place.copy, at]
            action = _draw(chances, random)
            if tree.arrays.simple[place.node]:
                place = tree.children(place)[action][1]
                continue
            sources[mover] = action * state.counts[mover] + at
        options: list[tuple[int, int, int]] = []
        weights: list[float] = []
        for edge, transition in enumerate(expansion.transitions):
            targets = [
                transition.targets[p][transition.sources[p] == sources[p]].tolist() for p in PLAYERS
            ]
            for i in targets[0]:
                for j in targets[1]:
                    options.append((edge, i, j))
                    weights.append(transition.factor * transition.child.compatibility[i, j])
        edge, *infostates = options[_draw(np.array(weights), random)]
        place = tree.children(place)[edge][1]
    return place if tree.arrays.player[place.node] == LEAF else None


def _draw(weights: Array, random: np.random.Generator) -> int:
    """An index with probability in proportion to its weight."""
    running = np.cumsum(weights, dtype=np.float64)
    return int(np.searchsorted(running, random.random() * running[-1], side="right"))
