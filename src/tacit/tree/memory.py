"""The memory that a solve takes, by phases; interpreter, libraries and kernels are not counted.

`solve_memory` is the only place that says how much a solve takes: what is refused, what is printed
and what `tacit bench memory` compares with the measured peak.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from tacit.array_record import ArrayRecord
from tacit.games import TERMINAL, Game
from tacit.tree.arrays import PLAYERS
from tacit.tree.derived import DerivedState
from tacit.tree.layout import GrowingLayout
from tacit.tree.open import OpenExpansion

SLOT_BYTES = {16: 4, 32: 12, 64: 24}
"""By the bits of a number: a slot's regret, policy sum and policy; in 16 bits without the policy.
Fictitious play has a mixture instead of regrets."""
VECTOR_BYTES = {16: 4, 32: 4, 64: 8}
"""An entry of the solver's reaches and values."""
EVALUATED_BYTES = 8
"""An entry of a best response's reaches and values, and of the terminal matrices."""
CELL_BYTES = 385
"""A pair of infostates of a derived public state, without its world state."""
DERIVED_STATE_BYTES, DERIVED_EDGE_BYTES = 1_400, 1_000
OPEN_STATE_BYTES, OPEN_EDGE_BYTES = 2_000, 250
"""A public state and a transition as Python objects."""
SAMPLED_WORLDS, MOST_REACHABLE = 16, 1_000
"""How many world states are measured, and the most objects that are counted for one."""
PROGRAM_ENTRY_BYTES, PROGRAM_VARIABLE_BYTES, PROGRAM_FLOW_BYTES = 350, 950, 420
"""The linear program by its nonzero entries, its variables and the flows between infostates, fitted
to measured peaks: a simplex method's factors fill in as they may."""

_RULES = (Game, type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)


@dataclass(frozen=True, kw_only=True)
class SolveKind:
    """How a tree is solved, as far as the memory depends on it.

    storage: the bits of a number; threads: how many solve; policy_bytes: of a number of the average
    policy that is evaluated; exact: by the linear program.
    """

    storage: int = 32
    threads: int = 1
    policy_bytes: int = 8
    exact: bool = False


@dataclass(frozen=True, kw_only=True)
class TreeCounts:
    """What the memory of a solve depends on.

    tree: bytes of the arrays and public states; building: further bytes while the tree is built;
    slots: (action, infostate) pairs; vectors: entries of both players' reaches and values;
    evaluated: those of one pass, the opponent's reach and a player's values; thread_vectors: the
    entries of both players that a further thread needs; matrices: entries of terminal matrices;
    scales: bytes that only numbers of 16 bits need; program: bytes of the linear program.
    """

    tree: int
    building: int = 0
    slots: int
    vectors: int
    evaluated: int
    thread_vectors: int = 0
    matrices: int = 0
    scales: int = 0
    program: int = 0


@dataclass(frozen=True, kw_only=True)
class SolveMemory:
    """Bytes in each phase of a solve: building the tree, iterating, evaluating, and the result."""

    build: int
    iterate: int
    evaluate: int
    result: int

    @property
    def peak(self) -> int:
        """The most of all phases."""
        return max(self.build, self.iterate, self.evaluate, self.result)


def solve_memory(counts: TreeCounts, kind: SolveKind) -> SolveMemory:
    """What solving a tree takes: the solver stays while its average policy is evaluated."""
    more, number = kind.threads - 1, VECTOR_BYTES[kind.storage]
    policy = kind.policy_bytes * counts.slots
    if kind.exact:
        solver, policy = counts.program, EVALUATED_BYTES * counts.slots
        more = 0
    else:
        solver = SLOT_BYTES[kind.storage] * counts.slots
        solver += counts.scales if kind.storage == 16 else 0
        solver += number * (counts.vectors + more * counts.thread_vectors + counts.matrices)
    response = EVALUATED_BYTES * (
        counts.evaluated + more * counts.thread_vectors // 2 + counts.matrices
    )
    iterate = counts.tree + solver
    kept = counts.tree + (policy if kind.exact else solver + policy)
    return SolveMemory(
        build=counts.tree + counts.building,
        iterate=iterate,
        evaluate=kept + response,
        result=kept,
    )


def array_bytes(record: ArrayRecord) -> int:
    """The bytes of all arrays of a record and of the records in it."""
    total = 0
    for field in fields(record):  # type: ignore[arg-type]
        value = getattr(record, field.name)
        total += array_bytes(value) if isinstance(value, ArrayRecord) else value.nbytes
    return total


def give_back() -> None:
    """Give memory that is free back to the system, where the C library can."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def layout_counts(layout: GrowingLayout, *, program: bool = False) -> TreeCounts:
    """The counts of a tree that is laid out; program: with those of the linear program."""
    sizes, states, edges = layout.sizes, layout.states, len(layout.arrays.edge_parent)
    matrices = sum(unit.size for unit in layout.units)
    derived = [state for state in states if isinstance(state, DerivedState)]
    objects = DERIVED_STATE_BYTES * len(derived)
    objects += OPEN_STATE_BYTES * (len(states) - len(derived))
    objects += (DERIVED_EDGE_BYTES if derived else OPEN_EDGE_BYTES) * edges
    cells = sum(len(state.cells) for state in derived)
    objects += round(cells * (CELL_BYTES + _world_bytes(derived)))
    return TreeCounts(
        tree=array_bytes(layout.arrays) + objects + 2 * EVALUATED_BYTES * matrices,
        slots=sizes.slots,
        vectors=sum(sizes.reach) + sum(sizes.values) + 2 * sizes.scratch,
        evaluated=max(sizes.reach) + max(sizes.values) + sizes.scratch,
        matrices=matrices,
        program=_program_bytes(layout) if program else 0,
    )


def _world_bytes(states: Sequence[DerivedState]) -> float:
    """The mean size of a world state, by a sample; what several of them share does not count."""
    if not states:
        return 0.0
    step = max(1.0, len(states) / SAMPLED_WORLDS)
    sample = [states[int(n * step)] for n in range(min(len(states), SAMPLED_WORLDS))]
    worlds = [next(reversed(state.cells.values()))[0][0] for state in sample]
    found: dict[int, int] = {}
    holders: dict[int, int] = {}
    for world in worlds:
        for place, size in _reachable(world).items():
            found[place] = size
            holders[place] = holders.get(place, 0) + 1
    return sum(size for place, size in found.items() if holders[place] == 1) / len(worlds)


def _reachable(start: Any) -> dict[int, int]:
    """The sizes, by id, of an object and of all that it refers to, the rules apart."""
    sizes: dict[int, int] = {}
    stack = [start]
    while stack and len(sizes) < MOST_REACHABLE:
        thing = stack.pop()
        if id(thing) not in sizes and not isinstance(thing, _RULES):
            below = gc.get_referents(thing)
            sizes[id(thing)] = sys.getsizeof(thing)
            stack += below
    return sizes


def _program_bytes(layout: GrowingLayout) -> int:
    """The linear program: its matrices, and the copies and factors that SciPy's HiGHS makes."""
    arrays, player = layout.arrays, layout.arrays.player
    entries = layout.sizes.slots
    for p in PLAYERS:
        nodes = player == p
        entries += int((arrays.info_count[p, nodes].astype(np.int64) * arrays.copies[nodes]).sum())
    for node in np.flatnonzero(player == TERMINAL).tolist():
        entries += int(arrays.copies[node]) * int(np.count_nonzero(layout.states[node].payoffs))
    flows = 0
    for expansion in layout.expansions.values():
        if isinstance(expansion, OpenExpansion):
            flows += 2 * len(expansion.children)
        else:
            flows += sum(len(t.sources[0]) + len(t.sources[1]) for t in expansion.transitions)
    return (
        PROGRAM_ENTRY_BYTES * entries
        + PROGRAM_VARIABLE_BYTES * layout.sizes.slots
        + PROGRAM_FLOW_BYTES * flows
    )
