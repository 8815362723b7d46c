"""Hold'em spots: solving them to a target, a time or a number of iterations, and the result.

`solve_spot` returns a `SpotSolution`; its `view` shows any point of the tree, a `SpotNode`: who
moves, and each hand's policy, reach, value and equity. A path may name cards that differ from the
tree's only in the names of suits; they are shown as given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, GameError
from tacit.games.holdem.betting import BOARD_SIZES, Betting
from tacit.games.holdem.cards import (
    CLASS_NAMES,
    HAND_CLASS,
    NUM_HANDS,
    card_name,
    format_cards,
    parse_cards,
)
from tacit.games.holdem.spot import IDENTITY, Spot, Suits, permute_card, permute_hands
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.anytime import Checkpoint, Limits, OnCheckpoint, OnChunk, Run, Stop, run
from tacit.solvers.best_response import BestResponse
from tacit.solvers.engine import Locks, Solver
from tacit.solvers.kernel_warm_up import cores, prepare
from tacit.tree import PLAYERS, Place, PublicTree
from tacit.tree.cards.builder import build_spot
from tacit.tree.cards.equity import Equity, range_equity
from tacit.tree.cards.states import CardState
from tacit.tree.kernels.passes import BEST, EXPECT
from tacit.tree.public_state import path_words

DEFAULT_ALGORITHM = "dcfr"
DEFAULT_TARGET = 0.5
"""Percent of the pot."""
RIVER_TARGET = 0.1
"""Percent of the pot to which rivers that are missing in a file are solved again."""
FIRST_CHECK = 16
NEAR = 8.0
"""An exploitability of at most this many times the target is near it."""
FIRST_POWER, FASTER = 1.5, 0.5
"""The exploitability is predicted to fall as a power of the number of iterations: the first
exponent, and what is added to the exponent that was observed."""

Policy = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class SpotLimits:
    """When to stop: at the first of these that is reached; without any, at `DEFAULT_TARGET`.

    percent: exploitability in percent of the pot; mbb: in thousandths of a big blind a hand.
    """

    percent: float | None = None
    mbb: float | None = None
    seconds: float | None = None
    iterations: int | None = None

    def limits(self, spot: Spot) -> Limits:
        """The same in chips."""
        targets = []
        if self.percent is not None:
            targets.append(self.percent / 100 * spot.pot)
        if self.mbb is not None:
            targets.append(self.mbb / 1000 * spot.rules.big_blind)
        if not targets and self.seconds is None and self.iterations is None:
            targets.append(DEFAULT_TARGET / 100 * spot.pot)
        target = max(targets) if targets else None
        return Limits(target=target, seconds=self.seconds, iterations=self.iterations)


def solve_spot(
    spot: Spot,
    limits: SpotLimits | None = None,
    *,
    algorithm: str = DEFAULT_ALGORITHM,
    threads: int | None = None,
    isomorphism: bool = True,
    locks: Mapping[str, Mapping[str, float] | NDArray[Any]] | None = None,
    storage: int = 32,
    resumable: bool = False,
    max_bytes: int = 8 << 30,
    tree: PublicTree | None = None,
    on_checkpoint: OnCheckpoint | None = None,
    on_chunk: OnChunk | None = None,
) -> SpotSolution:
    """Solve a spot; after an interrupt the solution so far is returned.

    `threads`: by default all cores. `locks`: by path, the fixed policy there: probabilities by
    label, the same for all hands, or an array [A, 1326]. `storage`: the bits of a regret or policy
    sum, 32, or 16 where memory is short. `resumable`: keep the arrays that `resume_spot` needs.
    """
    if storage not in (16, 32):
        raise GameError(f"numbers are kept in 32 or 16 bits, not in {storage}")
    prepare(np.float32, equity=True)
    tree = tree or build_spot(
        spot,
        isomorphism=isomorphism,
        storage=storage,
        threads=threads or cores(),
        max_bytes=max_bytes,
    )
    begun = SpotSolution(
        spot=spot,
        tree=tree,
        policy=np.zeros(0, np.float32),
        algorithm=algorithm,
        stop=Stop.INTERRUPTED,
        history=(),
        storage=storage,
    )
    fixed = _locks(tree, locks or {})
    return _go_on(begun, fixed, limits, threads, resumable, on_checkpoint, on_chunk)


def resume_spot(
    solution: SpotSolution,
    limits: SpotLimits | None = None,
    *,
    threads: int | None = None,
    on_checkpoint: OnCheckpoint | None = None,
    on_chunk: OnChunk | None = None,
) -> SpotSolution:
    """Resume a resumable solution: the result is that of a run that never stopped."""
    if not solution.complete:
        raise GameError("a solution without rivers cannot be resumed; solve the spot again")
    if not solution.memory:
        raise GameError(
            "this solution was saved without the arrays that resuming needs (--resumable keeps "
            "them); solve the spot again"
        )
    fixed = {node: solution.tree.block(solution.policy, node) for node in solution.locked}
    return _go_on(solution, fixed, limits, threads, True, on_checkpoint, on_chunk)


def _go_on(
    solution: SpotSolution,
    fixed: Locks,
    limits: SpotLimits | None,
    threads: int | None,
    resumable: bool,
    on_checkpoint: OnCheckpoint | None,
    on_chunk: OnChunk | None,
) -> SpotSolution:
    """Run a solver with the settings, and from the state, of the solution to a limit."""
    tree, bounds = solution.tree, (limits or SpotLimits()).limits(solution.spot)
    solver = Solver(
        tree, find_algorithm(solution.algorithm), threads=threads or cores(), locks=fixed,
        storage=solution.storage,
    )  # fmt: skip
    if solution.memory:
        solver.restore(solution.iterations, solution.memory)

    def measure(solver: Solver) -> tuple[float, float]:
        policy = solver.average_policy(np.float32)
        jury = BestResponse(tree, policy, locks=fixed, threads=solver.threads)
        best = jury.value(0, BEST), jury.value(1, BEST)
        return (best[0] + best[1]) / 2, (best[0] - best[1]) / 2

    result = run(
        solver,
        bounds,
        history=solution.history,
        on_checkpoint=on_checkpoint,
        on_chunk=on_chunk,
        measure=measure,
        next_check=lambda iteration, seen: max(iteration + 1, next_check(seen, bounds.target)),
    )
    return replace(
        solution,
        policy=solver.average_policy(np.float32),
        stop=result.stop,
        history=result.history,
        locked=tuple(fixed),
        memory=solver.memory if resumable else {},
    )


def next_check(seen: Sequence[Checkpoint], target: float | None) -> int:
    """The next iteration at which the policy is evaluated, which costs about two iterations.

    Iterations double from one evaluation to the next, and grow by half near the target, unless the
    target is predicted to be met earlier. The exploitability is predicted to fall as a power of the
    number of iterations, somewhat faster than observed, because its fall mostly accelerates.
    """
    if not seen:
        return FIRST_CHECK
    now = seen[-1]
    if target is None:
        return 2 * now.iteration
    missing = now.exploitability / target
    latest = now.iteration + (now.iteration if missing > NEAR else now.iteration // 2)
    power = FIRST_POWER
    if len(seen) > 1:
        then = seen[-2]
        if not 0 < now.exploitability < then.exploitability:
            return latest
        power = log(then.exploitability / now.exploitability) / log(now.iteration / then.iteration)
    promised = now.iteration * missing ** (1 / (power + FASTER))
    earliest = now.iteration + max(1, now.iteration // 20)
    return int(min(latest, max(earliest, ceil(promised))))


@dataclass(frozen=True, kw_only=True)
class SpotSolution(Run):
    """A solved spot: the policy [slots] and its exploitability, in chips.

    `complete` is false where the policies of the last street are left out (see
    `tacit.formats.spot_solution`); they are solved again when they are viewed.
    """

    spot: Spot
    tree: PublicTree = field(repr=False)
    policy: Policy = field(repr=False)
    algorithm: str
    locked: tuple[int, ...] = ()
    complete: bool = True
    storage: int = 32
    """The bits of a regret or policy sum."""
    memory: Mapping[str, NDArray[Any]] = field(default_factory=dict, repr=False)
    """The solver's arrays by name, for `resume_spot`; empty unless `resumable`."""
    values: Mapping[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = field(
        default_factory=dict, repr=False
    )
    """Without rivers: the values [K] of both players' hands at the nodes before them."""

    @property
    def percent_of_pot(self) -> float:
        """The exploitability in percent of the pot."""
        return 100 * self.exploitability / self.spot.pot

    @property
    def mbb(self) -> float:
        """The exploitability in thousandths of a big blind a hand."""
        return 1000 * self.exploitability / self.spot.rules.big_blind

    def view(self, path: Path = "") -> SpotNode:
        """The point of the tree after `path`; GameError lists the possible moves."""
        return SpotNode(self, find(self.tree, path))

    @cached_property
    def responder(self) -> BestResponse:
        """Evaluates the policy."""
        return BestResponse(self.tree, self.policy, keep_both=True)


Path = str | Sequence[str]
"""Moves from the spot on, split by spaces or as words: ``k``, ``c``, ``f``, ``r3000``, ``2h``."""


@dataclass(frozen=True)
class PathTarget:
    """A node, the renaming of its suits to those of the path, and the moves to it.

    dealt: how many moves lead up to and include the last deal.
    """

    node: int
    suits: Suits
    moves: tuple[str, ...]
    dealt: int


def find(tree: PublicTree, path: Path) -> PathTarget:
    """Follow `path` from the spot; its cards may differ in suits from those of the tree."""
    here, suits, dealt, words = tree.roots[0], IDENTITY, 0, path_words(path)
    for number, word in enumerate(words):
        label = word
        if tree.arrays.player[here.node] == CHANCE:
            state, labels = tree.cards.state(here.node), tree.labels(here.node)
            label, suits = _find_cards(state, labels, suits, word)
            dealt = number + 1
        here = tree.find([label], here)
    return PathTarget(here.node, suits, tuple(words), dealt)


def _find_cards(
    state: CardState, labels: Sequence[str], suits: Suits, word: str
) -> tuple[str, Suits]:
    """The label of the cards in `word`, and the renaming from the label's cards to them."""
    wanted = set(parse_cards(word))
    for label in labels:
        for renaming in state.deal.symmetries:
            first, second, third, fourth = (suits[suit] for suit in renaming)
            both = first, second, third, fourth
            if {permute_card(both, card) for card in parse_cards(label)} == wanted:
                return label, both
    board = format_cards(permute_card(suits, card) for card in state.board)
    count = BOARD_SIZES[state.betting.street + 1] - len(state.board)
    raise GameError(
        f"{word!r} cannot be dealt on {board}; expected {count} card"
        f"{'s' if count > 1 else ''} that {'are' if count > 1 else 'is'} not on the board"
    )


def _locks(
    tree: PublicTree, locks: Mapping[str, Mapping[str, float] | NDArray[Any]]
) -> dict[int, NDArray[np.float64]]:
    """Locks by node from locks by path."""
    fixed = {}
    for path, given in locks.items():
        target = find(tree, path)
        state = tree.cards.state(target.node)
        if state.mover >= CHANCE:
            raise GameError(f"no player moves after {path!r}, so nothing can be locked there")
        labels, count = tree.labels(target.node), state.counts[state.mover]
        if isinstance(given, Mapping):
            unknown = set(given) - set(labels)
            if unknown:
                raise GameError(
                    f"{', '.join(sorted(unknown))} is not possible after {path!r}; "
                    f"possible: {', '.join(labels)}"
                )
            column = np.array([given.get(label, 0.0) for label in labels])
            fixed[target.node] = np.repeat(column[:, None], count, axis=1)
        else:
            hands = permute_hands(target.suits)[state.deal.hands[state.mover]]
            fixed[target.node] = np.asarray(given, dtype=np.float64)[:, hands]
    return fixed


@dataclass(frozen=True)
class ClassRow:
    """A class of hands (``AKs``) at a node: its reach, policy, value and equity."""

    name: str
    reach: float
    policy: tuple[float, ...]
    value: float
    equity: float


class SpotNode:
    """One point of a solved tree. Vectors over hands are [1326], NaN where a hand is impossible."""

    def __init__(
        self,
        solution: SpotSolution,
        target: PathTarget,
        *,
        scale: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        self.solution = solution
        self.target = target
        self._scale = scale
        """The divisors of the solution's ranges."""
        self.state: CardState = solution.tree.cards.state(target.node)
        self.live = tuple(permute_hands(target.suits)[hands] for hands in self.state.deal.hands)
        """[K] the hands that each player may hold."""

    @property
    def betting(self) -> Betting:
        """Chips, street and mover."""
        return self.state.betting

    @property
    def mover(self) -> int:
        """0, 1, CHANCE or TERMINAL."""
        return self.state.mover

    @property
    def board(self) -> tuple[int, ...]:
        """The board's cards."""
        return tuple(permute_card(self.target.suits, card) for card in self.state.board)

    @property
    def actions(self) -> tuple[str, ...]:
        """The labels of the mover's actions."""
        return self.solution.tree.labels(self.target.node) if self.mover < CHANCE else ()

    @property
    def cards(self) -> tuple[str, ...]:
        """Where chance moves: the possible cards (one at a time)."""
        if self.mover != CHANCE:
            return ()
        return tuple(card_name(c) for c in range(52) if c not in self.board)

    @cached_property
    def _subgame(self) -> SpotNode | None:
        """The same point in a solution of its river alone, where rivers were left out."""
        if self.solution.complete or self.betting.street < self.state.spot.rules.last_street:
            return None
        return _solve_river(self)

    @cached_property
    def policy(self) -> NDArray[np.float64]:
        """[A, 1326] the probability of each action for each of the mover's hands."""
        if self.mover >= CHANCE:
            raise GameError("no player moves here")
        if self._subgame is not None:
            return self._subgame.policy
        block = self.solution.tree.block(self.solution.policy, self.target.node)[:, 0]
        return np.stack([self._spread(row, self.mover) for row in block])

    @cached_property
    def reach(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[1326] each: each hand's weight in the range times its own choices on the way here."""
        if self._subgame is not None:
            return self._subgame.reach
        tree, node, responder = self.solution.tree, self.target.node, self.solution.responder
        responder.look(0, node, EXPECT)
        first, second = (
            tree.vectors(responder.work.reach[p], p, node, values=False)[0] for p in PLAYERS
        )
        return (
            self._scale[0] * np.nan_to_num(self._spread(first, 0)),
            self._scale[1] * np.nan_to_num(self._spread(second, 1)),
        )

    @cached_property
    def values(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[1326] each: what each hand wins from the spot on, in chips, if both follow the policy.

        Half of the pot at the spot counts as each player's own: the change of a player's stack is
        this value plus half the pot.
        """
        if self._subgame is not None:
            return self._subgame.values
        node, responder, values = self.target.node, self.solution.responder, []
        for player in PLAYERS:
            if node in self.solution.values:
                expected = self.solution.values[node][player]
            else:
                responder.look(player, node, EXPECT)
                expected = responder.expected(player, node)[0]
            values.append(self._spread(expected, player))
        return values[0], values[1]

    @cached_property
    def equity(self) -> Equity:
        """Each hand's share of the pot if the hand were checked down from here."""
        return range_equity(self.board, self.reach)

    def frequencies(self) -> dict[str, float]:
        """How often the mover takes each action, over all hands."""
        weights = self.weights(self.mover)
        shares = np.nansum(self.policy * weights, axis=1) / weights.sum()
        return dict(zip(self.actions, shares.tolist(), strict=True))

    def classes(self) -> list[ClassRow]:
        """The classes of the mover's hands that are held, in the order of `CLASS_NAMES`."""
        mover, weights, rows = self.mover, self.weights(self.mover), []
        for number, name in enumerate(CLASS_NAMES):
            members = np.flatnonzero((number == HAND_CLASS) & (weights > 0))
            if len(members):
                share = weights[members] / weights[members].sum()
                policy = tuple((self.policy[:, members] @ share).tolist())
                value = float(self.values[mover][members] @ share)
                equity = float(self.equity.hands[mover][members] @ share)
                reach = float(self.reach[mover][members].sum())
                rows.append(ClassRow(name, reach, policy, value, equity))
        return rows

    def weights(self, player: int) -> NDArray[np.float64]:
        """[1326] how often `player` is here with each hand: reach times compatible reach."""
        other = self.reach[1 - player][self.live[1 - player]]
        meets = self._spread(self.state.compatible_reach(player, other), player)
        weights: NDArray[np.float64] = self.reach[player] * np.nan_to_num(meets)
        return weights

    def _spread(self, vector: NDArray[Any], player: int) -> NDArray[np.float64]:
        """[K] over infostates to [1326] over hands."""
        full = np.full(NUM_HANDS, np.nan)
        full[self.live[player]] = vector
        return full


def _solve_river(view: SpotNode) -> SpotNode:
    """The same point in a solution of its river alone, with the reaches at its start as ranges."""
    moves, start, spot = view.target.moves, view.target.dealt, view.solution.spot
    above, dealt = (
        SpotNode(view.solution, find(view.solution.tree, moves[:end])) for end in (start - 1, start)
    )
    first, second = (
        reach * np.isin(np.arange(NUM_HANDS), live)
        for reach, live in zip(above.reach, dealt.live, strict=True)
    )
    if not (first.any() and second.any()):
        raise GameError("this point is never reached, so the policy on its river is not solved")
    scale = float(first.max()), float(second.max())
    street, committed = dealt.betting.street, dealt.betting.before[0]
    river = replace(
        spot,
        board=dealt.board,
        rules=replace(spot.rules, first_street=street, committed=committed, ante=0),
        ranges=((first / scale[0]).astype(np.float32), (second / scale[1]).astype(np.float32)),
        additions={},
    )
    locks = _river_locks(dealt)
    solution = solve_spot(river, SpotLimits(percent=RIVER_TARGET), locks=locks)
    return SpotNode(solution, find(solution.tree, moves[start:]), scale=scale)


def _river_locks(dealt: SpotNode) -> dict[str, NDArray[np.float32]]:
    """The locks on the river that begins at `dealt`: by path from there, [A, 1326]."""
    tree, policy = dealt.solution.tree, dealt.solution.policy
    locked = set(dealt.solution.locked)
    locks = {}
    for place, path in tree.walk(Place(dealt.target.node, 0)) if locked else ():
        if place.node in locked:
            block = tree.block(policy, place.node)[:, 0]
            hands = dealt.live[tree.arrays.player[place.node]]
            locks[" ".join(path)] = np.zeros((len(block), NUM_HANDS), np.float32)
            locks[" ".join(path)][:, hands] = block
    return locks
