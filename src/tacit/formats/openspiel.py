"""OpenSpiel's games as games of this library, and policies in both directions.

Few OpenSpiel games define public observations, but all that matter here define what each player
knows (`information_state_string`). So public states are derived: every history is listed once,
histories in the same infostate of a player are linked, and a public state is a connected component
of these links. It is what the players know in common: the finest public state that the infostates
allow.

Some infostates do not determine how many moves have been made, for example where the opponent's
failed attempts are hidden. Histories are then put on a common clock on which an infostate has one
time; those ahead of it wait, by a forced move that changes nothing.
"""

# ruff: noqa: D102 - the methods of State and Game are documented there.
from __future__ import annotations

import os
import random
import re
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from tacit.games import CHANCE, TERMINAL, Game, GameError, State
from tacit.games.encoder import GameEncoder
from tacit.steps import counted
from tacit.suggest import closest
from tacit.tree import PublicTree
from tacit.tree.playing import worlds_of

PREFIX = "openspiel:"
MAX_HISTORIES = 2_000_000
PROBES = 100
PROBABILITY_TOLERANCE = 1e-5
"""Largest error of the sum of a policy's probabilities, which may be in single precision."""

Ints: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[Any]
"""[histories] records of `ROW`."""

ROW = np.dtype(
    [
        ("parent", np.int64),
        ("action", np.int64),  # the last one,
        ("word", np.int64),  # its label, as an index into `Table.words`,
        ("probability", np.float64),  # and its probability, if it is chance's
        ("mover", np.int64),
        ("payoff", np.float64),
        ("known", np.int64, 2),  # the information state's number by player; at an end the parent's
        ("time", np.int64),
    ]
)
"""A history; parents come before children."""
WAITING = 4
"""The mover of a history that waits, until its public state determines the mover."""


def load_openspiel(game_string: str, *, max_histories: int = MAX_HISTORIES) -> OpenSpielGame:
    """The OpenSpiel game that `game_string` describes, such as ``leduc_poker``.

    The string is one for `pyspiel.load_game`, with or without ``openspiel:`` before it. The game
    must have two players, constant-sum payoffs (they are shifted to sum to zero), sequential moves,
    chance with explicit probabilities, perfect recall and at most `max_histories` histories;
    GameError says which of these is missing.
    """
    game = OpenSpielGame(game_string.removeprefix(PREFIX))
    _check_kind(game)
    _check_size(game, max_histories)
    game.table = _tabulate(game, max_histories)
    return game


@dataclass(frozen=True, slots=True, repr=False)
class OpenSpielState(State):
    """One history of the game, by its row in the game's table."""

    game: OpenSpielGame
    row: int

    @property
    def player(self) -> int:
        return self.game.table.mover[self.row]

    @property
    def children(self) -> slice:
        """The rows of the children."""
        first = self.game.table.first
        return slice(first[self.row], first[self.row + 1])

    def actions(self) -> tuple[int, ...]:
        return tuple(self.game.table.action[self.children])

    def chance(self) -> list[float]:
        return list(self.game.table.probability[self.children])

    def child(self, action: int) -> OpenSpielState:
        row = self.children.start + self.actions().index(action)
        return OpenSpielState(self.game, row)

    def payoff(self) -> float:
        return self.game.table.payoff[self.row]

    def public(self) -> int:
        return self.game.table.public[self.row]

    def private(self, player: int) -> str:
        table = self.game.table
        return table.names[player][table.private[player][self.row]]

    def history(self) -> list[int]:
        """The OpenSpiel actions, chance's included, from the start."""
        table, row = self.game.table, self.row
        actions = []
        while row:
            if table.action[row] != self.game.wait:
                actions.append(table.action[row])
            row = table.parent[row]
        return actions[::-1]

    def spiel(self) -> Any:
        """A new `pyspiel.State` at this history."""
        state = self.game.spiel.new_initial_state()
        for action in self.history():
            state.apply_action(action)
        return state

    def label(self, action: int) -> str:
        table = self.game.table
        number = table.word[self.child(action).row]
        word = table.words[number]
        return word if table.word[self.children].count(number) == 1 else f"{word}#{action}"

    def render(self, player: int | None = None) -> str:
        if player is None or not self.game.hidden:
            return str(self.spiel())
        return str(self.spiel().information_state_string(player))

    def __repr__(self) -> str:
        return f"OpenSpielState({self.game.name!r}, history={self.history()})"


class OpenSpielGame(Game):
    """A game of OpenSpiel; `spiel` is the `pyspiel.Game`, `wait` the waiting action."""

    table: Table

    def __init__(self, text: str) -> None:
        self.name = PREFIX + text
        self.spiel = _open(text)
        kind = self.spiel.get_type()
        self.title = f"{kind.long_name} (OpenSpiel)"
        self.wait = int(max(self.spiel.num_distinct_actions(), self.spiel.max_chance_outcomes()))
        self.hidden = bool(kind.information != kind.Information.PERFECT_INFORMATION)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenSpielGame) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def initial(self) -> OpenSpielState:
        return OpenSpielState(self, 0)

    def encoder(self) -> GameEncoder | None:
        from tacit.formats.openspiel_encoder import ObservationEncoder

        kind = self.spiel.get_type()
        if kind.provides_observation_tensor:
            return ObservationEncoder(self, "observation_tensor")
        if kind.provides_information_state_tensor:
            return ObservationEncoder(self, "information_state_tensor")
        return None


def policy_to_openspiel(tree: PublicTree, policy: NDArray[Any]) -> Any:
    """A flat `policy` [slots] as an `open_spiel.python.policy.TabularPolicy`.

    `tree` is a whole tree of an `OpenSpielGame` with one root. OpenSpiel names infostates only by
    their information states; GameError if these names are not distinct.
    """
    game = _game_of(tree)
    if len(tree.roots) != 1 or len(tree.leaves):
        raise ValueError("a policy for OpenSpiel takes a whole tree with one root")
    if policy.shape != (tree.sizes.slots,):
        raise ValueError(f"policy has shape {policy.shape}, expected ({tree.sizes.slots},)")
    from open_spiel.python.policy import TabularPolicy

    decisions = [(state.spiel(), *rest) for state, *rest in _decisions(tree)]
    table = TabularPolicy(game.spiel, states={s.history_str(): s for s, _, _ in decisions})
    if len(table.state_lookup) != len(decisions):
        raise GameError(
            f"{game.name} has {len(decisions)} infostates but OpenSpiel has only "
            f"{len(table.state_lookup)} names for them, so its policies cannot tell them apart"
        )
    for spiel, actions, slots in decisions:
        row = table.action_probability_array[table.state_index(spiel)]
        row[:] = 0.0
        row[actions] = policy[slots[:, 0]]
    return table


def policy_from_openspiel(tree: PublicTree, policy: Any) -> NDArray[np.float64]:
    """An OpenSpiel policy, any with `action_probabilities(state)`, as a flat array [slots]."""
    _game_of(tree)
    flat = tree.uniform_policy()  # waiting has only one action
    for state, actions, slots in _decisions(tree):
        given = policy.action_probabilities(state.spiel())
        chosen = np.array([given.get(action, 0.0) for action in actions])
        total = chosen.sum()
        if not (np.all(chosen >= 0) and abs(total - 1) < PROBABILITY_TOLERANCE):
            raise GameError(
                f"the OpenSpiel policy gives {chosen.tolist()} to the actions {actions} at "
                f"{state.private(state.player)!r}; expected probabilities that sum to one"
            )
        flat[slots] = (chosen / total)[:, None]
    return flat


def _decisions(tree: PublicTree) -> Iterator[tuple[OpenSpielState, list[int], Ints]]:
    """For each infostate with a decision: a history, the actions, and their slots [A, copies]."""
    numbers = np.arange(tree.sizes.slots)
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
        public, slots = tree.state(node), tree.block(numbers, node)
        histories = {cell[public.mover]: state for cell, state, _ in worlds_of(public)}
        for infostate, state in sorted(histories.items()):
            legal = np.flatnonzero(public.expansion.legal[:, infostate])
            actions = [public.expansion.actions[number] for number in legal]
            assert isinstance(state, OpenSpielState)
            if actions[0] != state.game.wait:
                yield state, actions, slots[legal, :, infostate]


def _game_of(tree: PublicTree) -> OpenSpielGame:
    if not isinstance(tree.game, OpenSpielGame):
        raise GameError(
            f"{tree.game.name} is not a game of OpenSpiel; only policies of games whose names "
            f"start with {PREFIX!r} can be exchanged"
        )
    return tree.game


@contextmanager
def _quiet() -> Iterator[None]:
    """OpenSpiel prints its errors to the process's standard error before it raises them."""
    kept = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _open(text: str) -> Any:
    try:
        import pyspiel
    except ImportError:
        raise GameError(
            "OpenSpiel is not installed; install it with: pip install 'tacit[openspiel]'"
        ) from None
    for module in re.findall(r"python_(\w+)", text):  # imported to register
        with suppress(ImportError):
            import_module(f"open_spiel.python.games.{module}")
    try:
        with _quiet():
            spiel = pyspiel.load_game(text)
            spiel.new_initial_state()
            return spiel
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        message = str(error)
    unknown = re.match(r"Unknown game '(.*?)'", message)
    if unknown is None:
        line = message.splitlines()[0]
        raise GameError(f"OpenSpiel cannot load {text!r}: {line}") from None
    near = closest(unknown[1], pyspiel.registered_names())
    hint = f"; did you mean {near!r}?" if near else ""
    raise GameError(f"OpenSpiel has no game {unknown[1]!r}{hint}")


def _check_kind(game: OpenSpielGame) -> None:
    spiel = game.spiel
    kind, players = spiel.get_type(), spiel.num_players()
    text = game.name.removeprefix(PREFIX)
    if players != 2:
        problem = f"must have two players to be loaded; it has {players}"
    elif kind.dynamics == kind.Dynamics.SIMULTANEOUS:
        inner = text if text.endswith(")") else f"{text}()"
        turns = f"{PREFIX}turn_based_simultaneous_game(game={inner})"
        problem = f"has simultaneous moves; try '{turns}'"
    elif kind.utility not in (kind.Utility.ZERO_SUM, kind.Utility.CONSTANT_SUM):
        problem = "is not zero-sum; only zero-sum games can be loaded"
    elif kind.chance_mode == kind.ChanceMode.SAMPLED_STOCHASTIC:
        problem = "samples its chance without stating probabilities"
    elif game.hidden and not kind.provides_information_state_string:
        problem = "hides something but has no information states to say what"
    elif spiel.new_initial_state().is_terminal():
        problem = "is over before its first move"
    else:
        return
    raise GameError(f"{game.name} {problem}")


def _check_size(game: OpenSpielGame, limit: int) -> None:
    """Refuse games that are far too large, by Knuth's estimate (1975) from random playouts."""
    choose = random.Random(0)
    enough = 10**20
    total = 0
    for _ in range(PROBES):
        state, weight = game.spiel.new_initial_state(), 1
        total += 1
        while not state.is_terminal() and total < enough:
            actions = state.legal_actions()
            weight *= len(actions)
            total += weight
            state.apply_action(choose.choice(actions))
    # The estimate is unbiased, so a game within the limit is almost never refused.
    if total > 100 * PROBES * limit:
        size = "more than" if total >= enough else "about"
        power = len(str(min(total, enough) // PROBES)) - 1
        raise _too_large(game, f"{size} 10^{power}", limit)


def _too_large(game: OpenSpielGame, size: str, limit: int) -> GameError:
    return GameError(f"{game.name} is too large: {size} histories; the limit is {limit:,}")


class Table(NamedTuple):
    """The histories in order of time, as columns of `ROW`; the children of a row are neighbours."""

    first: array[int]
    """The row of the first child; one entry more than there are rows."""
    parent: array[int]
    action: array[int]
    word: array[int]
    words: list[str]
    probability: array[float]
    mover: array[int]
    payoff: array[float]
    public: array[int]
    private: tuple[array[int], array[int]]
    """For each player an index into `names`."""
    names: tuple[list[str], list[str]]


def _tabulate(game: OpenSpielGame, limit: int) -> Table:
    strings: dict[str, int] = {}
    words: dict[str, int] = {"wait": 0}
    with counted("loading the game: {:,} histories") as count:
        rows = np.fromiter(_list_histories(game, limit, strings, words, count), ROW)
    if game.hidden:
        _set_times(game, rows)
    rows = _with_waiting(game, rows)
    size = len(rows)
    every = np.arange(size)
    known = list(strings)
    if game.hidden:
        first, second = (_infostates(game, rows, known, player) for player in (0, 1))
        public = _join(size, (every, first), (every, second))
    else:
        first = second = np.zeros(size, dtype=np.int64)
        public = every
    starts = np.cumsum([1, *np.bincount(rows["parent"][1:], minlength=size)])
    # Those that wait have the mover of their public state.
    certain = rows["mover"] != WAITING
    turn = np.full(size, CHANCE)
    turn[public[certain]] = rows["mover"][certain]
    if np.any(turn[public[certain]] != rows["mover"][certain]):
        raise GameError(f"{game.name} hides whose turn it is, which waiting cannot repair")
    return Table(
        _ints(starts),
        _ints(rows["parent"]),
        _ints(rows["action"]),
        _ints(rows["word"]),
        list(words),
        array("d", rows["probability"].tobytes()),
        _ints(turn[public]),
        array("d", rows["payoff"].tobytes()),
        _ints(public),
        (_ints(first), _ints(second)),
        (_names(rows, known, public, first, 0), _names(rows, known, public, second, 1)),
    )


def _ints(values: Ints) -> array[int]:
    return array("i", values.astype(np.int32).tobytes())


def _list_histories(
    game: OpenSpielGame,
    limit: int,
    strings: dict[str, int],
    words: dict[str, int],
    count: Callable[[int], None],
) -> Iterator[tuple[Any, ...]]:
    """Every history as a `ROW`, its depth as its time; fills `strings` and `words`."""
    movers = {-1: CHANCE, -4: TERMINAL, 0: 0, 1: 1}
    stack = [(game.spiel.new_initial_state(), -1, 0, "", 1.0, (0, 0), 0)]
    row = 0
    while stack:
        state, parent, action, called, chance, known, depth = stack.pop()
        if row == limit:
            raise _too_large(game, f"more than {limit:,}", limit)
        who = state.current_player()
        payoff, moves = 0.0, []
        if movers[who] == TERMINAL:
            mine, other = state.returns()
            payoff = (mine - other) / 2
        else:
            seen = [state.information_state_string(p) if game.hidden else "" for p in (0, 1)]
            first, second = (strings.setdefault(string, len(strings)) for string in seen)
            known = first, second
            if movers[who] == CHANCE:
                moves = [(outcome, weight) for outcome, weight in state.chance_outcomes() if weight]
            else:
                moves = [(outcome, 1.0) for outcome in state.legal_actions()]
        word = words.setdefault("".join(called.split()), len(words))
        yield parent, action, word, chance, movers[who], payoff, known, depth
        for outcome, weight in reversed(moves):
            called = state.action_to_string(who, outcome)
            stack.append((state.child(outcome), row, outcome, called, weight, known, depth + 1))
        row += 1
        count(row)


def _set_times(game: OpenSpielGame, rows: Rows) -> None:
    """The smallest times by which children are later than parents and an infostate has one time."""
    parent, mover, depth = rows["parent"], rows["mover"], rows["time"].copy()
    deciding = np.flatnonzero(mover < CHANCE)
    moment = np.arange(len(rows))
    keys = rows["known"][deciding, mover[deciding]] * 2 + mover[deciding]
    moment[deciding] = len(rows) + keys
    moment = np.unique(moment, return_inverse=True)[1]
    count = int(moment.max()) + 1
    edges = (moment[parent[1:]], moment[1:])
    graph = coo_matrix((np.ones(len(rows) - 1, dtype=np.int8), edges), shape=(count, count))
    cycles, _ = connected_components(graph, connection="strong")
    if cycles < count or np.any(edges[0] == edges[1]):
        raise GameError(
            f"{game.name} has no common clock: an information state comes before itself"
        )

    levels = _levels(depth)
    while True:
        latest = np.zeros(count, dtype=np.int64)
        np.maximum.at(latest, moment, rows["time"])
        times = latest[moment]
        for level in levels[1:]:
            times[level] = np.maximum(times[level], times[parent[level]] + 1)
        if np.array_equal(times, rows["time"]):
            return
        rows["time"] = times


def _levels(times: Ints) -> list[Ints]:
    """The rows of each time."""
    return np.split(np.argsort(times, kind="stable"), np.cumsum(np.bincount(times))[:-1])


def _with_waiting(game: OpenSpielGame, rows: Rows) -> Rows:
    """The histories with the necessary waiting moves, in order of their times."""
    parent, time = rows["parent"], rows["time"]
    runs = np.where(parent < 0, 1, time - time[parent])
    last = np.cumsum(runs) - 1
    source = np.repeat(np.arange(len(rows)), runs)
    here = np.arange(len(source))
    waits = last[source] - here
    starts = waits == runs[source] - 1
    rows = rows[source]
    rows["parent"] = np.where(starts, last[parent[source]], here - 1)
    rows["time"] -= waits
    rows["mover"][waits > 0] = WAITING
    rows["payoff"][waits > 0] = 0.0
    for name, value in (("action", game.wait), ("word", 0), ("probability", 1.0)):
        rows[name][~starts] = value
    order = np.argsort(rows["time"], kind="stable")
    rows = rows[order]
    rows["parent"] = np.argsort(order)[rows["parent"]]
    rows["parent"][0] = -1
    return rows


def _join(size: int, *links: tuple[Ints, Ints]) -> Ints:
    """[size] labels of items; items that share a label in any of `links` share one here.

    links: pairs of items [n] and their labels [n].
    """
    rows, columns, total = [], [], size
    for items, labels in links:
        dense = np.unique(labels, return_inverse=True)[1]
        rows.append(items)
        columns.append(total + dense)
        total += int(dense.max(initial=-1)) + 1
    ends = (np.concatenate(rows), np.concatenate(columns))
    graph = coo_matrix((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(total, total))
    labels = connected_components(graph, directed=False)[1][:size]
    return np.asarray(labels, dtype=np.int64)


def _pair(left: Ints, right: Ints) -> Ints:
    """Number the distinct pairs of two columns whose entries are at least -1."""
    keys = (left + 1) * (int(right.max()) + 2) + right + 1
    return np.asarray(np.unique(keys, return_inverse=True)[1], dtype=np.int64)


def _infostates(game: OpenSpielGame, rows: Rows, strings: list[str], player: int) -> Ints:
    """A label for each history: the infostate of `player`, distinct among histories of one time.

    Where the player moves it is the information state. Elsewhere it is all that the player has
    observed, except what a later information state forgets. Both players observe the last move of
    the game: nobody can act on it, and this gives the fewest infostates.
    """
    parent, mover, known = rows["parent"], rows["mover"], rows["known"][:, player]
    own = np.where(mover[parent] == player, rows["action"], -1)
    own[0] = -1
    moves = mover == player
    observed = np.where(mover == TERMINAL, rows["action"], own)
    seen = np.empty(len(rows), dtype=np.int64)
    levels = _levels(rows["time"])
    count = 0
    for level in levels:
        before = np.where(parent[level] < 0, -1, seen[parent[level]])
        past = np.where(moves[level], -1, _pair(before, observed[level]))
        seen[level] = count + _pair(_pair(past, known[level]), mover[level])
        count = int(seen[level].max()) + 1

    label = np.empty(len(rows), dtype=np.int64)
    count = 0
    below = levels[0][:0]
    for level in reversed(levels):
        links = (np.arange(len(level)), seen[level]), (parent[below] - level[0], label[below])
        label[level] = count + _join(len(level), *links)
        count = int(label[level].max()) + 1
        below = level

    # With perfect recall, links from below never join two information states or two own actions.
    for fact, where in ((np.where(moves, known, -1), np.arange(len(rows))), (own, parent)):
        first = np.unique(label, return_index=True)[1]
        differs = np.flatnonzero(fact != fact[first][label])
        if len(differs):
            row = where[differs[0]]
            raise GameError(
                f"{game.name} has imperfect recall: player {player + 1} later forgets "
                f"something seen or done at {strings[known[row]]!r}"
            )
    return label


def _names(rows: Rows, strings: list[str], public: Ints, label: Ints, player: int) -> list[str]:
    """A name for each label of `player`: the information state, numbered where it is not unique."""
    firsts = np.unique(label, return_index=True)[1]
    elsewhere = rows["mover"][firsts] != player
    names = [""] * len(firsts)
    taken: dict[tuple[int, str], int] = {}
    for index in np.argsort(elsewhere, kind="stable").tolist():
        row = firsts[index]
        name = strings[rows["known"][row, player]]
        if rows["mover"][row] == WAITING:
            name += " (waiting)"
        uses = taken[public[row], name] = taken.get((public[row], name), 0) + 1
        names[index] = name if uses == 1 else f"{name} #{uses}"
    return names
