"""Self-play over public belief states (ReBeL, Algorithms 1 and 2).

A *table* is a fixed number of games played in parallel. In each round every game's current PBS is
the root of a subgame. All are solved as one forest, each gives training examples, and each game
moves to a leaf sampled at a random iteration. Every game begins at the same PBS, which is solved
once a round for all of them: a game that ends restarts at a leaf of that search.

The trainer gives an executor one task for each table and epoch. A result depends only on its task:
the network's weights, the table's positions and a seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tacit.games import Game
from tacit.learn.encoding import Encoding
from tacit.learn.network import ABSENT, Network, PolicyNetwork, make_network, quantise
from tacit.learn.replay import Examples, join
from tacit.learn.settings import Settings
from tacit.solvers.algorithms import FictitiousPlay
from tacit.solvers.engine import Solver
from tacit.solvers.leaves import Rows
from tacit.tree import CHANCE, LEAF, PLAYERS, TERMINAL, Builder
from tacit.tree.pbs import PBS, PortablePBS, first_pbs, normalised
from tacit.tree.playing import deal, draw, follow
from tacit.tree.public_state import Pair

Array = NDArray[Any]
MOMENTS = 16
"""Number of iterations of fictitious play from which the values of pairs are averaged."""


@dataclass(frozen=True)
class TableTask:
    """One table in one epoch, with the network's weights."""

    epoch: int
    table: int
    positions: tuple[PortablePBS, ...]
    weights: dict[str, torch.Tensor]


@dataclass(frozen=True)
class TableResult:
    """A task's examples by their kind, as in `BeliefNetwork.replays`, and the next positions."""

    examples: dict[str, Examples]
    positions: tuple[PortablePBS, ...]


class SelfPlay:
    """Plays tables, with a network of its own unless one is given.

    An executor's set-up is `partial(SelfPlay, game, settings)`.
    """

    def __init__(self, game: Game, settings: Settings, network: Network | None = None) -> None:
        self.settings = settings
        self.network = network or make_network(Builder(game), settings.network, seed=settings.seed)
        self.encoding = self.network.encoding
        self.root = self.encoding.builder.root
        self.first = first_pbs(self.root)

    def __call__(self, task: TableTask) -> TableResult:
        """Play the rounds of a table."""
        self.network.load_state_dict(task.weights)
        random = np.random.default_rng([self.settings.seed, task.epoch, task.table])
        positions = [position.at(self.root) for position in task.positions]
        parts = []
        for _ in range(self.settings.self_play.rounds):
            if self.settings.self_play.random_beliefs:
                roots = random_positions(self.encoding, len(positions), random)
                parts.append(self._run(self._search(roots, random), roots, random))
            else:
                examples, positions = self.play_round(positions, random)
                parts.append(examples)
        examples = {kind: join([part[kind] for part in parts]) for kind in parts[0]}
        return TableResult(examples, tuple(position.portable() for position in positions))

    def play_round(
        self, positions: Sequence[PBS], random: np.random.Generator
    ) -> tuple[dict[str, Examples], list[PBS]]:
        """Search at every position and at the start, and move each game to a leaf.

        The start is solved once and is one example. A game at the start, or one that ends, moves to
        a leaf of that search, if it has any.
        """
        first, settings, games = self.first, self.settings.search, len(positions)
        explore = self.settings.self_play.explore
        roots = [first] + [place for place in positions if place != first]
        search = self._search(roots, random)
        own = np.zeros(games, dtype=np.int64)
        own[[place != first for place in positions]] = np.arange(1, len(roots))
        # Two draws for each game: from its own root, and from the start in case the game ends.
        number = np.concatenate([own, np.zeros(games, dtype=np.int64)])
        when = random.choice(settings.iterations, size=2 * games, p=settings.weights()) + 1
        drawn: list[PBS | None] = [None] * (2 * games)

        def sample(iteration: int) -> None:
            due = np.flatnonzero(when == iteration)
            if len(due) == 0:
                return
            reach = search.believed_reach()
            for which in due.tolist():
                root = int(number[which])
                above = roots[root].path
                drawn[which] = sample_leaf(search, root, reach, above, random, explore=explore)

        examples = self._run(search, roots, random, sample)
        moved = [drawn[game] or drawn[games + game] or first for game in range(games)]
        return examples, moved

    def _search(self, roots: Sequence[PBS], random: np.random.Generator) -> Solver:
        """A search over a forest with one root for each PBS."""
        settings = self.settings.search
        tree = settings.forest(self.encoding.builder, [pbs.state for pbs in roots])
        beliefs = [
            pbs.beliefs if pbs.state is self.root else settings.shaken(pbs.beliefs, random)
            for pbs in roots
        ]
        return settings.begin(tree, self.network, beliefs)

    def _run(
        self,
        search: Solver,
        roots: Sequence[PBS],
        random: np.random.Generator,
        each: Callable[[int], None] | None = None,
    ) -> dict[str, Examples]:
        """Run a search; its examples. In fictitious play, values of pairs are of some iterations.

        These are evenly spread by their weight.
        """
        settings, times = self.settings.search, Counter[int]()
        if self.encoding.pairs and isinstance(search.minimiser, FictitiousPlay):
            points = (np.arange(MOMENTS) + random.random(MOMENTS)) / MOMENTS
            times.update(settings.iterations_at(points).tolist())

        def follow_up(iteration: int) -> None:
            if iteration in times:
                search.remember(times[iteration])
            if each is not None:
                each(iteration)

        search.run(settings.iterations, each=follow_up)
        examples = {"values": collect_values(self.encoding, search, roots)}
        if isinstance(self.network.guide, PolicyNetwork):
            examples["policies"] = collect_policies(self.network.guide, search)
        return examples


def random_positions(encoding: Encoding, count: int, random: np.random.Generator) -> list[PBS]:
    """Random public states with random beliefs (uniform on the simplex), where all are listed."""
    states = [state for state in encoding.states or () if state.mover != CHANCE]
    positions = []
    for number in random.integers(0, len(states), count):
        first, second = (random.dirichlet(np.ones(k)) for k in states[number].counts)
        positions.append(PBS(states[number], (first, second)))
    return positions


def sample_leaf(
    search: Solver,
    root: int,
    reach: tuple[Array, Array],
    above: tuple[int, ...],
    random: np.random.Generator,
    *,
    explore: float,
    dealt: Pair | None = None,
) -> PBS | None:
    """Play from a root, whose path is `above`, by the current policy; the PBS by `reach` at a leaf.

    None where the game ends, or if exploration has led where no pair of infostates is possible. One
    random player moves uniformly at random with probability `explore` each time. In fictitious play
    one random player plays the best response and the other the average, which `believed_reach` has
    left in `mixture` (ReBeL, footnote 9). `dealt`: the pair of infostates at the root.
    """
    tree, place = search.tree, search.tree.roots[root]
    policies = [search.policy, search.policy]
    if isinstance(search.minimiser, FictitiousPlay):
        policies[int(random.integers(2))] = search.averaged
    first, second = (
        tree.vectors(search.work.reach[p], p, place.node, values=False)[place.copy] for p in PLAYERS
    )
    pair = dealt or deal(tree.state(place.node), (first, second), random)
    explorer, path = int(random.integers(2)), list[int]()
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
    if tree.arrays.player[place.node] == TERMINAL:
        return None
    state = tree.state(place.node)
    first, second = (
        normalised(tree.vectors(reach[p], p, place.node, values=False)[place.copy]).astype(float)
        for p in PLAYERS
    )
    if first @ state.compatible_reach(0, second) <= 0:
        return None
    return PBS(state, (first, second), (*above, *path))


def collect_values(encoding: Encoding, search: Solver, roots: Sequence[PBS]) -> Examples:
    """The roots of a search as training examples."""
    per_root = 1 if encoding.joint else 2
    rows = np.zeros((len(roots) * per_root, encoding.inputs), dtype=np.float32)
    values = np.zeros((len(roots) * per_root, encoding.outputs), dtype=np.float32)
    found = [search.root_pairs()] if encoding.pairs else [search.root_values(p) for p in PLAYERS]
    for number, position in enumerate(roots):
        state = position.state
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


def collect_policies(network: PolicyNetwork, search: Solver) -> Examples:
    """The average policy and its beliefs at every decision in the subgames of a search."""
    tree = search.tree
    reach = search.average_reach()
    average = search.averaged
    parts = []
    for player in PLAYERS:
        nodes = np.flatnonzero(tree.arrays.player == player).astype(np.int32)
        rows = Rows(tree, nodes, network)
        inputs = rows.gather(player, reach)
        targets = np.full((len(inputs), network.outputs), ABSENT, dtype=np.uint8)
        first = 0
        for node, state in zip(nodes.tolist(), rows.states, strict=True):
            block = tree.block(average, node)
            here = rows.row[first : first + block.shape[1]]
            first += block.shape[1]
            used = np.flatnonzero(here >= 0)
            reached = tree.block(search.sums, node).sum(axis=0) > 0
            learnt = state.expansion.legal[:, None] & reached
            stored = np.where(learnt, quantise(block), ABSENT)[:, used]
            targets[here[used][:, None, None], network.action_columns(state)] = stored.transpose(
                1, 0, 2
            )
        useful = (targets != ABSENT).any(axis=1)
        parts.append(Examples(inputs[useful], targets[useful]))
    return join(parts)
