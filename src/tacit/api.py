"""What `tacit` offers: thin functions over the rooms, with one kind of argument for each thing.

A game is a `Game`, or a name that `load_game` takes. A trained network is a run, what `load` makes
of a network file, the path of either, or the name of a game whose network comes with tacit.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from tacit.cluster import find_executor
from tacit.evaluation.continual_play import continual_policy, measure_of
from tacit.evaluation.search_play import played_policy, whole_tree
from tacit.formats import solution as solution_files
from tacit.formats import spot_solution as spot_files
from tacit.games import Game, GameError, check, load_game
from tacit.games.holdem.spot import Spot
from tacit.learn.presets import settings_for
from tacit.learn.settings import SearchSettings, Settings
from tacit.learn.settings import Stop as SearchStop
from tacit.learn.shipped import shipped
from tacit.learn.trainer import (
    Progress,
    Run,
    TrainedNetwork,
    check_resume,
    default_folder,
    default_workers,
    load_network,
    trained,
)
from tacit.solvers import (
    DEFAULT_ALGORITHM,
    Evaluation,
    Limits,
    Solution,
    solve_kind,
    solve_tree,
)
from tacit.solvers.anytime import OnCheckpoint
from tacit.solvers.best_response import evaluate as evaluate_policy
from tacit.solvers.depth_limited import Mode
from tacit.solvers.leaves import Evaluator, Zero
from tacit.solvers.spot import DEFAULT_ALGORITHM as DEFAULT_SPOT_ALGORITHM
from tacit.solvers.spot import SpotLimits, SpotSolution, solve_spot
from tacit.tree import PLAYERS, Builder, build_forest, build_tree
from tacit.tree.cards.builder import CardBuilder
from tacit.tree.cards.states import CardState
from tacit.tree.pbs import PBS, first_pbs, normalised
from tacit.tree.playing import check_public_states
from tacit.tree.public_tree import TreeBuilder

Array = NDArray[Any]
Network = TrainedNetwork | str | Path
MAX_BYTES = 8 << 30


def check_game(game: Game | str, *, playouts: int = 20, seed: int = 0) -> None:
    """Play a game against the whole contract of its rules: GameError says what breaks it, where.

    Its first levels are looked at in full, and deeper ones and `playouts` whole games at random.
    """
    rules = load_game(game)
    check.check_game(rules, playouts=playouts, seed=seed)
    check_public_states(rules, playouts=playouts, seed=seed)


@overload
def solve(
    game: Game | str,
    *,
    target: float | None = None,
    seconds: float | None = None,
    iterations: int | None = None,
    algorithm: str = DEFAULT_ALGORITHM,
    alternating: bool = True,
    precision: Literal["single", "double"] = "single",
    max_bytes: int = MAX_BYTES,
    on_checkpoint: OnCheckpoint | None = None,
) -> Solution: ...


@overload
def solve(
    game: Spot,
    *,
    percent: float | None = None,
    mbb: float | None = None,
    seconds: float | None = None,
    iterations: int | None = None,
    algorithm: str = DEFAULT_SPOT_ALGORITHM,
    locks: Mapping[str, Mapping[str, float] | Array] | None = None,
    threads: int | None = None,
    storage: Literal[16, 32] = 32,
    resumable: bool = False,
    max_bytes: int = MAX_BYTES,
    on_checkpoint: OnCheckpoint | None = None,
) -> SpotSolution: ...


def solve(game: Game | str | Spot, **options: Any) -> Solution | SpotSolution:
    """Solve a whole game or a spot of hold'em until the first of the limits is reached.

    A game's `target` is an exploitability in the game's own units; a spot's is `percent` of the pot
    or `mbb`, thousandths of a big blind a hand. `algorithm` is one of those of `tacit solve`;
    ``"lp"`` solves a game exactly. `locks` fixes the policy at points of a spot, by path.
    """

    def taken(*names: str) -> dict[str, Any]:
        return {name: options.pop(name) for name in names if name in options}

    if isinstance(game, Spot):
        spot_limits = SpotLimits(**taken("percent", "mbb", "seconds", "iterations"))
        return solve_spot(game, spot_limits, **options)
    limits = Limits(**taken("target", "seconds", "iterations"))
    named = {name: options[name] for name in ("algorithm", "precision") if name in options}
    tree = build_tree(load_game(game), **taken("max_bytes"), kind=solve_kind(**named))
    return solve_tree(tree, limits, **options)


@dataclass(frozen=True)
class SearchResult:
    """What a search found at a PBS.

    actions: the labels of the mover's A actions. policy: [A, K] the average policy of the mover's
    infostates; both are empty where chance moves. values: the expected values [K_0] and [K_1] of
    the players' infostates. after: by the label of each public move, the PBS that it leads to if
    the policy is played.
    """

    pbs: PBS
    actions: tuple[str, ...]
    policy: Array
    values: tuple[Array, Array]
    after: dict[str, PBS]

    def policy_at(self, infostate: str = "") -> dict[str, float]:
        """What the mover does with `infostate`, as `PublicState.names` calls it."""
        state = self.pbs.state
        names = state.names(state.mover) if self.actions else []
        if infostate not in names:
            raise GameError(f"no infostate {infostate!r} here; there are: {', '.join(names)}")
        shares = self.policy[:, names.index(infostate)].tolist()
        return dict(zip(self.actions, shares, strict=True))


def search(
    game: Game | Spot | str,
    evaluator: Evaluator | Network | None = None,
    *,
    at: PBS | None = None,
    iterations: int | None = None,
    depth: int | None = None,
    stop: SearchStop | None = None,
    algorithm: str | None = None,
    mode: Mode | None = None,
) -> SearchResult:
    """Search at the start of a game or spot, or `at` a PBS of it, with an evaluator at the leaves.

    Without an evaluator the search goes to the end of the game. The search ends after `depth` moves
    or, with ``stop="round"``, before chance deals. What is not given is as the network was trained,
    or else as `SearchSettings` has it.
    """
    builder: TreeBuilder = CardBuilder()
    if isinstance(game, Spot):
        start, rules = CardState.of(game), None
        first = PBS(start, start.beliefs())
    else:
        builder = Builder(rules := load_game(game))
        first = first_pbs(builder.root)
    settings = SearchSettings()
    if isinstance(evaluator, Network):
        network = trained(evaluator, game=rules)
        if network.settings.game != builder.name:
            raise GameError(
                f"the network was trained on {network.settings.game}, not on {builder.name}"
            )
        settings, evaluator = network.settings.play, network.network
    given = {"iterations": iterations, "depth": depth, "algorithm": algorithm, "mode": mode}
    given["stop"] = stop or (None if depth is None else "depth")
    settings = replace(settings, **{name: value for name, value in given.items() if value})  # type: ignore[arg-type]
    pbs = at or first
    if evaluator is None:
        tree, evaluator = build_forest(builder, [pbs.state]), Zero()
    else:
        tree = settings.forest(builder, [pbs.state])
    solver = settings.begin(tree, evaluator, [pbs.beliefs])
    solver.run(settings.iterations)
    reach, root = solver.average_reach(), tree.roots[0]
    values = solver.root_values(0)[0], solver.root_values(1)[0]
    actions, policy = tuple[str, ...](), np.zeros((0, 0))
    if pbs.state.mover in PLAYERS:
        actions = tuple(tree.expansion(root.node).labels)
        policy = tree.block(solver.average_policy(), root.node)[:, root.copy].copy()
    after = {}
    for number, (label, place) in enumerate(tree.children(root)):
        beliefs = [
            normalised(tree.vectors(reach[p], p, place.node, values=False)[place.copy])
            for p in PLAYERS
        ]
        path = (*pbs.path, number)
        after[label] = PBS(tree.state(place.node), (beliefs[0], beliefs[1]), path)
    return SearchResult(pbs, actions, policy, values, after)


def train(
    game: Game | str,
    *,
    epochs: int | None = None,
    out: str | Path | None = None,
    seed: int | None = None,
    workers: int | None = None,
    seconds: float | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
    resume: bool = False,
    each: Callable[[Progress], None] | None = None,
    executor: str | None = None,
) -> Run:
    """Learn a game by self-play, in the folder `out`; the run when its epochs are done.

    `settings` are those of a whole run, or some by name that replace the defaults: those of the
    game's preset, or some by its size. With `resume` a run in `out` goes on. `workers`: processes
    for self-play, by default one for each core; 0: this one. An `executor` takes their place, by
    name: "ray" or "ray:ADDRESS". `each` is told of every epoch.
    """
    game = load_game(game)
    folder = Path(out) if out is not None else default_folder(game.name)
    chosen = settings if isinstance(settings, Settings) else settings_for(game)
    changes = dict(settings) if isinstance(settings, Mapping) else {}
    given = {"game": game.name, "epochs": epochs, "seed": seed}
    changes |= {name: value for name, value in given.items() if value is not None}
    chosen = chosen.replace(**changes)
    if resume and (folder / "settings.json").exists():
        run = Run.open(folder, game)
        check_resume(run, chosen)
    else:
        run = Run.create(folder, chosen, game)
    run.train(
        workers=default_workers() if workers is None else workers,
        seconds=seconds,
        each=each,
        measure=measure_of(run) if chosen.evaluation.evaluate_every else None,
        executor=None if executor is None else find_executor(executor),
    )
    return run


def evaluate(
    what: Solution | SpotSolution | Network,
    *,
    game: Game | str | None = None,
    playthroughs: int = 512,
    iterations: int | None = None,
    simulations: int | None = None,
    form: Literal["exact", "sampled", "unsafe"] = "exact",
    seed: int = 0,
    workers: int | None = None,
) -> Evaluation:
    """The value and exploitability of a solution, or of what search with a network plays.

    The options are for a network: its search has `iterations` and is played out in `playthroughs`;
    the exploitability is an upper bound, which falls as they grow. One of Student of Games searches
    every public state with `simulations`, once. Give `game` for a file of a game that has no name
    in the package.
    """
    if isinstance(what, str | Path):
        what = load(what, game=game)
    if isinstance(what, Solution):
        return evaluate_policy(what.tree, what.policy)
    if isinstance(what, SpotSolution):
        if not what.complete:
            raise GameError("a solution without rivers cannot be evaluated; solve the spot again")
        locks = {node: what.tree.block(what.policy, node) for node in what.locked}
        return evaluate_policy(what.tree, what.policy, locks=locks)
    if what.settings.method == "student-of-games":
        growing = what.settings.growing_play
        growing = replace(growing, simulations=simulations or growing.simulations)
        tree = whole_tree(what.game)
        return evaluate_policy(tree, continual_policy(tree, what.network, growing, seed=seed))
    search = what.settings.play
    if iterations is not None:
        search = replace(search, iterations=iterations)
    options = {"playthroughs": playthroughs, "form": form, "seed": seed, "workers": workers}
    return evaluate_policy(*played_policy(what, search=search, **options))


def load(
    path: str | Path, *, game: Game | str | None = None
) -> Solution | SpotSolution | TrainedNetwork:
    """What is kept in a file or folder: a solution, a solved spot, a run, or a trained network.

    The name of a game whose network comes with tacit stands for that. Give `game` if it has no name
    in the package, as a game of your own.
    """
    rules = None if game is None else load_game(game)
    file = Path(path)
    if not file.exists():
        file = shipped().get(str(path), file)
    if file.is_dir():
        return Run.open(file, rules)
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as parts:
            if any(name.endswith("/data.pkl") for name in parts.namelist()):
                return load_network(file, game=rules)
    if solution_files.file_format(file) == spot_files.FORMAT:
        return spot_files.load_spot_solution(file)
    return solution_files.load_solution(file, game=rules)


def save(what: Solution | SpotSolution | TrainedNetwork, path: str | Path) -> None:
    """Write a solution, a solved spot, or the network of a run to one file, which `load` reads.

    A run keeps itself in its folder.
    """
    if isinstance(what, Solution):
        solution_files.save_solution(what, path)
    elif isinstance(what, SpotSolution):
        spot_files.save_spot_solution(what, path)
    else:
        what.save_network(Path(path))
