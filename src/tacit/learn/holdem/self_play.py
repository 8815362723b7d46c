"""Self-play over hold'em's PBSs (ReBeL, Algorithm 1), one board a task.

The hand begins on a random board with random stacks and bet sizes, all hands in both ranges. The
street is searched with the network at its leaves, before the next card. Several games are played
from that one search: each takes the policy of a random iteration, and one player explores. A game
ends at a leaf, which is a PBS before the card, with the beliefs of its iteration. Some next cards
are dealt there, and these PBSs are solved to the end of the game: their values are exact. The value
of the PBS before the card is the mean of the network's answers after each card.

With random beliefs the PBSs before the card are random, and all else is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.learn.holdem.examples import Examples, draw_hands, join
from tacit.learn.holdem.knots import PBSArrays, Situation, pbs_arrays
from tacit.learn.holdem.network import KnotEvaluator, KnotNetwork, Origin
from tacit.learn.holdem.random_positions import random_positions
from tacit.learn.holdem.settings import HoldemSettings
from tacit.learn.holdem.targets import average_by_network, next_pbss, solve_starts
from tacit.learn.self_play import sample_leaf
from tacit.solvers.engine import Solver
from tacit.tree import LEAF
from tacit.tree.cards.builder import CardBuilder
from tacit.tree.cards.states import CardState
from tacit.tree.pbs import PBS, normalised
from tacit.tree.playing import draw
from tacit.tree.public_state import Pair

MOMENTS = (0.25, 0.75, 1.5)
"""When the leaves of a search are solved, in parts of its iterations in self-play."""
LATE_MOMENTS = (0.5, 1.0, 2.0, 4.0)
"""When those of the last searches are solved and valued. Longer searches follow the network's
errors further, so it must learn where it leads them."""
STRETCH = 0.5
"""How far the logarithm of a stack-to-pot ratio is moved at most in a variant of a PBS."""
Weights = dict[str, NDArray[np.float32]]
Ranges = tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class BoardTask:
    """One board of an epoch, with the network's weights; none in the first epoch.

    again: PBSs before the card of an earlier epoch, to be valued anew instead of playing, with so
    many `variants`; leaves: whether every leaf of a search is solved instead of those of games;
    late: whether every leaf of a longer search is solved, and valued by the network.
    """

    epoch: int
    number: int
    weights: Weights | None
    again: PBSArrays | None = None
    variants: int = 0
    leaves: bool = False
    late: bool = False


@dataclass(frozen=True)
class BoardResult:
    """A board's examples: solved ones, and those before the card that the network valued.

    before: the PBSs before the card, None if no games were played.
    """

    solved: Examples | None
    averaged: Examples | None
    before: PBSArrays | None = None


def situations(settings: HoldemSettings) -> tuple[Situation, Situation]:
    """The two situations that a run learns: before the next card, and after it."""
    before = Situation(2 * settings.table.street)
    return before, Situation(before + 1)


class BoardPlay:
    """Plays boards; an executor's set-up is `partial(BoardPlay, settings)`."""

    def __init__(self, settings: HoldemSettings) -> None:
        self.settings = settings
        network = KnotNetwork(settings.hidden, seed=settings.seed)
        origin = Origin(command="", seed=settings.seed)
        self.evaluator = KnotEvaluator(network, situations(settings), origin)

    def __call__(self, task: BoardTask) -> BoardResult:
        """The examples of a board."""
        settings = self.settings
        random = np.random.default_rng([settings.seed, task.epoch, task.number])
        if task.weights is not None:
            self.evaluator.network.put_weights(task.weights)
        if task.again is not None:
            parts = [task.again]
            parts += [varied(task.again, random) for _ in range(task.variants)]
            return BoardResult(None, join([self._averaged(part, random) for part in parts]))
        count = settings.play.positions * (2 if task.leaves or task.late else 1)
        if task.epoch < settings.play.random_epochs:
            pbss = random_positions(settings.table, count, random, before_card=True)
        elif task.leaves or task.late:
            moments = LATE_MOMENTS if task.late else MOMENTS
            pbss = self.leaves(settings.table.first_state(random), moments)
        else:
            pbss = self.play(settings.table.first_state(random), random)
            # Random ones take their place if every game ended on the street.
            pbss = pbss or random_positions(settings.table, 1, random, before_card=True)
        chosen = list(range(len(pbss)))
        if not (task.leaves or task.late):
            chosen = random.permutation(len(pbss))[: settings.play.solved].tolist()
        cards = settings.target.cards
        after = [pbs for which in chosen for pbs in next_pbss(pbss[which], cards, random)]
        solved = solve_starts(after, settings.target)
        exact = draw_hands(solved.positions, solved.shares, random)
        before = pbs_arrays(pbss)
        if task.weights is None or task.leaves:
            return BoardResult(exact, None, before)
        return BoardResult(exact, self._averaged(before, random), before)

    def _averaged(self, before: PBSArrays, random: np.random.Generator) -> Examples:
        """Examples of PBSs before the card, valued by the network after it."""
        average = average_by_network(self.evaluator, before)
        return draw_hands(average.positions, average.shares, random)

    def play(self, state: CardState, random: np.random.Generator) -> list[PBS]:
        """PBSs before the next card, from games that one search at the street's start plays.

        Games that end on the street, or go all in, are played again, up to four times in all.
        """
        settings = self.settings
        beliefs = state.beliefs()
        tree = settings.search.forest(CardBuilder(), [state])
        search = settings.search.begin(tree, self.evaluator, [beliefs])
        games = 4 * settings.play.positions
        when = 1 + random.choice(
            settings.search.iterations, size=games, p=settings.search.weights()
        )
        found: list[PBS] = []

        def sample(iteration: int) -> None:
            due = int((when == iteration).sum())
            reach = search.believed_reach() if due else None
            for _ in range(due):
                assert reach is not None
                leaf = self._game(search, state, beliefs, reach, random)
                if leaf is not None:
                    found.append(leaf)

        search.run(settings.search.iterations, each=sample)
        chosen = random.permutation(len(found))[: settings.play.positions]
        return [found[which] for which in np.sort(chosen).tolist()]

    def leaves(self, state: CardState, parts: Sequence[float]) -> list[PBS]:
        """Every PBS before the next card that a search asks about at a few of its iterations.

        These are given in `parts` of the iterations of self-play's searches. Games seldom come to
        most of these, but what a bet is worth depends on all of them.
        """
        settings = self.settings.search
        tree = settings.forest(CardBuilder(), [state])
        search = settings.begin(tree, self.evaluator, [state.beliefs()])
        moments = {max(1, round(part * settings.iterations)) for part in parts}
        ends = [
            (node, end)
            for node in np.flatnonzero(tree.arrays.player == LEAF).tolist()
            if min((end := tree.cards.state(node)).betting.behind) > 0
        ]
        found: list[PBS] = []

        def take(iteration: int) -> None:
            if iteration not in moments:
                return
            reach = search.believed_reach()
            for node, end in ends:
                first, second = (
                    normalised(tree.vectors(reach[p], p, node, values=False)[0]).astype(float)
                    for p in (0, 1)
                )
                if first @ end.compatible_reach(0, second) > 0:
                    found.append(PBS(end, (first, second)))

        search.run(max(moments), each=take)
        return found

    def _game(
        self,
        search: Solver,
        state: CardState,
        beliefs: Ranges,
        reach: Ranges,
        random: np.random.Generator,
    ) -> PBS | None:
        """The leaf that one game reaches, if there is betting behind it."""
        dealt = deal_hands(state, beliefs, random)
        explore = self.settings.play.explore
        leaf = sample_leaf(search, 0, reach, (), random, explore=explore, dealt=dealt)
        if leaf is None or not isinstance(leaf.state, CardState):
            return None
        return leaf if min(leaf.state.betting.behind) > 0 else None


def varied(pbss: PBSArrays, random: np.random.Generator) -> PBSArrays:
    """PBSs of one board with each player's ranges exchanged among them, and other stacks.

    Such pairs of ranges are like those of searches, and a value before the card is cheap where a
    network gives it.
    """
    count = len(pbss)
    orders = [random.permutation(count) for _ in (0, 1)]
    ranges = np.stack([pbss.ranges[order, p] for p, order in enumerate(orders)], axis=1)
    stretched = pbss.ratio * np.exp(random.uniform(-STRETCH, STRETCH, count))
    return replace(pbss, ranges=ranges, ratio=stretched.astype(np.float32))


def deal_hands(state: CardState, beliefs: Ranges, random: np.random.Generator) -> Pair:
    """A pair of hands that share no card, by both ranges [K_0] and [K_1], without all pairs."""
    first = draw(beliefs[0] * state.compatible_reach(0, beliefs[1]), random)
    alone = np.zeros(state.counts[0])
    alone[first] = 1
    return first, draw(beliefs[1] * state.compatible_reach(1, alone), random)
