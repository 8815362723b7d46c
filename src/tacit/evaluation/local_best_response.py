"""Local best response: a lower bound on exploitability from play (Lisý and Bowling 2017).

LBR knows the agent's policy, but not its random numbers. It tracks the probabilities of the agent's
infostates by Bayes' rule. At each of its own moves it looks a few moves ahead, with the agent's
replies by its policy, and assumes a simple *continuation* below: in poker both check and call to
the end; in Liar's Dice LBR calls `liar`; elsewhere both play at random.

LBR is a player, so its mean winnings are, up to sampling error, a lower bound on those of a best
response. The mean over both seats is a lower bound on exploitability.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.agents.agent import Agent
from tacit.agents.simple import uniform
from tacit.evaluation.match import MatchResult, play_match
from tacit.games import CHANCE, TERMINAL
from tacit.solvers.engine import Workspace
from tacit.tree import LEAF, Builder, PublicState, PublicTree, build_forest
from tacit.tree.kernels.passes import RECORD_BEST, ascend, descend
from tacit.tree.pbs import normalised

Array = NDArray[Any]
Rule = Callable[[PublicState], Array]
"""The policy [A, K] of the mover at a public state."""

PASSIVE = ("liar", "check", "call")
"""Labels of moves that end the game without giving up or raising the stakes."""

FOREST = 256
"""Largest number of LBR's decisions in one forest."""


def local_best_response(
    builder: Builder,
    agent: Agent,
    *,
    games: int,
    seed: int,
    replies: int = 1,
    each: Callable[[int], None] | None = None,
) -> MatchResult:
    """A match of LBR against `agent`.

    `replies`: the number of the agent's replies that LBR looks ahead. `each` is called with the
    number of games that have ended.
    """
    responder = LocalBestResponse(builder, agent.model(), replies=replies)
    return play_match(builder, responder, agent, games=games, seed=seed, each=each)


def passive(state: PublicState) -> Array:
    """[A, K] the passive move if there is one, else the uniform policy."""
    labels = state.expansion.labels
    for label in PASSIVE:
        if label in labels:
            policy = np.zeros(state.expansion.legal.shape)
            policy[labels.index(label)] = 1
            return policy
    return uniform(state)


@dataclass(eq=False)
class _Knowledge:
    """LBR's knowledge at a public history, shared by all games with that history.

    reach [K]: the agent's, by its policy so far; model: the model's memory.
    """

    seat: int
    state: PublicState
    reach: Array
    model: Any
    policy: Array | None = None
    children: dict[int, _Knowledge] = field(default_factory=dict)


class LocalBestResponse(Agent):
    """The player; `model` is a deterministic model of the opponent."""

    def __init__(self, builder: Builder, model: Agent, *, replies: int = 1) -> None:
        self.builder = builder
        self.opponent = model
        self.replies = replies

    def begin(self, seats: Sequence[int], random: np.random.Generator) -> list[_Knowledge]:
        """At the root, with uniform reach."""
        root = self.builder.root
        models = self.opponent.begin([1, 0], random)
        roots = [
            _Knowledge(seat, root, np.ones(root.counts[1 - seat]), model)
            for seat, model in enumerate(models)
        ]
        return [roots[seat] for seat in seats]

    def policies(self, memories: Sequence[_Knowledge]) -> list[Array]:
        """The best action of each infostate within LBR's horizon."""
        new = [m for m in {id(m): m for m in memories}.values() if m.policy is None]
        for seat in (0, 1):
            mine = [memory for memory in new if memory.seat == seat]
            for first in range(0, len(mine), FOREST):
                self._look_ahead(seat, mine[first : first + FOREST])
        return [memory.policy for memory in memories if memory.policy is not None]

    def after(self, memories: Sequence[_Knowledge], transitions: Sequence[int]) -> list[_Knowledge]:
        """Update the agent's reach by Bayes' rule."""
        steps = list(zip(memories, transitions, strict=True))
        new = {(id(m), t): (m, t) for m, t in steps if t not in m.children}
        given = [m.model for m, _ in new.values()]
        models = self.opponent.after(given, [t for _, t in new.values()])
        asked = [m for m, _ in new.values() if m.state.mover == 1 - m.seat]
        policies = self.opponent.policies([m.model for m in asked])
        replies = dict(zip(map(id, asked), policies, strict=True))
        for (memory, number), model in zip(new.values(), models, strict=True):
            transition = memory.state.expansion.transitions[number]
            opponent = 1 - memory.seat
            reach = transition.carry_reach(opponent, memory.reach, replies.get(id(memory)))
            # An action that the model never takes says nothing about the infostate.
            memory.children[number] = _Knowledge(
                memory.seat, transition.child, normalised(reach), model
            )
        return [memory.children[number] for memory, number in steps]

    def _look_ahead(self, seat: int, memories: list[_Knowledge]) -> None:
        """Compute the policies at LBR's decisions."""
        agent = 1 - seat
        states = [memory.state for memory in memories]
        tree = build_forest(self.builder, states, depth=2 * self.replies)
        policy = tree.uniform_policy().astype(np.float32)
        self._write_replies(tree, agent, memories, policy)
        beliefs: list[tuple[Array, Array]] = []
        for memory in memories:
            own = np.ones(memory.state.counts[seat])
            beliefs.append((own, memory.reach) if seat == 0 else (memory.reach, own))
        work = Workspace(tree, beliefs, np.float32)
        none = np.zeros_like(policy)
        descend(tree.arrays, agent, policy, work.reach[agent], none, np.float32(0))
        for node in tree.leaves.tolist():
            reach = tree.vectors(work.reach[agent], agent, node, values=False)
            values = continued_values(tree.state(node), seat, reach, passive)
            tree.vectors(work.values[seat], seat, node, values=True)[:] = values
        step = np.zeros(4, dtype=np.float32)
        ascend(tree.arrays, work.vectors[0], seat, RECORD_BEST, step, policy, none)
        for memory, root in zip(memories, tree.roots, strict=True):
            memory.policy = tree.block(policy, root.node)[:, root.copy].copy()

    def _write_replies(
        self, tree: PublicTree, agent: int, memories: list[_Knowledge], policy: Array
    ) -> None:
        """Write the agent's policy into `policy`, asking for all decisions of a level at once."""
        here = [(r, m.model) for r, m in zip(tree.roots, memories, strict=True)]
        while here:
            asked = [(p, model) for p, model in here if tree.arrays.player[p.node] == agent]
            answers = self.opponent.policies([model for _, model in asked])
            for (place, _), answer in zip(asked, answers, strict=True):
                tree.block(policy, place.node)[:, place.copy] = answer
            steps = [
                (child, model, number)
                for place, model in here
                for number, (_, child) in enumerate(tree.children(place))
                if tree.arrays.player[child.node] not in (LEAF, TERMINAL)
            ]
            models = self.opponent.after([m for _, m, _ in steps], [t for _, _, t in steps])
            here = [(child, model) for (child, _, _), model in zip(steps, models, strict=True)]


def continued_values(state: PublicState, player: int, reach: Array, rule: Rule) -> Array:
    """[n, K] counterfactual values of `player` when both continue by `rule`.

    reach [n, K']: the opponent's, in each of n cases.
    """
    if state.mover == TERMINAL:
        ends: Array = reach @ (state.payoffs.T if player == 0 else -state.payoffs)
        return ends
    policy = None if state.mover == CHANCE else rule(state)
    mine = policy if state.mover == player else None
    theirs = policy if state.mover == 1 - player else None
    wide = state.counts[player] * (1 if mine is None else len(mine))
    values = np.zeros((len(reach), wide))
    for transition in state.expansion.transitions:
        below = transition.carry_reach(1 - player, reach, theirs)
        never = mine is not None and not mine.ravel()[transition.sources[player]].any()
        if never or not below.any():
            continue
        child_values = continued_values(transition.child, player, below, rule)
        values += transition.carry_values(player, child_values, wide)
    if mine is None:
        return values
    chosen: Array = (values.reshape(len(reach), *mine.shape) * mine).sum(axis=1)
    return chosen
