"""Self-play over public belief states (ReBeL, Algorithms 1 and 2).

A *table* is a fixed number of games played in parallel. In each round every game's current PBS is
the root of a subgame. All are solved as one forest, each gives training examples, and each game
moves to a leaf sampled at a random iteration. Every game begins at the same PBS, which is solved
once a round for all of them: a game that ends restarts at a leaf of that search. A table's results
depend only on its positions, the network and the seed, not on the process that plays it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.learn.encoding import Encoding
from tacit.learn.examples import Examples
from tacit.learn.policy_network import PolicyNetwork, collect_policies
from tacit.learn.settings import SearchSettings
from tacit.solvers.algorithms import FictitiousPlay
from tacit.solvers.engine import Solver
from tacit.solvers.leaves import Evaluator
from tacit.tree import CHANCE, LEAF, PLAYERS, TERMINAL, Place
from tacit.tree.pbs import PBS, first_pbs, normalised
from tacit.tree.playing import deal, draw, follow

Array = NDArray[Any]
MOMENTS = 16
"""Number of iterations of fictitious play from which the values of pairs are averaged."""


class Round(NamedTuple):
    """The result of a round: examples, each game's next position, and examples of policies."""

    examples: Examples
    positions: list[PBS]
    policies: Examples | None


def random_positions(encoding: Encoding, count: int, random: np.random.Generator) -> list[PBS]:
    """Random public states with random beliefs (uniform on the simplex)."""
    if encoding.states is None:
        raise GameError(
            f"{encoding.builder.game.name} has too many public states to be listed; train with "
            "random_beliefs=false"
        )
    states = [state for state in encoding.states if state.mover != CHANCE]
    positions = []
    for number in random.integers(0, len(states), count):
        first, second = (random.dirichlet(np.ones(k)) for k in states[number].counts)
        positions.append(PBS(states[number], (first, second)))
    return positions


def play_round(
    encoding: Encoding,
    evaluator: Evaluator,
    positions: Sequence[PBS],
    settings: SearchSettings,
    random: np.random.Generator,
    *,
    explore: float = 0.25,
) -> Round:
    """Search at every position and at the start of the game, and move each game to a leaf.

    If the evaluator has a policy network, examples of policies are collected for it. The start is
    solved once and is one example. A game at the start, or one that ends, moves to a leaf of that
    search, if it has any.
    """
    first = first_pbs(encoding.builder.root)
    roots = [first] + [place for place in positions if place != first]
    search = _new_search(encoding, evaluator, roots, settings, random)
    moves = np.zeros(len(positions), dtype=np.int64)
    moves[[place != first for place in positions]] = np.arange(1, len(roots))
    games = len(positions)
    # Two draws for each game: from its own root, and from the start in case the game ends.
    number = np.concatenate([moves, np.zeros(games, dtype=np.int64)])
    when = random.choice(settings.iterations, size=2 * games, p=settings.weights()) + 1
    drawn: list[PBS | None] = [None] * (2 * games)
    remember = _remembering(encoding, search, settings, random)

    def sample(iteration: int) -> None:
        remember(iteration)
        due = np.flatnonzero(when == iteration)
        if len(due) == 0:
            return
        reach = search.believed_reach()
        for which in due.tolist():
            root = int(number[which])
            leaf = sample_leaf(search, root, random, explore=explore)
            if leaf is not None:
                drawn[which] = _leaf_pbs(search, leaf, reach, roots[root].path)

    search.run(settings.iterations, each=sample)
    moved = [drawn[game] or drawn[games + game] or first for game in range(games)]
    return Round(collect(encoding, search, roots), moved, _policies(evaluator, search))


def solve_positions(
    encoding: Encoding,
    evaluator: Evaluator,
    positions: Sequence[PBS],
    settings: SearchSettings,
    random: np.random.Generator,
) -> Round:
    """Search at every position; the games do not move."""
    search = _new_search(encoding, evaluator, positions, settings, random)
    search.run(settings.iterations, each=_remembering(encoding, search, settings, random))
    examples = collect(encoding, search, positions)
    return Round(examples, list(positions), _policies(evaluator, search))


def _new_search(
    encoding: Encoding,
    evaluator: Evaluator,
    positions: Sequence[PBS],
    settings: SearchSettings,
    random: np.random.Generator,
) -> Solver:
    """A search over a forest with one root for each position."""
    tree = settings.forest(encoding.builder, [place.state for place in positions])
    first = encoding.builder.root
    beliefs = [
        place.beliefs if place.state is first else settings.shaken(place.beliefs, random)
        for place in positions
    ]
    return settings.begin(tree, evaluator, beliefs)


def _remembering(
    encoding: Encoding, search: Solver, settings: SearchSettings, random: np.random.Generator
) -> Callable[[int], None]:
    """A callback for each iteration, which records values of pairs in fictitious play.

    It records some iterations, evenly spread by their weight.
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
    """Examples for the evaluator's policy network, if it has one."""
    guide = getattr(evaluator, "guide", None)
    return collect_policies(guide, search) if isinstance(guide, PolicyNetwork) else None


class Leaf(NamedTuple):
    """A leaf of a search, and the numbers of the transitions from its root."""

    place: Place
    path: tuple[int, ...]


def _leaf_pbs(
    search: Solver, leaf: Leaf, reach: tuple[Array, Array], above: tuple[int, ...]
) -> PBS | None:
    """The PBS at a leaf of a search, given both reaches and the path to the search's root.

    None if no pair of infostates is compatible with both reaches, which exploration can cause.
    """
    tree, (node, copy) = search.tree, leaf.place
    state = tree.state(node)
    first, second = (
        normalised(tree.vectors(reach[p], p, node, values=False)[copy]).astype(np.float64)
        for p in PLAYERS
    )
    if first @ state.compatible_reach(0, second) <= 0:
        return None
    return PBS(state, (first, second), (*above, *leaf.path))


def collect(encoding: Encoding, search: Solver, positions: Sequence[PBS]) -> Examples:
    """The roots of a search as training examples."""
    per_root = 1 if encoding.joint else 2
    rows = np.zeros((len(positions) * per_root, encoding.inputs), dtype=np.float32)
    values = np.zeros((len(positions) * per_root, encoding.outputs), dtype=np.float32)
    roots = [search.root_pairs()] if encoding.pairs else [search.root_values(p) for p in PLAYERS]
    for number, position in enumerate(positions):
        state = position.state
        for player in PLAYERS:
            row = number * per_root + (0 if encoding.joint else player)
            if player == 0 or not encoding.joint:
                head = encoding.describe(state, player)
                rows[row, : len(head)] = head
                for p in PLAYERS:
                    rows[row, encoding.input_columns(state, p)] = normalised(position.beliefs[p])
            if not encoding.pairs:
                values[row, encoding.output_columns(state, player)] = roots[player][number]
        if encoding.pairs:
            pairs = encoding.pair_sign(state) * roots[0][number]
            values[number, encoding.pair_columns(state)] = pairs
    return Examples(rows, values)


def sample_leaf(
    search: Solver, number: int, random: np.random.Generator, *, explore: float
) -> Leaf | None:
    """Play from root `number` by the current policy; None where the game ends.

    One random player moves uniformly at random with probability `explore` each time. In fictitious
    play one random player plays the best response and the other the average, which
    `believed_reach` has left in `mixture` (ReBeL, footnote 9).
    """
    tree, root = search.tree, search.tree.roots[number]
    policies = [search.policy, search.policy]
    if isinstance(search.minimiser, FictitiousPlay):
        policies[int(random.integers(2))] = search.averaged
    place, path = Place(root.node, root.copy), list[int]()
    first, second = (
        tree.vectors(search.work.reach[p], p, place.node, values=False)[place.copy] for p in PLAYERS
    )
    pair = deal(tree.state(place.node), (first, second), random)
    explorer = int(random.integers(2))
    while tree.arrays.player[place.node] not in (LEAF, TERMINAL):
        state = tree.state(place.node)
        mover, action = state.mover, None
        if mover != CHANCE:
            at = pair[mover]
            if mover == explorer and random.random() < explore:
                chances = state.expansion.legal[:, at].astype(np.float64)
            else:
                chances = tree.block(policies[mover], place.node)[:, place.copy, at]
            action = draw(chances, random)
        if action is not None and tree.arrays.simple[place.node]:
            edge = action
        else:
            edge, pair = follow(state, pair, action, random)
        path.append(edge)
        place = tree.child(place, edge)
    return Leaf(place, tuple(path)) if tree.arrays.player[place.node] == LEAF else None
