"""Monte Carlo tree search with PUCT, as in AlphaZero (Silver et al. 2018), for open games.

It takes any evaluator that answers values, and policies as priors where it has them: the networks
of growing-tree CFR, or random playouts. A simulation goes down the tree from its root by
Q + c P sqrt(N) / (1 + n), expands one public state, evaluates it, and adds its value to the visited
moves. Simulations of several games are evaluated in one batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL, GameError
from tacit.solvers.growing_leaves import PBSPolicyEvaluator, ValuePolicyEvaluator
from tacit.solvers.leaves import Evaluator, PairEvaluator, ValueEvaluator, pbs_row
from tacit.tree import Builder
from tacit.tree.open import OpenExpansion, OpenState
from tacit.tree.pbs import PBS

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class MCTSSettings:
    """How a search runs and how its move is chosen."""

    simulations: int = 100
    """Number of simulations of a move."""
    exploration: float = 1.25
    """The constant c of PUCT."""
    noise: float = 0.0
    """Share of Dirichlet noise in the priors at the root."""
    dirichlet: float = 0.3
    """The parameter of the noise."""
    opening: int = 0
    """Number of first moves of a game that are drawn in proportion to visits; later ones are the
    most visited."""

    def __post_init__(self) -> None:
        if self.simulations < 1:
            raise GameError(f"a search takes at least one simulation, not {self.simulations}")
        if not 0 <= self.noise <= 1:
            raise GameError(f"the share of noise is from 0 to 1, not {self.noise}")


class _Node:
    """A public state in a search; arrays [A] by action, values are the mover's.

    Before it is evaluated it has no expansion; at the end of the game `value` is the payoff.
    """

    __slots__ = ("children", "expansion", "priors", "state", "totals", "value", "visits")

    def __init__(self, state: OpenState) -> None:
        self.state = state
        self.value = 0.0
        """Player 0's."""
        self.expansion: OpenExpansion | None = None
        if state.mover == TERMINAL:
            self.value = state.payoff()
        elif state.mover == CHANCE:
            raise GameError("this search is for games without chance")

    def open(self, value: float, priors: Array) -> None:
        """Expand a new node: player 0's value, and weights of the actions."""
        expansion = self.state.expand()
        assert isinstance(expansion, OpenExpansion)
        count = len(expansion.actions)
        self.expansion, self.value = expansion, value
        total = priors.sum()
        self.priors = priors / total if total > 0 else np.full(count, 1 / count)
        self.visits, self.totals = np.zeros(count), np.zeros(count)
        self.children: list[_Node | None] = [None] * count

    def child(self, number: int) -> _Node:
        found = self.children[number]
        if found is None:
            assert self.expansion is not None
            found = self.children[number] = _Node(self.expansion.child(number))
        return found


class _Memory:
    """A game's node, the number of moves before it, and its policy once it is searched."""

    def __init__(self, node: _Node, moves: int) -> None:
        self.node = node
        self.moves = moves
        self.policy: Array | None = None


class MCTSAgent:
    """Searches at each of its moves; the tree below the move played is kept."""

    def __init__(self, builder: Builder, evaluator: Evaluator, settings: MCTSSettings) -> None:
        if builder.game.hidden:
            raise GameError(f"{builder.game.name} hides something; this search is for open games")
        self.builder = builder
        self.evaluator = evaluator
        self.settings = settings
        self.random = np.random.default_rng(0)

    def begin(self, seats: Sequence[int], random: np.random.Generator) -> list[_Memory]:
        """At the root."""
        self.random = random
        return [_Memory(self._start(), 0) for _ in seats]

    def _start(self) -> _Node:
        root = self.builder.root
        assert isinstance(root, OpenState)
        return _Node(root)

    def policies(self, memories: Sequence[_Memory]) -> list[Array]:
        """[A, 1] by the visits of a search."""
        due = [m for m in {id(m): m for m in memories}.values() if m.policy is None]
        self._search([memory.node for memory in due])
        for memory in due:
            memory.policy = self._policy(memory)
        return [memory.policy for memory in memories if memory.policy is not None]

    def after(self, memories: Sequence[_Memory], transitions: Sequence[int]) -> list[_Memory]:
        """The next public states, each with the tree below it."""
        later = []
        for memory, number in zip(memories, transitions, strict=True):
            node = memory.node
            if node.expansion is None:
                child = node.state.expand().transitions[number].child
                assert isinstance(child, OpenState)
                following = _Node(child)
            else:
                following = node.child(number)
            later.append(_Memory(following, memory.moves + 1))
        return later

    def model(self) -> MCTSAgent:
        """The same agent with random numbers of its own."""
        return MCTSAgent(self.builder, self.evaluator, self.settings)

    def _policy(self, memory: _Memory) -> Array:
        visits = memory.node.visits
        if memory.moves >= self.settings.opening:
            visits = (visits == visits.max()).astype(float)
        policy: Array = (visits / visits.sum())[:, None]
        return policy

    def _search(self, roots: list[_Node]) -> None:
        """Run the simulations of several games, one of each at a time."""
        self._evaluate([root for root in roots if root.expansion is None])
        priors = [self._root_priors(root) for root in roots]
        for _ in range(self.settings.simulations):
            paths = [
                self._select(root, weights) for root, weights in zip(roots, priors, strict=True)
            ]
            new = [
                leaf for _, leaf in paths if leaf.expansion is None and leaf.state.mover != TERMINAL
            ]
            self._evaluate(new)
            for path, leaf in paths:
                for node, number in path:
                    node.visits[number] += 1
                    node.totals[number] += leaf.value if node.state.mover == 0 else -leaf.value

    def _root_priors(self, root: _Node) -> Array:
        """The priors with noise."""
        settings, count = self.settings, len(root.priors)
        if not settings.noise:
            return root.priors
        noise = self.random.dirichlet(np.full(count, settings.dirichlet))
        mixed: Array = (1 - settings.noise) * root.priors + settings.noise * noise
        return mixed

    def _select(self, root: _Node, priors: Array) -> tuple[list[tuple[_Node, int]], _Node]:
        """The moves from the root to a leaf or the end of the game, and where they lead."""
        node, path = root, []
        while node.expansion is not None:
            visits = node.visits
            explored = self.settings.exploration * np.sqrt(visits.sum() + 1)
            score = node.totals / np.maximum(visits, 1) + explored * priors / (1 + visits)
            number = int(score.argmax())
            path.append((node, number))
            node = node.child(number)
            if node.expansion is not None:
                priors = node.priors
        return path, node

    def _evaluate(self, nodes: list[_Node]) -> None:
        """Expand new nodes with the evaluator's values and priors."""
        unique = list({id(node): node for node in nodes}.values())
        if not unique:
            return
        states = [node.state for node in unique]
        for node, (value, priors) in zip(unique, answers(self.evaluator, states), strict=True):
            node.open(value, priors)


def answers(evaluator: Evaluator, states: Sequence[OpenState]) -> list[tuple[float, Array]]:
    """For each open state, player 0's value and the weights of actions [A], ones without priors."""
    if isinstance(evaluator, PairEvaluator):
        raise GameError("a network of pairs has no values of single states; train with pairs=false")
    pbss = [PBS(state, (np.ones(1), np.ones(1))) for state in states]
    if isinstance(evaluator, ValueEvaluator):
        rows = np.stack([pbs_row(evaluator, pbs, 0) for pbs in pbss])
        if isinstance(evaluator, ValuePolicyEvaluator):
            outputs, weights = evaluator.answer(rows)
            priors = [
                weights[number, evaluator.action_columns(state, state.expand())[:, 0]]
                for number, state in enumerate(states)
            ]
        else:
            outputs = evaluator.values(rows)
            priors = [np.ones(len(state.sample.actions())) for state in states]
        values = [
            float(outputs[number, evaluator.output_columns(state, 0)[0]])
            for number, state in enumerate(states)
        ]
        return list(zip(values, priors, strict=True))
    values = [float(first[0]) for first, _ in evaluator.values(pbss)]
    if isinstance(evaluator, PBSPolicyEvaluator):
        priors = [policy[:, 0] for policy in evaluator.policies(pbss)]
    else:
        priors = [np.ones(len(state.sample.actions())) for state in states]
    return list(zip(values, priors, strict=True))


class Playouts:
    """The evaluator of open states by random games: the mean payoff of `count` of them."""

    def __init__(self, count: int = 1, *, seed: int = 0) -> None:
        self.count = count
        self.random = np.random.default_rng(seed)

    def values(self, pbss: Sequence[PBS]) -> list[tuple[Array, Array]]:
        """Mean payoffs of both players."""
        found = []
        for pbs in pbss:
            assert isinstance(pbs.state, OpenState)
            mean = sum(self._playout(pbs.state) for _ in range(self.count)) / self.count
            found.append((np.array([mean]), np.array([-mean])))
        return found

    def _playout(self, state: OpenState) -> float:
        """Player 0's payoff; numbers are drawn in advance, which is faster."""
        world = state.sample
        numbers: Iterator[float] = iter(())
        while world.player != TERMINAL:
            actions = world.actions()
            number = next(numbers, None)
            if number is None:
                numbers = iter(self.random.random(32).tolist())
                number = next(numbers)
            world = world.child(actions[int(number * len(actions))])
        return world.payoff()
