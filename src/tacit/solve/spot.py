"""Hold'em spots solved: to a target, a time or a count, with what every hand does and is worth.

`solve_spot` answers with a `SpotSolution`; its `view` shows any point of the tree: who moves, what
each hand does there, and each hand's reach, value and equity.
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
from tacit.games.holdem.betting import BOARD_SIZES, Betting, BettingRules
from tacit.games.holdem.cards import (
    CLASS_NAMES,
    HAND_CARDS,
    HAND_CLASS,
    NUM_CLASSES,
    NUM_HANDS,
    card_name,
    format_cards,
    hand_name,
    parse_cards,
)
from tacit.games.holdem.spot import IDENTITY, Spot, Suits, permute_card, permute_hands
from tacit.solve.algorithms import find_algorithm
from tacit.solve.anytime import Checkpoint, Limits, OnCheckpoint, OnChunk, Stop, run
from tacit.solve.best_response import BestResponse
from tacit.solve.engine import Locks, Solver
from tacit.solve.kernel_warm_up import cores, prepare
from tacit.tree import Place, PublicTree
from tacit.tree.cards.builder import build_spot
from tacit.tree.cards.equity import Equity, range_equity
from tacit.tree.cards.states import HoldemState
from tacit.tree.passes import BEST, EXPECT

DEFAULT_ALGORITHM = "dcfr"
DEFAULT_TARGET = 0.5
"""Percent of the pot."""
RIVER_TARGET = 0.1
"""Percent of the pot to which rivers that a file left out are solved again."""
FIRST_CHECK = 16

Policy = NDArray[np.float32]
Path = str | Sequence[str]
"""Moves from the spot on, split by spaces or as words: ``k``, ``c``, ``f``, ``r3000``, ``2h``."""


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
    """Solve a spot; an interrupt keeps what was reached.

    `threads`: by default all cores. `locks`: by path, the policy to keep there: an action's share
    by its label, the same for all hands, or an array [A, 1326]. `storage`: the bits of a regret or
    policy sum, 32, or 16 where memory is short. `resumable`: keep what `resume_spot` needs.
    """
    _check_storage(storage)
    prepare(np.float32, equity=True)
    threads = threads or cores()
    tree = tree or build_spot(spot, isomorphism=isomorphism, storage=storage, max_bytes=max_bytes)
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
    solver = _solver(begun, fixed, threads)
    return _go_on(begun, solver, fixed, limits, resumable, on_checkpoint, on_chunk)


def resume_spot(
    solution: SpotSolution,
    limits: SpotLimits | None = None,
    *,
    threads: int | None = None,
    on_checkpoint: OnCheckpoint | None = None,
    on_chunk: OnChunk | None = None,
) -> SpotSolution:
    """Go on from a solution that was made resumable: as if it had never stopped."""
    if not solution.complete:
        raise GameError("a solution without rivers cannot be gone on with; solve the spot again")
    if not solution.memory:
        raise GameError(
            "this solution was saved without what it takes to go on (--resumable keeps it); "
            "solve the spot again"
        )
    fixed = {node: solution.tree.block(solution.policy, node) for node in solution.locked}
    solver = _solver(solution, fixed, threads or cores())
    solver.restore(solution.iterations, solution.memory)
    return _go_on(solution, solver, fixed, limits, True, on_checkpoint, on_chunk)


def _check_storage(storage: int) -> None:
    if storage not in (16, 32):
        raise GameError(f"numbers are kept in 32 or 16 bits, not in {storage}")


def _solver(solution: SpotSolution, fixed: Locks, threads: int) -> Solver:
    """A new solver of the spot, as the solution says."""
    return Solver(
        solution.tree, find_algorithm(solution.algorithm), threads=threads, locks=fixed,
        storage=solution.storage,
    )  # fmt: skip


def _go_on(
    solution: SpotSolution,
    solver: Solver,
    fixed: Locks,
    limits: SpotLimits | None,
    resumable: bool,
    on_checkpoint: OnCheckpoint | None,
    on_chunk: OnChunk | None,
) -> SpotSolution:
    """Run the solver until a limit is reached."""
    tree = solution.tree

    def measure(solver: Solver) -> tuple[float, float]:
        policy = solver.average_policy(np.float32)
        jury = BestResponse(tree, policy, locks=fixed, threads=solver.threads)
        best = jury.value(0, BEST), jury.value(1, BEST)
        return (best[0] + best[1]) / 2, (best[0] - best[1]) / 2

    bounds = (limits or SpotLimits()).limits(solution.spot)
    seen = list(solution.history)

    def note(point: Checkpoint) -> None:
        seen.append(point)
        if on_checkpoint is not None:
            on_checkpoint(point)

    result = run(
        solver,
        bounds,
        history=solution.history,
        on_checkpoint=note,
        on_chunk=on_chunk,
        measure=measure,
        next_check=lambda iteration: max(iteration + 1, next_check(seen, bounds.target)),
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
    """The next iteration at which the policy is checked: a check costs as much as a few iterations.

    Iterations double from one check to the next, unless the pace at which the exploitability has
    fallen, taken to be a power of their number, promises the target before.
    """
    if not seen:
        return FIRST_CHECK
    now = seen[-1]
    latest = 2 * now.iteration
    if target is None or len(seen) < 2:
        return latest
    then = seen[-2]
    if not 0 < now.exploitability < then.exploitability:
        return latest
    power = log(then.exploitability / now.exploitability) / log(now.iteration / then.iteration)
    promised = now.iteration * (now.exploitability / target) ** (1 / power)
    earliest = now.iteration + max(1, now.iteration // 20)
    return int(min(latest, max(earliest, ceil(promised))))


@dataclass(frozen=True, kw_only=True)
class SpotSolution:
    """A solved spot: the policy [slots] and how good it is.

    `complete` is false where the policies of the last street are left out (see
    `tacit.formats.spot_solution`); they are solved again when they are looked at.
    """

    spot: Spot
    tree: PublicTree = field(repr=False)
    policy: Policy = field(repr=False)
    algorithm: str
    stop: Stop
    history: tuple[Checkpoint, ...] = field(repr=False)
    locked: tuple[int, ...] = ()
    complete: bool = True
    storage: int = 32
    """The bits in which it was solved."""
    memory: Mapping[str, NDArray[Any]] = field(default_factory=dict, repr=False)
    """The solver's arrays by name, so that it can go on; empty if not asked for."""
    values: Mapping[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = field(
        default_factory=dict, repr=False
    )
    """Without rivers: what each hand [K] of both players is worth at the nodes before them."""

    @property
    def iterations(self) -> int:
        """How many iterations were run."""
        return self.history[-1].iteration

    @property
    def seconds(self) -> float:
        """How long they took."""
        return self.history[-1].seconds

    @property
    def exploitability(self) -> float:
        """NashConv / 2 in chips, exact."""
        return self.history[-1].exploitability

    @property
    def percent_of_pot(self) -> float:
        """The exploitability in percent of the pot."""
        return 100 * self.exploitability / self.spot.pot

    @property
    def mbb(self) -> float:
        """The exploitability in thousandths of a big blind a hand."""
        return 1000 * self.exploitability / self.spot.rules.big_blind

    def view(self, path: Path = "") -> SpotNode:
        """The point of the tree after `path`; GameError says what was possible."""
        return SpotNode(self, find(self.tree, path))

    @cached_property
    def responder(self) -> BestResponse:
        """What evaluates the policy."""
        return BestResponse(self.tree, self.policy)


@dataclass(frozen=True)
class PathTarget:
    """A node, how its suits are to be renamed to what was asked for, and the moves to it.

    steps: for each move the node it starts from and the number of the edge taken.
    """

    node: int
    suits: Suits
    moves: tuple[str, ...]
    steps: tuple[tuple[int, int], ...]


def find(tree: PublicTree, path: Path) -> PathTarget:
    """Follow `path` from the spot; cards that only differ in suits from drawn ones are found."""
    words = path.split() if isinstance(path, str) else list(path)
    node, suits = tree.roots[0].node, IDENTITY
    steps: list[tuple[int, int]] = []
    for word in words:
        state = tree.state(node)
        children = [label for label, _ in tree.children(Place(node, 0))]
        if state.mover == CHANCE:
            number, suits = _find_cards(state, children, suits, word)
        elif word in children:
            number = children.index(word)
        else:
            options = ", ".join(children) or "nothing: the hand is over"
            raise GameError(f"{word!r} is not possible here; possible: {options}")
        steps.append((node, number))
        node = tree.children(Place(node, 0))[number][1].node
    return PathTarget(node, suits, tuple(words), tuple(steps))


def _find_cards(state: Any, labels: list[str], suits: Suits, word: str) -> tuple[int, Suits]:
    """Which edge the cards of `word` lie behind, and the renaming that makes its cards them."""
    assert isinstance(state, HoldemState)
    wanted = set(parse_cards(word))
    for number, label in enumerate(labels):
        for renaming in state.deal.symmetries:
            both = _compose(suits, renaming)
            if {permute_card(both, card) for card in parse_cards(label)} == wanted:
                return number, both
    board = format_cards(permute_card(suits, card) for card in state.board)
    count = BOARD_SIZES[state.betting.street + 1] - len(state.board)
    raise GameError(
        f"{word!r} cannot be dealt on {board}; expected {count} card"
        f"{'s' if count > 1 else ''} that {'are' if count > 1 else 'is'} not on the board"
    )


def _compose(outer: Suits, inner: Suits) -> Suits:
    first, second, third, fourth = (outer[suit] for suit in inner)
    return first, second, third, fourth


@dataclass(frozen=True)
class ClassRow:
    """A class of hands (``AKs``) at a node: its reach, what it does, its value and equity."""

    name: str
    reach: float
    policy: tuple[float, ...]
    value: float
    equity: float


class SpotNode:
    """One point of a solved tree. Vectors over hands are [1326], NaN where a hand is impossible."""

    def __init__(
        self, solution: SpotSolution, found: PathTarget, scale: tuple[float, float] = (1.0, 1.0)
    ) -> None:
        self.solution = solution
        self.found = found
        self._scale = scale
        """What the ranges of the solution were divided by."""
        state = solution.tree.state(found.node)
        assert isinstance(state, HoldemState)
        self.state = state
        self._hands = tuple(permute_hands(found.suits)[hands] for hands in state.deal.hands)

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
        return tuple(permute_card(self.found.suits, card) for card in self.state.board)

    @property
    def actions(self) -> tuple[str, ...]:
        """The labels of the mover's actions."""
        return self.state.expansion.labels if self.mover < CHANCE else ()

    @property
    def cards(self) -> tuple[str, ...]:
        """Where chance moves: the cards that may come (one at a time)."""
        if self.mover != CHANCE:
            return ()
        return tuple(card_name(c) for c in range(52) if c not in self.board)

    @cached_property
    def _subgame(self) -> SpotNode | None:
        """The same point in a solution of its river alone, where rivers were left out."""
        state = self.state
        if self.solution.complete or state.betting.street < state.holdem.spot.rules.last_street:
            return None
        return _solve_river(self)

    @cached_property
    def policy(self) -> NDArray[np.float64]:
        """[A, 1326] how likely each of the mover's hands is to take each action."""
        if self.mover >= CHANCE:
            raise GameError("no player moves here")
        if self._subgame is not None:
            return self._subgame.policy
        block = self.solution.tree.block(self.solution.policy, self.found.node)[:, 0]
        return np.stack([self._spread(row, self.mover) for row in block])

    @cached_property
    def reach(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[1326] each: the weight of each hand's range times its own choices on the way here."""
        if self._subgame is not None:
            return self._subgame.reach
        self._look(0)
        reach = self.solution.responder.work.reach
        vectors = [
            self.solution.tree.vectors(reach[p], p, self.found.node, values=False)[0]
            for p in (0, 1)
        ]
        first, second = (
            self._scale[p] * np.nan_to_num(self._spread(v, p)) for p, v in enumerate(vectors)
        )
        return first, second

    @cached_property
    def values(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[1326] each: what each hand wins from the spot on, in chips, if both follow the policy.

        Counted from the spot's start, where each player's share of the pot is half of it: what is
        added to the chips behind at the start is this plus half the pot.
        """
        if self._subgame is not None:
            return self._subgame.values
        found = []
        for player in (0, 1):
            if self.found.node in self.solution.values:
                kept = self.solution.values[self.found.node][player]
                found.append(self._spread(kept, player))
                continue
            self._look(player)
            expected = self.solution.responder.expected(player, self.found.node)[0]
            found.append(self._spread(expected, player))
        return found[0], found[1]

    @cached_property
    def equity(self) -> Equity:
        """Each hand's share of the pot if the hand were checked down from here."""
        return range_equity(self.board, self.reach)

    def frequencies(self) -> dict[str, float]:
        """How often the mover takes each action, over all hands."""
        weights = self._weights(self.mover)
        shares = np.nansum(self.policy * weights, axis=1) / weights.sum()
        return dict(zip(self.actions, shares.tolist(), strict=True))

    def value(self, player: int) -> float:
        """What `player` wins on average from the spot on; see `values`."""
        weights = self._weights(player)
        return float(np.nansum(self.values[player] * weights) / weights.sum())

    def classes(self) -> list[ClassRow | None]:
        """[169] the classes of the mover's hands, as `CLASS_NAMES` are; None if not held."""
        mover = self.mover
        weights = self._weights(mover)
        rows: list[ClassRow | None] = []
        equity = self.equity.hands[mover]
        for number in range(NUM_CLASSES):
            members = np.flatnonzero((number == HAND_CLASS) & (weights > 0))
            if not len(members):
                rows.append(None)
                continue
            share = weights[members] / weights[members].sum()
            rows.append(
                ClassRow(
                    CLASS_NAMES[number],
                    float(self.reach[mover][members].sum()),
                    tuple((self.policy[:, members] @ share).tolist()),
                    float(self.values[mover][members] @ share),
                    float(equity[members] @ share),
                )
            )
        return rows

    def hands(self, player: int) -> list[str]:
        """The names of the hands that `player` may hold here."""
        return [hand_name(int(hand)) for hand in np.sort(self._hands[player])]

    def _weights(self, player: int) -> NDArray[np.float64]:
        """[1326] how often `player` is here with each hand: own reach times what can meet it."""
        other = self.reach[1 - player]
        sums = np.zeros(52)
        for column in (0, 1):
            np.add.at(sums, HAND_CARDS[:, column], other)
        meets = other.sum() - sums[HAND_CARDS].sum(axis=1) + other
        weights: NDArray[np.float64] = self.reach[player] * np.maximum(meets, 0)
        return weights

    def _spread(self, vector: NDArray[Any], player: int) -> NDArray[np.float64]:
        """[K] over infostates to [1326] over hands."""
        full = np.full(NUM_HANDS, np.nan)
        full[self._hands[player]] = vector
        return full

    def _look(self, player: int) -> None:
        """Leave both reaches, and the values of `player`, at this node in the vectors."""
        self.solution.responder.look(player, self.found.node, EXPECT)


def _locks(
    tree: PublicTree, locks: Mapping[str, Mapping[str, float] | NDArray[Any]]
) -> dict[int, NDArray[np.float64]]:
    """Locks by node from locks by path."""
    fixed = {}
    for path, given in locks.items():
        found = find(tree, path)
        state = tree.state(found.node)
        assert isinstance(state, HoldemState)
        if state.mover >= CHANCE:
            raise GameError(f"no player moves after {path!r}, so nothing can be locked there")
        labels, count = state.expansion.labels, state.counts[state.mover]
        if isinstance(given, Mapping):
            unknown = set(given) - set(labels)
            if unknown:
                raise GameError(
                    f"{', '.join(sorted(unknown))} is not possible after {path!r}; "
                    f"possible: {', '.join(labels)}"
                )
            column = np.array([given.get(label, 0.0) for label in labels])
            fixed[found.node] = np.repeat(column[:, None], count, axis=1)
        else:
            hands = permute_hands(found.suits)[state.deal.hands[state.mover]]
            fixed[found.node] = np.asarray(given, dtype=np.float64)[:, hands]
    return fixed


def subgame_spot(view: SpotNode, ranges: tuple[NDArray[Any], NDArray[Any]]) -> Spot:
    """The spot at the start of the street of `view`: its board and chips, with these ranges.

    The ranges are divided by their largest weights.
    """
    rules, betting = view.solution.spot.rules, view.betting
    return Spot(
        board=view.board,
        rules=BettingRules(
            stacks=rules.stacks,
            big_blind=rules.big_blind,
            small_blind=rules.small_blind,
            first_street=betting.street,
            last_street=rules.last_street,
            committed=betting.before[0],
            dead=rules.dead,
        ),
        ranges=(
            (ranges[0] / ranges[0].max()).astype(np.float32),
            (ranges[1] / ranges[1].max()).astype(np.float32),
        ),
        bets=view.solution.spot.bets,
        name=view.solution.spot.name,
    )


def _solve_river(view: SpotNode) -> SpotNode:
    """The same point in a solution of its river alone, from the reaches with which it starts."""
    moves = list(view.found.moves)
    start = max(n for n, (node, _) in enumerate(view.found.steps) if _deals(view, node)) + 1
    above = SpotNode(view.solution, find(view.solution.tree, moves[: start - 1]))
    dealt = SpotNode(view.solution, find(view.solution.tree, moves[:start]))
    alive = (
        np.isin(np.arange(NUM_HANDS), dealt._hands[0]),
        np.isin(np.arange(NUM_HANDS), dealt._hands[1]),
    )
    ranges = above.reach[0] * alive[0], above.reach[1] * alive[1]
    if not (ranges[0].any() and ranges[1].any()):
        raise GameError("this point is never reached, so the policy on its river is not solved")
    solution = solve_spot(
        subgame_spot(dealt, ranges),
        SpotLimits(percent=RIVER_TARGET),
        locks=_river_locks(dealt),
    )
    scale = float(ranges[0].max()), float(ranges[1].max())
    return SpotNode(solution, find(solution.tree, moves[start:]), scale)


def _river_locks(dealt: SpotNode) -> dict[str, NDArray[np.float32]]:
    """What is locked on the river that begins at `dealt`: by path from there, [A, 1326]."""
    tree, policy = dealt.solution.tree, dealt.solution.policy
    locked = set(dealt.solution.locked)
    found = {}
    for place, path in tree.walk(Place(dealt.found.node, 0)) if locked else ():
        if place.node in locked:
            block = tree.block(policy, place.node)[:, 0]
            hands = dealt._hands[tree.state(place.node).mover]
            found[" ".join(path)] = np.zeros((len(block), NUM_HANDS), np.float32)
            found[" ".join(path)][:, hands] = block
    return found


def _deals(view: SpotNode, node: int) -> bool:
    return view.solution.tree.state(node).mover == CHANCE
