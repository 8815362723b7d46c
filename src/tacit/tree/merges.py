"""Which infostates may merge: those with equal chance weights and the same game below them.

A *flow* is the set of world states that enter a cell of a child from one source of each player (for
the mover, an infostate and an action). Where a player forgets, several flows enter one cell, and
the child keeps the world states of the first flow. This is exact only if all flows have the same
weight, none is missing, and the same game follows each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from tacit.games import TERMINAL, GameError, State

WEIGHT_TOLERANCE = 1e-9
MAX_COMPARED = 200_000
"""The most world states that are compared for one child before it is refused."""

FlowKey = tuple[int, int, int, int]
"""(source of player 0, source of player 1, target of player 0, target of player 1)"""

Flow = dict[State, float]
"""World states with their chance weights."""


def merge_flows(
    flows: dict[FlowKey, Flow],
    pairs: tuple[list[tuple[int, int]], list[tuple[int, int]]],
    place: str,
) -> dict[tuple[int, int], Flow]:
    """The worlds of each cell; GameError if flows differ in weight or one is missing.

    `pairs[p]` lists the (source, target) of player p. Only if all flows are equal is
    reach0[i'] * reach1[j'] * C[i', j'] the probability of the merged cell for all policies. `place`
    begins the message of a GameError.
    """
    ways = [Counter(target for _, target in pairs[player]) for player in (0, 1)]
    cells: dict[tuple[int, int], Flow] = {}
    counted = Counter((to_i, to_j) for _, _, to_i, to_j in flows)
    compared: set[Hashable] = set()
    for (_, _, to_i, to_j), worlds in flows.items():
        cell = to_i, to_j
        first = cells.setdefault(cell, worlds)
        if first is worlds:
            continue
        if not _close(sum(first.values()), sum(worlds.values())):
            raise _refusal(place, "chance weighs differently")
        _compare(first, worlds, compared, place)
    for (to_i, to_j), count in counted.items():
        if count != ways[0][to_i] * ways[1][to_j]:
            raise _refusal(place, "differ in what the opponent may hold")
    return cells


def _refusal(place: str, difference: str) -> GameError:
    return GameError(
        f"{place} infostates merge that {difference}; private() must differ between them"
    )


def _compare(first: Flow, second: Flow, compared: set[Hashable], place: str) -> None:
    """Raise GameError if the game after two flows differs in moves, chance, keys or payoffs.

    `compared` holds the pairs of flows, up to scale, already compared for this child. They need no
    second comparison: a difference in the first one refuses the child.
    """
    stack = [(first, second, "")]
    while stack:
        one, other, path = stack.pop()
        if _same(one, other):
            continue
        pair = _scaled(one), _scaled(other)
        if pair in compared:
            continue
        compared.add(pair)
        if len(compared) > MAX_COMPARED:
            raise GameError(
                f"{place} infostates merge, and what follows is too large to compare "
                f"({MAX_COMPARED:,} states); make private() keep the move, or make world states "
                "equal (==) that do not differ in anything that matters"
            )
        where = f" after '{path.strip()}'" if path else ""
        refusal = _refusal(place, f"differ in their moves or payoffs{where}")
        movers = {world.player for world in (*one, *other)}
        if len(movers) != 1:
            raise refusal
        if movers == {TERMINAL}:
            if differ_in_payoff(one, other):
                raise refusal
            continue
        below = _children(one), _children(other)
        if below[0].keys() != below[1].keys():
            raise refusal
        for key, child in below[0].items():
            twin = below[1][key]
            if not _close(sum(child.values()), sum(twin.values())):
                raise refusal
            stack.append((child, twin, f"{path} {key[1]}"))


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= WEIGHT_TOLERANCE * abs(other)


def _same(one: Flow, other: Flow) -> bool:
    """Whether two flows of equal weight hold the same world states in the same shares."""
    if one.keys() != other.keys():
        return False
    return len(one) == 1 or all(_close(one[world], weight) for world, weight in other.items())


def _scaled(flow: Flow) -> Hashable:
    if len(flow) == 1:
        return next(iter(flow))
    total = sum(flow.values())
    return frozenset((world, round(weight / total, 12)) for world, weight in flow.items())


def differ_in_payoff(one: Flow, other: Flow) -> bool:
    """Whether two flows into ends of the game differ in their mean payoff."""
    means = []
    scale = 0.0
    for flow in (one, other):
        total = sum(flow.values())
        paid = [weight / total * world.payoff() for world, weight in flow.items()]
        means.append(sum(paid))
        scale += sum(map(abs, paid))
    return not abs(means[0] - means[1]) <= WEIGHT_TOLERANCE * scale


_Step = tuple[int, str, Hashable, Hashable, Hashable]
"""An action, its label, and what the public and each player see after it."""


def _children(flow: Flow) -> dict[_Step, Flow]:
    """The flows that may follow a flow, by the action and the observations after it."""
    children: dict[_Step, Flow] = {}
    for world, weight in flow.items():
        actions = world.actions()
        chances = world.chance() if world.player > 1 else [1.0] * len(actions)
        for action, chance in zip(actions, chances, strict=True):
            if chance == 0:
                continue
            child = world.child(action)
            seen = child.public(), child.private(0), child.private(1)
            worlds = children.setdefault((action, world.label(action), *seen), {})
            worlds[child] = worlds.get(child, 0.0) + weight * chance
    return children
