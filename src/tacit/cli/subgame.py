"""`tacit subgame`: solve subgames of a blueprint again, and measure the gain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tacit.cli.options import command, load_solution_of
from tacit.report.experiment import option

if TYPE_CHECKING:
    from tacit.solvers import Solution
    from tacit.solvers.leaves import Evaluator
    from tacit.tree import PublicTree

METHODS = (
    "unsafe, resolve, maxmargin, reach-maxmargin, estimated, estimated-distributional, "
    "reach-estimated-distributional, continual; the reach methods also as …-not-split"
)
ORACLE = "oracle"


@command
def subgame(
    game: str,
    *,
    method: str = option("reach-maxmargin", f"One of {METHODS}.", "-m"),
    blueprint: Path | None = option(
        None,
        "A file of `tacit blueprint` or `tacit solve`.  [default: the game's own, if it has one]",
    ),
    player: int | None = option(
        None, "Who solves.  [default: who moves in the subgame]", least=1, most=2
    ),
    at: str | None = option(None, "The moves to the public state.", metavar="MOVES"),
    below: int = option(1, "Without --at: all subgames this many moves below the root.", least=1),
    algorithm: str = option("pcfr+", "Or lp.", "-a", metavar="NAME"),
    iterations: int = option(1000, "", "-n", least=1),
    depth: int | None = option(
        None,
        "Search this many moves ahead, repeatedly until the end.  [default: to the end]",
        least=1,
    ),
    leaves: str = option(
        ORACLE,
        "What answers at --depth: exact solving, or a network: a run, a file, or the game of one "
        "that comes with tacit.",
        metavar="NAME",
    ),
    leaf_iterations: int = option(50, f"Of the {ORACLE}, at each leaf and step.", least=1),
    gift_scale: float = option(1.0, "Multiplies gifts."),
    out: Path | None = option(None, "Save the new policy here.", "-o"),
    memory: int,
    as_json: bool,
) -> None:
    """Solve subgames of GAME again for one player, starting from a blueprint.

    The margin of an opponent's infostate is its best-response value against the blueprint minus
    that against the new policy. Exploitability is that of the whole policy with the new subgames.
    """
    from tacit.files import check_writable
    from tacit.formats.solution import save_solution
    from tacit.report.output import show
    from tacit.report.subgame import SubgameReport
    from tacit.solvers import LINEAR_PROGRAM, find_algorithm
    from tacit.subgame.abstraction import frontier, given_solution
    from tacit.subgame.blueprint import Blueprint, BlueprintValues
    from tacit.subgame.methods import SolveBudget, find_method, improve

    find_method(method)
    if algorithm != LINEAR_PROGRAM:
        find_algorithm(algorithm)
    check_writable(out)
    solution = _blueprint(game, blueprint, memory)
    tree = solution.tree
    places = [tree.find(at)] if at is not None else frontier(tree, below)
    if player is None:
        movers = [tree.state(place.node).mover for place in places]
        player = 1 + next((mover for mover in movers if mover < 2), 1)
    evaluator = None if depth is None else _evaluator(tree, leaves, leaf_iterations)
    values = BlueprintValues(Blueprint.of(solution), player - 1)
    if at is None:
        places = [place for place in places if values.reaches(place)]
    budget = SolveBudget(
        algorithm=algorithm,
        iterations=iterations,
        gift_scale=gift_scale,
        double=True,
        depth=depth,
        evaluator=evaluator,
    )
    results = improve(values, places, method, budget)
    policy = solution.policy
    for result in results:
        policy = result.written_into(tree, policy)
    offers = [
        pair for result in results for pair in zip(result.roots, result.alternatives, strict=True)
    ]
    offers = offers[: len(places)]  # what follows are the leaves of depth-limited subgames
    report = SubgameReport(solution, values, method, offers, policy)
    if out is not None:
        made = f"{solution.algorithm}, {method}"
        saved = given_solution(tree, policy, algorithm=made, evaluation=report.after)
        save_solution(saved, out)
    show(as_json, report.json(), report.blocks())


def _evaluator(tree: PublicTree, leaves: str, iterations: int) -> Evaluator:
    """The evaluator at the leaves of a depth-limited subgame."""
    from tacit.solvers.oracle import Oracle

    if leaves == ORACLE:
        return Oracle(tree.game_builder, iterations=iterations)
    from tacit.learn.shipped import find_network
    from tacit.learn.trainer import load_network

    return load_network(find_network(leaves), tree.game_builder).network


def _blueprint(game: str, file: Path | None, memory: int) -> Solution:
    from tacit.games import GameError, load_game
    from tacit.solvers.solution import written_policy
    from tacit.subgame.abstraction import given_solution
    from tacit.tree import build_tree

    rules = load_game(game)
    if file is not None:
        return load_solution_of(rules.name, file, memory, what="blueprint")
    if rules.blueprint is None:
        raise GameError(
            f"{game} has no blueprint of its own; `tacit blueprint {game} --out FILE` makes one, "
            "then name it with --blueprint FILE"
        )
    tree = build_tree(rules, max_bytes=memory)
    return given_solution(tree, written_policy(tree, rules.blueprint), algorithm="given")
