"""The settings of a training run: nested dataclasses that validate themselves."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.learn.checked_settings import Checked, Grouped, kind_name, number
from tacit.solvers.algorithms import FictitiousPlay, Minimiser, find_algorithm
from tacit.solvers.depth_limited import Mode
from tacit.solvers.engine import Beliefs, Solver
from tacit.solvers.growing import GrowingSettings
from tacit.solvers.leaves import Evaluator
from tacit.tree import PublicState, PublicTree, build_forest
from tacit.tree.builder import before_chance
from tacit.tree.public_tree import TreeBuilder

Array = NDArray[Any]
Stop = Literal["depth", "round"]
Method = Literal["rebel", "student-of-games"]
OTHER_GROUPS: dict[Method, tuple[str, ...]] = {
    "rebel": ("growing", "sound"),
    "student-of-games": ("search",),
}
"""The groups of settings that a method does not use."""


@dataclass(frozen=True, kw_only=True)
class SearchSettings(Checked):
    """A depth-limited search."""

    algorithm: str = "dcfr"
    """The algorithm, one of those of `tacit solve`."""
    mode: Mode = "cfr-d"
    """The beliefs at leaves, see `tacit.solvers.depth_limited`."""
    iterations: int = number(64, least=1)
    """Number of iterations, each of which updates both players."""
    depth: int = number(2, least=1)
    """Number of public moves after which subgames end, if `stop` is `depth`."""
    stop: Stop = "depth"
    """Where subgames end: after `depth` moves, or with the `round`, before public chance."""
    warm_start: int = number(0)
    """Number of first iterations assumed to have played the policy network's proposal."""
    tremble: float = number(0.0, most=100)
    """Noise on the beliefs of every search below the first, see `shaken`."""
    blur: float = number(0.0, most=1e9)
    """Fictitious play treats actions within this share of the largest value as equal.

    It is about the error of a network, to which more iterations would only overfit.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        find_algorithm(self.algorithm)
        if self.warm_start >= self.iterations:
            raise GameError(
                f"a warm start of {self.warm_start} iterations leaves none of "
                f"{self.iterations} to search; give it fewer, or search for more"
            )

    @property
    def minimiser(self) -> Minimiser:
        """The algorithm, with the settings of this search."""
        minimiser = find_algorithm(self.algorithm)
        if isinstance(minimiser, FictitiousPlay):
            return dataclasses.replace(minimiser, blur=self.blur)
        return minimiser

    def forest(self, builder: TreeBuilder, states: Sequence[PublicState]) -> PublicTree:
        """The depth-limited subgames at `states`."""
        if self.stop == "round":
            return build_forest(builder, states, stop=before_chance)
        return build_forest(builder, states, depth=self.depth)

    def begin(self, tree: PublicTree, evaluator: Evaluator, beliefs: Beliefs) -> Solver:
        """A new search of `tree`."""
        return Solver(
            tree,
            self.minimiser,
            beliefs=beliefs,
            leaves=evaluator,
            mode=self.mode,
            warm_start=self.warm_start,
        )

    def shaken(
        self, beliefs: tuple[Array, Array], random: np.random.Generator
    ) -> tuple[Array, Array]:
        """Beliefs [K_0] and [K_1], multiplied by exp(`tremble` * standard normal variates).

        Where a search must mix actions, the solution below jumps as beliefs cross a point, and a
        network, being smooth, learns the mean of both sides. Without noise, search would converge
        to exactly that point and then play one side alone.
        """
        if self.tremble == 0:
            return beliefs
        first, second = (
            b * np.exp(self.tremble * random.standard_normal(len(b))).astype(b.dtype)
            for b in beliefs
        )
        return first, second

    def weights(self) -> NDArray[np.float64]:
        """[iterations] the probability to sample each iteration: its weight in the average."""
        weights = np.array([self.minimiser.weight(t) for t in range(1, self.iterations + 1)])
        shares: NDArray[np.float64] = weights / weights.sum()
        return shares

    def iterations_at(self, points: Array) -> NDArray[np.int64]:
        """[n] the iterations at points [n] of the cumulative weight, between 0 and 1."""
        ends = np.cumsum(self.weights())[:-1]
        return 1 + np.searchsorted(ends, points, side="right")


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How long and how deep a trained network's search is; None: as its settings say."""

    iterations: int | None = None
    depth: int | None = None

    def of(self, search: SearchSettings) -> SearchSettings:
        """The search with this effort.

        Self-play ends its searches after every `depth` moves, so the network has learnt PBSs at
        multiples of it, and no others: GameError for another depth.
        """
        depth = self.depth or search.depth
        if self.depth is not None and search.stop == "round":
            raise GameError("its network is for searches to the end of the round; give no depth")
        if depth % search.depth:
            raise GameError(
                f"its network is for the ends of searches of {search.depth} moves; "
                f"give a multiple of {search.depth} as depth, not {depth}"
            )
        iterations = self.iterations or search.iterations
        return dataclasses.replace(search, depth=depth, iterations=iterations)


AS_TRAINED = Effort()


@dataclass(frozen=True, kw_only=True)
class SoundSettings(Checked):
    """Sound self-play of Student of Games (Algorithm 2, Table S2)."""

    search_queries: float = number(1.0, most=1000)
    """Mean number of the network's queries of a game's search that are solved."""
    recursive_queries: float = number(0.1, most=0.99)
    """Mean number of the queries of a query's own search that are solved too."""
    outcome_targets: float = number(0.0, most=1)
    """Probability that a state of a game becomes an example with the game's outcome, TD(1)."""
    outcome_share: float = number(1.0, most=1)
    """The outcome's share in such a target; the rest is the value of the search at the state."""
    remembered: int = number(0)
    """Number of the network's answers that a table remembers, for games with nothing hidden, where
    searches ask the same again."""
    resign_below: float = number(-1.0, least=-1, most=1)
    """A player resigns below this share of the largest payoff; -1: never."""
    played_out: float = number(0.2, most=1)
    """Share of games in which nobody resigns."""
    greedy_after: int = number(10_000)
    """Number of moves after which the most likely action is played."""
    longest_game: int = number(10_000, least=1)
    """Number of moves after which a game is abandoned."""


@dataclass(frozen=True, kw_only=True)
class SelfPlaySettings(Checked):
    """How games are played for training examples."""

    tables: int = number(2, least=1)
    """Number of tasks of an epoch; each plays one table of games in parallel."""
    table_size: int = number(256, least=1)
    """Number of games of a table."""
    rounds: int = number(2, least=1)
    """Number of subgames that each game plays in an epoch."""
    explore: float = number(0.5, most=1)
    """Probability of a random move of the player who explores."""
    random_beliefs: bool = False
    """Search at random public states with random beliefs instead: the ablation of ReBeL's Fig. 2.

    The game's public states must be few enough to list.
    """


@dataclass(frozen=True, kw_only=True)
class NetworkSettings(Checked):
    """The shape of the network."""

    hidden: tuple[int, ...] = number((128, 128, 128), least=1, most=65536)
    """The widths of the hidden layers."""
    joint: bool = True
    """Whether one answer holds both players' values."""
    pairs: bool = False
    """Whether the network answers pairs of infostates, which the mode `cfr-avg-sound` needs."""
    policy: bool = False
    """Whether a policy network of the same shape is trained too."""
    cvpn: bool = False
    """Whether one network answers values and policies, as Student of Games needs."""
    channels: int = number(32, least=1, most=65536)
    """Number of channels of the residual blocks, where the game's features are planes."""
    blocks: int = number(4, most=1000)
    """Number of residual blocks."""
    cell_policy: bool = False
    """Whether the policy of a cell is also read from its own channels, on boards of cells."""


@dataclass(frozen=True, kw_only=True)
class OptimizerSettings(Checked):
    """How the network learns from examples."""

    steps: int = number(100, least=1)
    """Number of Adam steps of an epoch."""
    batch: int = number(256, least=1)
    """Number of examples of a step."""
    learning_rate: float = number(1e-2, above=0, most=1)
    """The initial learning rate."""
    halve_every: int = number(15, least=1)
    """Number of epochs after which the learning rate is halved, repeatedly."""
    buffer: int = number(80_000, least=1)
    """Number of latest examples that are kept."""
    drop_after: int = number(20, least=1)
    """Number of epochs after which the older half of the buffer is dropped, once."""
    huber: float = number(0.1, above=0, most=1e9)
    """The error above which the loss is linear, in units of the largest payoff."""
    value_weight: float = number(1.0, most=1e9)
    """The weight of values in the loss of a network with policies."""
    policy_weight: float = number(0.1, most=1e9)
    """The weight of policies in that loss."""


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings(Checked):
    """How the trained network plays, and how its search is measured."""

    play_iterations: int = number(256, least=1)
    """Number of iterations of the search with the trained network."""
    play_simulations: int = number(100, least=1)
    """Number of expansions of GT-CFR with the trained network."""
    play_greedy: bool = False
    """Whether GT-CFR plays the most likely action; for games with nothing hidden."""
    evaluate_every: int = number(25)
    """Number of epochs between measurements of its exploitability; 0: never."""
    evaluate_playthroughs: int = number(32, least=1)
    """Number of playthroughs of a measurement; of seeds with Student of Games."""
    keep_every: int = number(0)
    """Number of epochs between networks that are kept beside the last; 0: none."""


@dataclass(frozen=True, kw_only=True)
class Settings(Grouped):
    """A training run. An epoch is one task for every table, then gradient steps."""

    game: str = "liars-dice-1x4"
    """The name of the game."""
    method: Method = "rebel"
    """How it is learnt."""
    seed: int = number(0)
    """The seed of all random numbers."""
    epochs: int = number(100)
    """Number of epochs of the run."""
    search: SearchSettings = SearchSettings(algorithm="quadratic-cfr", iterations=256)
    """ReBeL's search in self-play."""
    growing: GrowingSettings = field(default_factory=GrowingSettings)
    """The search of Student of Games in self-play."""
    sound: SoundSettings = SoundSettings()
    """The self-play of Student of Games."""
    self_play: SelfPlaySettings = SelfPlaySettings()
    """How games are played for training examples."""
    network: NetworkSettings = NetworkSettings()
    """The shape of the network."""
    optimizer: OptimizerSettings = OptimizerSettings()
    """How the network learns from examples."""
    evaluation: EvaluationSettings = EvaluationSettings()
    """How the trained network plays, and how its search is measured."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.search.mode == "cfr-avg-sound" and not self.network.pairs:
            raise GameError("cfr-avg-sound needs a network with pairs=true; or set mode=cfr-avg")
        if self.search.warm_start and not self.network.policy:
            raise GameError("a warm start needs a policy network; set policy=true, or warm_start=0")
        if (self.method == "student-of-games") != self.network.cvpn:
            raise GameError("method=student-of-games and cvpn=true go together; set both or none")
        if not (self.sound.search_queries or self.sound.outcome_targets):
            raise GameError("there are no examples; set search_queries or outcome_targets above 0")
        _ = self.play

    @property
    def play(self) -> SearchSettings:
        """The search in play and evaluation."""
        return dataclasses.replace(self.search, iterations=self.evaluation.play_iterations)

    @property
    def growing_play(self) -> GrowingSettings:
        """GT-CFR in play and evaluation."""
        return dataclasses.replace(self.growing, simulations=self.evaluation.play_simulations)

    def without_effect(self, values: Mapping[str, Any]) -> Mapping[str, str]:
        """The groups of the other method."""
        method = _method(values.get("method", self.method))
        return dict.fromkeys(OTHER_GROUPS[method], f"method={method}")


def _method(given: Any) -> Method:
    if given not in OTHER_GROUPS:
        raise GameError(f"setting method must be {kind_name(Method)}, not {given!r}")
    return typing.cast(Method, given)
