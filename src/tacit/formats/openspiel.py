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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from tacit.games import CHANCE, TERMINAL, Game, GameError, State
from tacit.games.encoder import GameEncoder
from tacit.suggest import closest
from tacit.tree import PublicTree
from tacit.tree.playing import worlds_of

PREFIX = "openspiel:"
MAX_HISTORIES = 2_000_000
PROBES = 100
PROBABILITY_TOLERANCE = 1e-5
"""Largest error of the sum of a policy's probabilities, which may be in single precision."""

Ints: TypeAlias = NDArray[np.int64]

_WAITING = 4
"""The mover of a history that waits, until its public state determines the mover."""


def load_openspiel(game_string: str, *, max_histories: int = MAX_HISTORIES) -> OpenSpielGame:
    """The OpenSpiel game that `game_string` describes, such as ``leduc_poker``.

    The string is one for `pyspiel.load_game`, with or without ``openspiel:`` before it. The game
    must have two players, constant-sum payoffs (they are shifted to sum to zero), sequential moves,
    chance with explicit probabilities, perfect recall and at most `max_histories` histories;
    GameError says which of these is missing.
    """
    text = game_string.removeprefix(PREFIX)
    spiel = _open(text)
    _check_kind(text, spiel)
    _check_size(text, spiel, max_histories)
    return OpenSpielGame(text, spiel, _tabulate(text, _list_histories(text, spiel, max_histories)))


@dataclass(frozen=True, slots=True, repr=False)
class OpenSpielState(State):
    """One history of the game, by its row in the game's table."""

    game: OpenSpielGame
    row: int

    @property
    def player(self) -> int:
        return self.game.table.mover[self.row]

    def actions(self) -> tuple[int, ...]:
        table = self.game.table
        return tuple(table.action[table.first[self.row] : table.first[self.row + 1]])

    def chance(self) -> list[float]:
        table = self.game.table
        return list(table.probability[table.first[self.row] : table.first[self.row + 1]])

    def child(self, action: int) -> OpenSpielState:
        row = self.game.table.first[self.row] + self.actions().index(action)
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
        if action == self.game.wait:
            return "wait"
        table, row = self.game.table, self.child(action).row
        siblings = table.word[table.first[self.row] : table.first[self.row + 1]]
        word = table.words[table.word[row]]
        return word if siblings.count(table.word[row]) == 1 else f"{word}#{action}"

    def render(self, player: int | None = None) -> str:
        if player is None or not self.game.hidden:
            return str(self.spiel())
        return str(self.spiel().information_state_string(player))

    def __repr__(self) -> str:
        return f"OpenSpielState({self.game.name!r}, history={self.history()})"


class OpenSpielGame(Game):
    """A game of OpenSpiel; `spiel` is the `pyspiel.Game`, `wait` the waiting action."""

    def __init__(self, text: str, spiel: Any, table: Table) -> None:
        self.name = PREFIX + text
        self.title = f"{spiel.get_type().long_name} (OpenSpiel)"
        self.spiel = spiel
        self.table = table
        self.wait = _wait(spiel)
        self.hidden = not _nothing_hidden(spiel)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenSpielGame) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def initial(self) -> OpenSpielState:
        return OpenSpielState(self, 0)

    def state(self, row: int) -> OpenSpielState:
        """The history in a row of the table."""
        return OpenSpielState(self, row)

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

    decisions = [(decision, decision.state.spiel()) for decision in _decisions(tree)]
    table = TabularPolicy(game.spiel, states={s.history_str(): s for _, s in decisions})
    if len(table.state_lookup) != len(decisions):
        raise GameError(
            f"{game.name} has {len(decisions)} infostates but OpenSpiel has only "
            f"{len(table.state_lookup)} names for them, so its policies cannot tell them apart"
        )
    for decision, spiel in decisions:
        row = table.action_probability_array[table.state_index(spiel)]
        row[:] = 0.0
        row[decision.actions] = policy[decision.slots[:, 0]]
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


class _Decision(NamedTuple):
    """An infostate at which its player has a decision."""

    state: OpenSpielState
    """One of its histories."""
    actions: list[int]
    slots: Ints
    """[A, copies] the slots of their probabilities."""


def _decisions(tree: PublicTree) -> Iterator[_Decision]:
    numbers = np.arange(tree.sizes.slots)
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
        public, slots = tree.state(node), tree.block(numbers, node)
        histories = {cell[public.mover]: state for cell, state, _ in worlds_of(public)}
        for infostate, state in sorted(histories.items()):
            legal = np.flatnonzero(public.expansion.legal[:, infostate])
            actions = [public.expansion.actions[number] for number in legal]
            assert isinstance(state, OpenSpielState)
            if actions[0] != state.game.wait:
                yield _Decision(state, actions, slots[legal, :, infostate])


def _game_of(tree: PublicTree) -> OpenSpielGame:
    if not isinstance(tree.game, OpenSpielGame):
        raise GameError(
            f"{tree.game.name} is not a game of OpenSpiel; only policies of games whose names "
            f"start with {PREFIX!r} can be exchanged"
        )
    return tree.game


def _import_pyspiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise GameError(
            "OpenSpiel is not installed; install it with: pip install 'tacit[openspiel]'"
        ) from None
    return pyspiel


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
    pyspiel = _import_pyspiel()
    for module in re.findall(r"python_(\w+)", text):  # imported to register
        with suppress(ImportError):
            import_module(f"open_spiel.python.games.{module}")
    try:
        with _quiet():
            spiel = pyspiel.load_game(text)
            spiel.new_initial_state()
            return spiel
    except (RuntimeError, IndexError, ValueError) as error:
        message = str(error)
    unknown = re.match(r"Unknown game '(.*?)'", message)
    if unknown is None:
        line = message.splitlines()[0]
        raise GameError(f"OpenSpiel cannot load {text!r}: {line}") from None
    near = closest(unknown[1], pyspiel.registered_names())
    hint = f"; did you mean {near!r}?" if near else ""
    raise GameError(f"OpenSpiel has no game {unknown[1]!r}{hint}")


def _wait(spiel: Any) -> int:
    return int(max(spiel.num_distinct_actions(), spiel.max_chance_outcomes()))


def _nothing_hidden(spiel: Any) -> bool:
    kind = spiel.get_type()
    return bool(kind.information == kind.Information.PERFECT_INFORMATION)


def _check_kind(text: str, spiel: Any) -> None:
    kind = spiel.get_type()
    name = PREFIX + text
    if spiel.num_players() != 2:
        raise GameError(f"{name} must have two players to be loaded; it has {spiel.num_players()}")
    if kind.dynamics == kind.Dynamics.SIMULTANEOUS:
        inner = text if text.endswith(")") else f"{text}()"
        raise GameError(
            f"{name} has simultaneous moves; "
            f"try '{PREFIX}turn_based_simultaneous_game(game={inner})'"
        )
    if kind.utility not in (kind.Utility.ZERO_SUM, kind.Utility.CONSTANT_SUM):
        raise GameError(f"{name} is not zero-sum; only zero-sum games can be loaded")
    if kind.chance_mode == kind.ChanceMode.SAMPLED_STOCHASTIC:
        raise GameError(f"{name} samples its chance without stating probabilities")
    if not kind.provides_information_state_string and not _nothing_hidden(spiel):
        raise GameError(f"{name} hides something but has no information states to say what")
    if spiel.new_initial_state().is_terminal():
        raise GameError(f"{name} is over before its first move")


def _check_size(text: str, spiel: Any, limit: int) -> None:
    """Refuse games that are far too large, by Knuth's estimate (1975) from random playouts."""
    choose = random.Random(0)
    enough = 10**20
    total = 0
    for _ in range(PROBES):
        state, weight = spiel.new_initial_state(), 1
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
        _refuse_size(text, f"{size} 10^{power}", limit)


def _refuse_size(text: str, size: str, limit: int) -> NoReturn:
    raise GameError(f"{PREFIX}{text} is too large: {size} histories; the limit is {limit:,}")


class Histories(NamedTuple):
    """Every history, parents before children: its last action, and what each player knows."""

    parent: Ints
    action: Ints
    word: Ints
    """The action's label, as an index into `words`."""
    probability: NDArray[np.float64]
    mover: Ints
    payoff: NDArray[np.float64]
    known: tuple[Ints, Ints]
    """For each player an index into `strings`; at a terminal that of its parent."""
    strings: list[str]
    words: list[str]
    wait: int
    hidden: bool
    depth: Ints
    above: Ints
    """The last decision above this history, or -1."""


def _list_histories(text: str, spiel: Any, limit: int) -> Histories:
    hidden = not _nothing_hidden(spiel)
    movers = {-1: CHANCE, -4: TERMINAL, 0: 0, 1: 1}
    numbers: dict[str, int] = {}
    words: dict[str, int] = {"wait": 0}
    parent, action, word, mover = array("q"), array("q"), array("q"), array("q")
    depth, last = array("q"), array("q")
    probability, payoff = array("d"), array("d")
    known = (array("q"), array("q"))
    stack = [(spiel.new_initial_state(), -1, 0, 1.0, "")]
    while stack:
        state, above, move, chance, called = stack.pop()
        row = len(parent)
        if row == limit:
            _refuse_size(text, f"more than {limit:,}", limit)
        parent.append(above)
        depth.append(depth[above] + 1 if row else 0)
        last.append(-1 if not row else above if mover[above] < CHANCE else last[above])
        action.append(move)
        word.append(words.setdefault("".join(called.split()), len(words)))
        probability.append(chance)
        who = state.current_player()
        mover.append(movers[who])
        if mover[row] == TERMINAL:
            mine, other = state.returns()
            payoff.append((mine - other) / 2)
            for player in (0, 1):
                known[player].append(known[player][above])
            continue
        payoff.append(0.0)
        for player in (0, 1):
            string = state.information_state_string(player) if hidden else ""
            known[player].append(numbers.setdefault(string, len(numbers)))
        if mover[row] == CHANCE:
            moves = [(outcome, weight) for outcome, weight in state.chance_outcomes() if weight]
        else:
            moves = [(outcome, 1.0) for outcome in state.legal_actions()]
        for outcome, weight in reversed(moves):
            called = state.action_to_string(who, outcome)
            stack.append((state.child(outcome), row, outcome, weight, called))
    return Histories(
        np.array(parent),
        np.array(action),
        np.array(word),
        np.array(probability),
        np.array(mover),
        np.array(payoff),
        (np.array(known[0]), np.array(known[1])),
        list(numbers),
        list(words),
        _wait(spiel),
        hidden,
        np.array(depth),
        np.array(last),
    )


def _clock(text: str, histories: Histories) -> Ints:
    """The smallest times by which children are later than parents and an infostate has one time."""
    parent, mover, known = histories.parent, histories.mover, histories.known
    depth, above = histories.depth, histories.above
    deciding = np.flatnonzero(mover < CHANCE)
    if not histories.hidden or not len(deciding):
        return depth
    keys = np.where(mover[deciding] == 0, known[0][deciding], known[1][deciding])
    keys = keys * 2 + mover[deciding]
    infostate = np.full(len(parent), -1, dtype=np.int64)
    infostate[deciding] = np.unique(keys, return_inverse=True)[1]
    count = int(infostate.max()) + 1

    later = deciding[above[deciding] >= 0]
    edges = (infostate[above[later]], infostate[later])
    graph = coo_matrix((np.ones(len(later), dtype=np.int8), edges), shape=(count, count))
    cycles, _ = connected_components(graph, connection="strong")
    if cycles < count or np.any(edges[0] == edges[1]):
        raise GameError(
            f"{PREFIX}{text} has no common clock: an information state comes before itself"
        )

    levels = np.split(np.argsort(depth, kind="stable"), np.cumsum(np.bincount(depth))[:-1])
    time = depth
    while True:
        latest = np.zeros(count, dtype=np.int64)
        np.maximum.at(latest, infostate[deciding], time[deciding])
        moved = time.copy()
        moved[deciding] = latest[infostate[deciding]]
        for level in levels[1:]:
            moved[level] = np.maximum(moved[level], moved[parent[level]] + 1)
        if np.array_equal(moved, time):
            return time
        time = moved


def _with_waiting(histories: Histories, time: Ints) -> tuple[Histories, Ints]:
    """The histories with the necessary waiting moves, in order of `time`, and their times."""
    parent = histories.parent
    runs = np.ones(len(parent), dtype=np.int64)
    runs[1:] = time[1:] - time[parent[1:]]
    last = np.cumsum(runs) - 1
    source = np.repeat(np.arange(len(parent)), runs)
    row = np.arange(len(source))
    waiting = row != last[source]
    starts = row == last[source] - runs[source] + 1
    above = np.where(starts, last[parent[source]], row - 1)
    above[0] = -1
    times = time[source] - (last[source] - row)

    order = np.argsort(times, kind="stable")
    place = np.empty_like(order)
    place[order] = row
    source, starts, waiting, above = source[order], starts[order], waiting[order], above[order]
    return histories._replace(
        parent=np.where(above < 0, -1, place[above]),
        action=np.where(starts, histories.action[source], histories.wait),
        word=np.where(starts, histories.word[source], 0),
        probability=np.where(starts, histories.probability[source], 1.0),
        mover=np.where(waiting, _WAITING, histories.mover[source]),
        payoff=np.where(waiting, 0.0, histories.payoff[source]),
        known=(histories.known[0][source], histories.known[1][source]),
    ), times[order]


class Table(NamedTuple):
    """A row for every history, in order of time; the children of a row are neighbours."""

    first: array[int]
    """The row of the first child; one entry more than there are rows."""
    parent: array[int]
    action: array[int]
    """The last action of the history."""
    word: array[int]
    """Its label, as an index into `words`."""
    words: list[str]
    probability: array[float]
    """Its probability, if it is chance's."""
    mover: array[int]
    payoff: array[float]
    public: array[int]
    private: tuple[array[int], array[int]]
    """For each player an index into `names`."""
    names: tuple[list[str], list[str]]


def _tabulate(text: str, listed: Histories) -> Table:
    histories, times = _with_waiting(listed, _clock(text, listed))
    levels = np.split(np.arange(len(times)), np.cumsum(np.bincount(times))[:-1])
    size = len(times)
    if histories.hidden:
        classes = [_infostates(text, histories, levels, player) for player in (0, 1)]
        public = np.empty(size, dtype=np.int64)
        count = 0
        for level in levels:
            links = [(np.arange(len(level)), classes[player][level]) for player in (0, 1)]
            public[level] = count + _join(len(level), links)
            count = int(public[level].max()) + 1
    else:
        classes = [np.zeros(size, dtype=np.int64)] * 2
        public = np.arange(size)
    children = np.bincount(histories.parent[1:], minlength=size)
    first = np.concatenate([[1], 1 + np.cumsum(children)])
    return Table(
        _ints(first),
        _ints(histories.parent),
        _ints(histories.action),
        _ints(histories.word),
        histories.words,
        array("d", histories.probability.tobytes()),
        _ints(_movers(text, histories, public)),
        array("d", histories.payoff.tobytes()),
        _ints(public),
        (_ints(classes[0]), _ints(classes[1])),
        (_names(histories, public, classes[0], 0), _names(histories, public, classes[1], 1)),
    )


def _ints(values: Ints) -> array[int]:
    return array("i", values.astype(np.int32).tobytes())


def _join(size: int, links: list[tuple[Ints, Ints]]) -> Ints:
    """[size] labels of items; items that share a label in any of `links` share one here."""
    rows, columns, total = [], [], size
    for items, labels in links:
        if len(items):
            dense = np.unique(labels, return_inverse=True)[1]
            rows.append(items)
            columns.append(total + dense)
            total += int(dense.max()) + 1
    ends = (np.concatenate(rows), np.concatenate(columns))
    graph = coo_matrix((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(total, total))
    labels = connected_components(graph, directed=False)[1][:size]
    return np.asarray(labels, dtype=np.int64)


def _pair(left: Ints, right: Ints) -> Ints:
    """Number the distinct pairs of two columns whose entries are at least -1."""
    keys = (left + 1) * (int(right.max()) + 2) + right + 1
    return np.asarray(np.unique(keys, return_inverse=True)[1], dtype=np.int64)


def _infostates(text: str, histories: Histories, levels: list[Ints], player: int) -> Ints:
    """A label for each history: the infostate of `player`, distinct among histories of one time.

    Where the player moves it is the information state. Elsewhere it is all that the player has
    observed, except what a later information state forgets. Both players observe the last move of
    the game: nobody can act on it, and this gives the fewest infostates.
    """
    parent, mover, known = histories.parent, histories.mover, histories.known[player]
    own = np.where(mover[parent] == player, histories.action, -1)
    own[0] = -1
    moves = mover == player
    observed = np.where(mover == TERMINAL, histories.action, own)
    seen = np.empty(len(parent), dtype=np.int64)
    count = 0
    for level in levels:
        choosing = moves[level]
        before = np.where(parent[level] < 0, -1, seen[parent[level]])
        past = np.where(choosing, -1, _pair(before, observed[level]))
        seen[level] = count + _pair(_pair(past, known[level]), mover[level])
        count = int(seen[level].max()) + 1

    label = np.empty(len(parent), dtype=np.int64)
    count = 0
    below = np.empty(0, dtype=np.int64)
    for level in reversed(levels):
        links = [(np.arange(len(level)), seen[level])]
        if len(below):
            links.append((parent[below] - level[0], label[below]))
        label[level] = count + _join(len(level), links)
        count = int(label[level].max()) + 1
        below = level

    # With perfect recall, links from below never join two information states or two own actions.
    for fact, where in ((np.where(moves, known, -1), np.arange(len(parent))), (own, parent)):
        first = np.unique(label, return_index=True)[1]
        differs = np.flatnonzero(fact != fact[first][label])
        if len(differs):
            row = where[differs[0]]
            raise GameError(
                f"{PREFIX}{text} has imperfect recall: player {player + 1} later forgets "
                f"something seen or done at {histories.strings[known[row]]!r}"
            )
    return label


def _movers(text: str, histories: Histories, public: Ints) -> Ints:
    """[histories] the mover; for those that wait, the mover of their public state."""
    turn = np.full(int(public.max()) + 1, CHANCE)
    certain = histories.mover != _WAITING
    turn[public[certain]] = histories.mover[certain]
    movers = np.asarray(turn[public], dtype=np.int64)
    if np.any(movers[certain] != histories.mover[certain]):
        raise GameError(f"{PREFIX}{text} hides whose turn it is, which waiting cannot repair")
    return movers


def _names(histories: Histories, public: Ints, label: Ints, player: int) -> list[str]:
    """A name for each label of `player`: the information state, numbered where it is not unique."""
    rows = np.unique(label, return_index=True)[1]
    choosing = histories.mover[rows] == player
    names = [""] * len(rows)
    taken: dict[tuple[int, str], int] = {}
    for index in np.argsort(~choosing, kind="stable").tolist():
        row = rows[index]
        name = histories.strings[histories.known[player][row]]
        if histories.mover[row] == _WAITING:
            name += " (waiting)"
        uses = taken[public[row], name] = taken.get((public[row], name), 0) + 1
        names[index] = name if uses == 1 else f"{name} #{uses}"
    return names
