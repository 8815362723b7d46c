"""`tacit subgame`: solve subgames of a blueprint again, and measure the gain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tacit.cli.options import as_json, memory

if TYPE_CHECKING:
    from tacit.solvers import Solution
    from tacit.solvers.leaves import Evaluator
    from tacit.tree import PublicTree

METHODS = (
    "unsafe, resolve, maxmargin, reach-maxmargin, estimated, estimated-distributional, "
    "reach-estimated-distributional, continual; the reach methods also as …-not-split"
)
ORACLE = "oracle"


@click.command()
@click.argument("game")
@click.option(
    "--method", "-m", default="reach-maxmargin", show_default=True, help=f"One of {METHODS}."
)
@click.option(
    "--blueprint",
    "file",
    type=click.Path(path_type=Path),
    help="A file of `tacit blueprint` or `tacit solve`.  [default: the game's own, if it has one]",
)
@click.option(
    "--player", type=click.IntRange(1, 2), help="Who solves.  [default: who moves in the subgame]"
)
@click.option("--at", "moves", metavar="MOVES", help="The moves to the public state.")
@click.option(
    "--below",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Without --at: all subgames this many moves below the root.",
)
@click.option(
    "--algorithm", "-a", metavar="NAME", default="pcfr+", show_default=True, help="Or lp."
)
@click.option("--iterations", "-n", type=click.IntRange(min=1), default=1000, show_default=True)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    help="Search this many moves ahead, repeatedly until the end.  [default: to the end]",
)
@click.option(
    "--leaves",
    metavar="NAME",
    default=ORACLE,
    show_default=True,
    help="What answers at --depth: exact solving, or a network: a run, a file, or the game of one "
    "that comes with tacit.",
)
@click.option(
    "--leaf-iterations",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help=f"Of the {ORACLE}, at each leaf and step.",
)
@click.option("--gift-scale", type=float, default=1.0, show_default=True, help="Multiplies gifts.")
@click.option("--out", "-o", type=click.Path(path_type=Path), help="Save the new policy here.")
@memory
@as_json
def subgame(
    game: str,
    *,
    method: str,
    file: Path | None,
    player: int | None,
    moves: str | None,
    below: int,
    algorithm: str,
    iterations: int,
    depth: int | None,
    leaves: str,
    leaf_iterations: int,
    gift_scale: float,
    out: Path | None,
    memory: int,
    as_json: bool,
) -> None:
    """Solve subgames of GAME again for one player, starting from a blueprint.

    The margin of an opponent's infostate is its best-response value against the blueprint minus
    that against the new policy. Exploitability is that of the whole policy with the new subgames.
    """
    from tacit.files import check_writable
    from tacit.formats.solution import save_solution
    from tacit.report.output import console, print_json, print_report
    from tacit.report.subgame import SubgameReport
    from tacit.solvers import LINEAR_PROGRAM, evaluate, find_algorithm
    from tacit.subgame.abstraction import frontier, given_solution
    from tacit.subgame.blueprint import Blueprint, BlueprintValues
    from tacit.subgame.methods import SolveBudget, find_method, improve

    find_method(method)
    if algorithm != LINEAR_PROGRAM:
        find_algorithm(algorithm)
    if out is not None:
        check_writable(out)
    solution = _blueprint(game, file, memory)
    tree = solution.tree
    places = [tree.find(moves)] if moves is not None else frontier(tree, below)
    if player is None:
        movers = [tree.state(place.node).mover for place in places]
        player = 1 + next((mover for mover in movers if mover < 2), 1)
    blueprint_values = BlueprintValues(Blueprint.of(solution), player - 1)
    if moves is None:
        places = [place for place in places if blueprint_values.reaches(place)]
    budget = SolveBudget(
        algorithm=algorithm,
        iterations=iterations,
        gift_scale=gift_scale,
        double=True,
        depth=depth,
        evaluator=None if depth is None else _evaluator(tree, leaves, leaf_iterations),
    )
    results = improve(blueprint_values, places, method, budget)
    policy = solution.policy
    for result in results:
        policy = result.written_into(tree, policy)
    before, after = evaluate(tree, solution.policy), evaluate(tree, policy)
    offers = [
        pair for result in results for pair in zip(result.roots, result.alternatives, strict=True)
    ]
    report = SubgameReport(
        solution=solution,
        player=player,
        method=method,
        views=offers[: len(places)],  # what follows are the leaves of depth-limited subgames
        policy=policy,
        before=before,
        after=after,
        names=blueprint_values.names,
    )
    if out is not None:
        algorithm = f"{solution.algorithm}, {method}"
        save_solution(given_solution(tree, policy, algorithm=algorithm, evaluation=after), out)
    if as_json:
        print_json(report.json())
    else:
        print_report(console(), report.blocks())


def _evaluator(tree: PublicTree, leaves: str, iterations: int) -> Evaluator:
    """The evaluator at the leaves of a depth-limited subgame."""
    from tacit.solvers.oracle import Oracle

    if leaves == ORACLE:
        return Oracle(tree.game_builder, iterations=iterations)
    from tacit.learn.shipped import find_network
    from tacit.learn.trainer import load_network

    return load_network(find_network(leaves), tree.game_builder).network


def _blueprint(game: str, file: Path | None, memory: int) -> Solution:
    from tacit.formats.solution import load_solution
    from tacit.games import GameError, load_game
    from tacit.solvers.solution import written_policy
    from tacit.subgame.abstraction import given_solution
    from tacit.tree import build_tree

    rules = load_game(game)
    if file is not None:
        solution = load_solution(file, max_bytes=memory)
        if solution.game.name != rules.name:
            raise GameError(f"{file} is a blueprint of {solution.game.name}, not of {game}")
        return solution
    if rules.blueprint is None:
        raise GameError(
            f"{game} has no blueprint of its own; `tacit blueprint {game} --out FILE` makes one, "
            "then name it with --blueprint FILE"
        )
    tree = build_tree(rules, max_bytes=memory)
    return given_solution(tree, written_policy(tree, rules.blueprint), algorithm="given")
