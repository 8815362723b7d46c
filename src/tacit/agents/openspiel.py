"""OpenSpiel's search as agents: MCTS for open games, IS-MCTS for Leduc.

OpenSpiel's own version of a game is played in step with ours, by a map of actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games import Game, GameError
from tacit.games.boards.connect_four import ConnectFour
from tacit.games.boards.go import Go
from tacit.games.boards.tic_tac_toe import TicTacToe
from tacit.games.leduc import RANKS, Leduc
from tacit.tree import Builder, PublicState

Array = NDArray[Any]

MEMORY_MB = 1000
"""The most memory of one of OpenSpiel's searches."""


def load_pyspiel() -> Any:
    """The module; GameError if it is not installed."""
    try:
        import pyspiel
    except ImportError:
        raise GameError(
            "OpenSpiel is not installed; install it with: pip install 'tacit[openspiel]'"
        ) from None
    return pyspiel


def openspiel_version(game: Game) -> Any:
    """OpenSpiel's version of one of our open games, whose rules are the same.

    In its Go a move that repeats a position ends the game as a draw; in ours it is not legal.
    """
    pyspiel = load_pyspiel()
    if isinstance(game, Go):
        rules = game.rules
        return pyspiel.load_game("go", {"board_size": rules.size, "komi": rules.komi})
    if isinstance(game, TicTacToe):
        return pyspiel.load_game("tic_tac_toe")
    if isinstance(game, ConnectFour):
        return pyspiel.load_game("connect_four")
    raise GameError(
        f"OpenSpiel's MCTS plays tic-tac-toe, connect-four and Go here, not {game.name}"
    )


def theirs(game: Game, action: int) -> int:
    """OpenSpiel's number of an action: its rows of Go begin at the bottom, others are the same."""
    if isinstance(game, Go) and action < game.rules.points:
        row, column = divmod(action, game.rules.size)
        return (game.rules.size - 1 - row) * game.rules.size + column
    return action


class _Memory(NamedTuple):
    """A public state, OpenSpiel's state, and the seed of the game."""

    state: PublicState
    spiel: Any
    seed: int


class OpenSpielMCTS:
    """MCTS with UCT and random rollouts, as OpenSpiel's `mcts` plays it; solved moves are proven.

    It plays the best child of the root, which has the most visits unless a result is proven.
    """

    def __init__(
        self, builder: Builder, simulations: int, *, exploration: float = 2.0, rollouts: int = 1
    ) -> None:
        _check(simulations)
        self.builder = builder
        self.game = openspiel_version(builder.game)
        self.simulations = simulations
        self.exploration = exploration
        self.rollouts = rollouts

    def begin(self, seats: Sequence[int], random: np.random.Generator) -> list[_Memory]:
        """At the root, with a seed for each game."""
        return [
            _Memory(self.builder.root, self.game.new_initial_state(), int(random.integers(2**30)))
            for _ in seats
        ]

    def policies(self, memories: Sequence[_Memory]) -> list[Array]:
        """Probability one for the best child of a search."""
        return [self._policy(memory) for memory in memories]

    def after(self, memories: Sequence[_Memory], transitions: Sequence[int]) -> list[_Memory]:
        """Both states after one more move."""
        later = []
        for memory, number in zip(memories, transitions, strict=True):
            expansion = memory.state.expansion
            spiel = memory.spiel.clone()
            spiel.apply_action(theirs(self.builder.game, expansion.actions[number]))
            later.append(_Memory(expansion.transitions[number].child, spiel, memory.seed))
        return later

    def model(self) -> OpenSpielMCTS:
        """Itself."""
        return self

    def _policy(self, memory: _Memory) -> Array:
        pyspiel = load_pyspiel()
        seed = memory.seed + memory.spiel.move_number()
        evaluator = pyspiel.RandomRolloutEvaluator(self.rollouts, seed)
        bot = pyspiel.MCTSBot(
            self.game, evaluator, self.exploration, self.simulations, MEMORY_MB, True, seed, False
        )
        root = bot.mcts_search(memory.spiel)
        actions = [theirs(self.builder.game, a) for a in memory.state.expansion.actions]
        best = root.best_child().action
        if best not in actions:  # it repeats a position
            visits = {child.action: child.explore_count for child in root.children}
            best = max(actions, key=lambda action: visits.get(action, 0))
        policy = np.zeros((len(actions), 1))
        policy[actions.index(best)] = 1
        return policy


class LeducAgent:
    """What OpenSpiel's players of Leduc have in common: `ask` at each infostate, normalised.

    A memory is the public state, the actions so far, the board's rank among them, and a seed.
    """

    title: str
    """What an error calls it."""

    def __init__(self, builder: Builder) -> None:
        if not isinstance(builder.game, Leduc):
            raise GameError(f"OpenSpiel's {self.title} plays leduc here, not {builder.game.name}")
        self.builder = builder
        self.game = load_pyspiel().load_game("leduc_poker")

    def ask(self, world: Any, mover: int, seed: int) -> list[tuple[int, float]]:
        """Actions and their weights for the mover at one of OpenSpiel's states."""
        raise NotImplementedError

    def begin(
        self, seats: Sequence[int], random: np.random.Generator
    ) -> list[tuple[PublicState, tuple[int, ...], int]]:
        """After the deal, with a seed for each game."""
        return [(self.builder.root, (), int(random.integers(2**30))) for _ in seats]

    def policies(self, memories: Sequence[tuple[PublicState, tuple[int, ...], int]]) -> list[Array]:
        """[A, K] for every rank of the mover."""
        return [self._policy(*memory) for memory in memories]

    def after(
        self,
        memories: Sequence[tuple[PublicState, tuple[int, ...], int]],
        transitions: Sequence[int],
    ) -> list[tuple[PublicState, tuple[int, ...], int]]:
        """The next public states."""
        later = []
        for (state, moves, seed), number in zip(memories, transitions, strict=True):
            expansion = state.expansion
            moved = (*moves, expansion.actions[number])
            later.append((expansion.transitions[number].child, moved, seed))
        return later

    def model(self) -> LeducAgent:
        """Itself."""
        return self

    def _policy(self, state: PublicState, moves: tuple[int, ...], seed: int) -> Array:
        actions = state.expansion.actions
        policy = np.zeros((len(actions), state.counts[state.mover]))
        for column, rank in enumerate(state.privates[state.mover]):
            assert isinstance(rank, int)
            world = _leduc_state(self.game, state.mover, rank, moves)
            found = dict(self.ask(world, state.mover, seed + column))
            policy[:, column] = [found.get(action, 0.0) for action in actions]
        shares: Array = policy / policy.sum(axis=0)
        return shares


class ISMCTSAgent(LeducAgent):
    """Information set MCTS for Leduc: visits of a search from each infostate.

    The constant of UCT is by default the largest payoff.
    """

    title = "IS-MCTS"

    def __init__(self, builder: Builder, simulations: int, *, exploration: float = 13.0) -> None:
        _check(simulations)
        super().__init__(builder)
        self.simulations = simulations
        self.exploration = exploration

    def ask(self, world: Any, mover: int, seed: int) -> list[tuple[int, float]]:
        """The visits of a search."""
        pyspiel = load_pyspiel()
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.ISMCTSBot(seed, evaluator, self.exploration, self.simulations)
        policy: list[tuple[int, float]] = bot.get_policy(world)
        return policy


def _leduc_state(game: Any, mover: int, rank: int, moves: tuple[int, ...]) -> Any:
    """OpenSpiel's state after these moves; the opponent's card is one that is left.

    Two cards have each rank.
    """
    state = game.new_initial_state()
    board = _board_rank(game, moves)
    free = [card for card in range(2 * len(RANKS)) if card // 2 != rank and card // 2 != board]
    cards = [free[0], free[0]]
    cards[mover] = 2 * rank
    for card in cards:
        state.apply_action(card)
    for move in moves:
        if state.is_chance_node():
            left = [card for card, _ in state.chance_outcomes() if card // 2 == move]
            state.apply_action(left[0])
        else:
            state.apply_action(move)
    return state


def _board_rank(game: Any, moves: tuple[int, ...]) -> int | None:
    """The rank of the board card among the moves, if it is there."""
    state = game.new_initial_state()
    for card in (0, 2):
        state.apply_action(card)
    for move in moves:
        if state.is_chance_node():
            return move
        state.apply_action(move)
    return None


def _check(simulations: int) -> None:
    if simulations < 1:
        raise GameError(f"a search takes at least one simulation, not {simulations}")
