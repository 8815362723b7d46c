"""Sound self-play (Student of Games, Algorithm 2).

A task plays a number of games to their end, side by side, with GT-CFR for both players. Every
search leaves some of the network's queries behind; these are solved by searches of their own, which
may leave queries behind in turn. A solved query is an example (PBS, values, policy). States that a
game has visited may become examples with its outcome, TD(1).

Searches that are due together run as one forest. Games that have gone the same way share a search.
A task's result depends only on the network's weights and the seed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL, Game
from tacit.learn.cvpn import CVPN
from tacit.learn.network import make_network
from tacit.learn.replay import Examples
from tacit.learn.self_play import TableResult, TableTask
from tacit.learn.settings import Settings
from tacit.solvers.growing import GrowingSearch
from tacit.solvers.growing_leaves import ValuePolicyEvaluator, encode
from tacit.solvers.remembered import RememberedAnswers
from tacit.subgame.continual import Position, first_position, resolve
from tacit.tree import PLAYERS, Builder, PublicState
from tacit.tree.pbs import PBS, first_pbs, normalised
from tacit.tree.playing import deal, draw, follow, payoff
from tacit.tree.public_state import Pair

Array = NDArray[Any]
FOREST = 256
"""Largest number of searches in one forest."""


class SoundSelfPlay:
    """Plays tables of games to their end, with a network of its own.

    An executor's set-up is `partial(SoundSelfPlay, game, settings)`.
    """

    def __init__(self, game: Game, settings: Settings) -> None:
        self.settings = settings
        network = make_network(Builder(game), settings.network, seed=settings.seed)
        assert isinstance(network, CVPN)
        self.network = network

    def __call__(self, task: TableTask) -> TableResult:
        """Play a table."""
        self.network.load_state_dict(task.weights)
        random = np.random.default_rng([self.settings.seed, task.epoch, task.table])
        return TableResult({"values": Table(self.network, self.settings, random).play()}, ())


@dataclass
class _GameInPlay:
    """A game: where each player is in it, both infostates, and what it has visited.

    positions: of each player, with the player's last search. visited: for each decision its PBS,
    both players' values [K_0] and [K_1] and the mover's policy [A, K] by the search, and both
    infostates.
    """

    positions: list[Position]
    pair: Pair
    played_out: bool
    moves: int = 0
    visited: list[tuple[PBS, tuple[Array, Array], Array, Pair]] = field(default_factory=list)

    @property
    def state(self) -> PublicState:
        """The current public state."""
        return self.positions[0].state


class Table:
    """Games that are played side by side, and the queries of their searches."""

    def __init__(self, network: CVPN, settings: Settings, random: np.random.Generator) -> None:
        self.network = network
        self.builder = network.encoding.builder
        self.search = settings.growing
        self.sound = settings.sound
        self.explore = settings.self_play.explore
        self.random = random
        self.evaluator: ValuePolicyEvaluator = network
        if self.sound.remembered:
            self.evaluator = RememberedAnswers(network, self.sound.remembered)
        self.queries: list[PBS] = []
        self.rows: list[NDArray[np.float32]] = []
        self.targets: list[NDArray[np.float32]] = []
        self.games = [self._new_game() for _ in range(settings.self_play.table_size)]

    def play(self) -> Examples:
        """Play all games to their end and solve all queries; the examples."""
        while self.games or self.queries:
            if self.games:
                self._search_games()
                self.games = [game for game in self.games if self._move(game)]
            while len(self.queries) >= FOREST or (self.queries and not self.games):
                self._solve_queries()
        network = self.network
        rows = np.array(self.rows, dtype=np.float32).reshape(-1, network.inputs)
        targets = np.array(self.targets, dtype=np.float32).reshape(-1, network.outputs)
        return Examples(rows, targets)

    def _new_game(self) -> _GameInPlay:
        first = first_pbs(self.builder.root)
        game = _GameInPlay(
            [first_position(self.builder) for _ in PLAYERS],
            deal(first.state, first.beliefs, self.random),
            bool(self.random.random() < self.sound.played_out),
        )
        self._follow_chance(game)
        return game

    def _search_games(self) -> None:
        """Search for the mover of each game."""
        due = [game.positions[game.state.mover] for game in self.games]
        tasks = len({position.key for position in due})
        found = resolve(
            self.builder, due, self.evaluator, self.search, random=self.random,
            questions=self._count(self.sound.search_queries * tasks),
        )  # fmt: skip
        for game, position in zip(self.games, found, strict=True):
            game.positions[game.state.mover] = position
        for search in {id(position.search): position.search for position in found}.values():
            assert search is not None
            self.queries += search.questions()

    def _count(self, mean: float) -> int:
        """A random whole number with this mean."""
        return int(mean + self.random.random())

    def _solve_queries(self) -> None:
        """Solve the oldest queries; they become examples."""
        queries, self.queries = self.queries[:FOREST], self.queries[FOREST:]
        search = GrowingSearch(
            self.builder, queries, self.evaluator, self.search, random=self.random,
            questions=self._count(self.sound.recursive_queries * len(queries)),
        ).run()  # fmt: skip
        self.queries += search.questions()
        for number, pbs in enumerate(queries):
            node = int(search.focus[number])
            first, second = (search.values(player, node) for player in PLAYERS)
            policy = search.policy(number) if pbs.state.mover in PLAYERS else None
            self._add(pbs, (first, second), policy)

    def _add(self, pbs: PBS, values: tuple[Array, Array], policy: Array | None) -> None:
        self.rows.append(encode(self.network, pbs))
        self.targets.append(self.network.target(pbs.state, values, policy))

    def _move(self, game: _GameInPlay) -> bool:
        """Make a move, and chance's moves after it; whether the game goes on."""
        position, mover = game.positions[game.state.mover], game.state.mover
        assert position.search is not None
        average, infostate = position.policy, game.pair[mover]
        first, second = (normalised(position.reach(player)) for player in PLAYERS)
        pbs = PBS(position.state, (first, second), position.path)
        found = position.search
        values = found.values(0, position.node), found.values(1, position.node)
        game.visited.append((pbs, values, average, game.pair))
        largest = self.network.encoding.largest_payoff
        value = values[mover][infostate]
        if not game.played_out and value < self.sound.resign_below * largest:
            self._end(game, -largest if mover == 0 else largest)
            return False
        legal = game.state.expand().legal[:, infostate]
        chances = (1 - self.explore) * average[:, infostate] + self.explore * legal / legal.sum()
        greedy = game.moves >= self.sound.greedy_after
        self._follow(game, int(chances.argmax()) if greedy else draw(chances, self.random))
        game.moves += 1
        self._follow_chance(game)
        if game.state.mover == TERMINAL:
            self._end(game, payoff(game.state, game.pair))
        return game.state.mover != TERMINAL and game.moves < self.sound.longest_game

    def _follow_chance(self, game: _GameInPlay) -> None:
        while game.state.mover == CHANCE:
            self._follow(game, None)

    def _follow(self, game: _GameInPlay, action: int | None) -> None:
        """Go on to the public state after an action, or after chance's move."""
        if action is not None and game.state.expand().simple:
            number = action
        else:
            number, game.pair = follow(game.state, game.pair, action, self.random)
        game.positions = [position.after(number) for position in game.positions]

    def _end(self, game: _GameInPlay, outcome: float) -> None:
        """Let some of the states that a game has visited become examples with its outcome.

        Infostates that the game has not visited have no target, unless the values of the search
        have a share in targets.
        """
        share = self.sound.outcome_share
        for pbs, values, policy, pair in game.visited:
            if self.random.random() < self.sound.outcome_targets:
                for player, won in zip(PLAYERS, (outcome, -outcome), strict=True):
                    own = values[player]
                    mixed = share * won + (1 - share) * own[pair[player]]
                    if share == 1:
                        own[:] = np.nan
                    own[pair[player]] = mixed
                self._add(pbs, values, policy)
