"""`tacit subgame`: solve subgames of a blueprint again, and measure what that is worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import as_json, memory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tacit.solve import Evaluation, Solution
    from tacit.solve.leaves import Evaluator
    from tacit.subgame.blueprint import BlueprintValues, SubgameRoot
    from tacit.subgame.methods import SolveBudget, SubgameResult
    from tacit.tree import Place, PublicTree

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
@click.option("--at", "moves", metavar="MOVES", help="The public state, as the moves to it.")
@click.option(
    "--below",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Without --at: all subgames so many moves below the root.",
)
@click.option(
    "--algorithm", "-a", metavar="NAME", default="pcfr+", show_default=True, help="Or lp."
)
@click.option("--iterations", "-n", type=click.IntRange(min=1), default=1000, show_default=True)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    help="Search only so many moves ahead, again and again to the end.  [default: to the end]",
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

    The margin of an infostate of the opponent is how much less she gets there at best than against
    the blueprint. Exploitability is that of the whole policy with the new subgames in it.
    """
    from tacit.files import check_writable
    from tacit.formats.solution import save_solution
    from tacit.solve import LINEAR_PROGRAM, evaluate, find_algorithm
    from tacit.solve.policy_text import find_place
    from tacit.subgame.abstraction import frontier
    from tacit.subgame.blueprint import Blueprint, BlueprintValues
    from tacit.subgame.methods import SolveBudget, find_method

    find_method(method)
    if algorithm != LINEAR_PROGRAM:
        find_algorithm(algorithm)
    if out is not None:
        check_writable(out)
    solution = _blueprint(game, file, memory)
    tree = solution.tree
    places = [find_place(tree, moves)] if moves is not None else frontier(tree, below)
    if player is None:
        movers = [tree.state(place.node).mover for place in places]
        player = 1 + next((mover for mover in movers if mover < 2), 1)
    blueprint_values = BlueprintValues(Blueprint.of(solution), player - 1)
    if moves is None:
        places = [place for place in places if blueprint_values.comes_to(place)]
    budget = SolveBudget(
        algorithm=algorithm,
        iterations=iterations,
        gift_scale=gift_scale,
        double=True,
        depth=depth,
        evaluator=None if depth is None else _evaluator(tree, leaves, leaf_iterations),
    )
    found = _solve(blueprint_values, places, method, budget)
    written = solution.policy
    for resolved in found:
        written = resolved.written_into(tree, written)
    before, after = evaluate(tree, solution.policy), evaluate(tree, written)
    offers = [
        pair for solved in found for pair in zip(solved.views, solved.alternatives, strict=True)
    ]
    asked = offers[: len(places)]  # What follows are the leaves of depth-limited subgames.
    done = SubgameRow(
        solution, player, method, asked, written, before, after, blueprint_values.names
    )
    if out is not None:
        save_solution(_improved(solution, written, method, after), out)
    if as_json:
        _print_json(done)
    else:
        _print(done)


@dataclass(frozen=True)
class SubgameRow:
    """Subgames solved again: each view with what the opponent was offered, and the new policy."""

    solution: Solution
    player: int
    method: str
    views: list[tuple[SubgameRoot, NDArray[np.float64]]]
    policy: NDArray[np.float64]
    before: Evaluation
    after: Evaluation
    names: Callable[[Place], str]

    @property
    def opponent(self) -> int:
        """The number of the other player, from zero on."""
        return 2 - self.player


def _evaluator(tree: PublicTree, leaves: str, iterations: int) -> Evaluator:
    """What answers at the leaves of a depth-limited subgame."""
    from tacit.solve.oracle import Oracle

    if leaves == ORACLE:
        return Oracle(tree.builder, iterations=iterations)
    from tacit.learn.shipped import find_network
    from tacit.learn.trainer import load_network

    return load_network(find_network(leaves), tree.builder)[0]


def _solve(
    blueprint_values: BlueprintValues, places: list[Place], method: str, budget: SolveBudget
) -> list[SubgameResult]:
    from tacit.games import GameError
    from tacit.solve import LINEAR_PROGRAM
    from tacit.subgame.linear_program import solve_view_exactly
    from tacit.subgame.methods import solve_subgames, solve_to_the_end

    if not places:
        raise GameError("the blueprint reaches none of these subgames; name another with --at")
    if budget.algorithm == LINEAR_PROGRAM:
        if budget.depth is not None:
            raise GameError("a linear program solves to the end; leave --depth out, or choose CFR")
        return [
            solve_view_exactly(blueprint_values.tree, blueprint_values.at(place), method, budget)
            for place in places
        ]
    if budget.depth is None:
        return [solve_subgames(blueprint_values, places, method, budget)]
    views = [blueprint_values.at(place) for place in places]
    return solve_to_the_end(blueprint_values.tree, views, method, budget)


def _blueprint(game: str, file: Path | None, memory: int) -> Solution:
    from tacit.formats.game_names import load_game
    from tacit.formats.solution import load_solution
    from tacit.games import GameError
    from tacit.solve.policy_text import written_policy
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


def _improved(
    solution: Solution, policy: NDArray[np.float64], method: str, worth: Evaluation
) -> Solution:
    """The blueprint with its new subgames, as a solution."""
    from tacit.subgame.abstraction import given_solution

    return given_solution(
        solution.tree, policy, algorithm=f"{solution.algorithm}, {method}", worth=worth
    )


def _rows(done: SubgameRow) -> list[dict[str, Any]]:
    """For each subgame its moves and, for each infostate of the opponent, what it gets."""
    from tacit.solve import infostate_names
    from tacit.subgame.blueprint import Blueprint, BlueprintValues

    now = BlueprintValues(Blueprint(done.solution.tree, done.policy), done.player - 1)
    rows = []
    for view, offered in done.views:
        infostates = infostate_names(view.state, view.opponent)
        best = now.at(view.place).best
        rows.append(
            {
                "at": done.names(view.place),
                "infostates": [
                    {
                        "name": name,
                        "before": float(view.best[number]),
                        "offered": float(offered[number]),
                        "after": float(best[number]),
                        "margin": float(view.best[number] - best[number]),
                    }
                    for number, name in enumerate(infostates)
                    if view.weights[number] > 0
                ],
            }
        )
    return rows


def _policies(done: SubgameRow) -> dict[str, Any]:
    """The player's policy in words: by public moves, infostate and action."""
    from tacit.solve.policy_text import policy_in_words

    written: dict[str, Any] = {}
    for view, _ in done.views:
        written |= policy_in_words(
            done.solution.tree,
            done.policy,
            view.place,
            player=done.player - 1,
            before=done.names(view.place),
        )
    return written


def _print_json(done: SubgameRow) -> None:
    from tacit.report.output import print_json

    print_json(
        {
            "game": done.solution.game.name,
            "method": done.method,
            "player": done.player,
            "policy": _policies(done),
            "margins": {
                row["at"]: {entry["name"]: entry["margin"] for entry in row["infostates"]}
                for row in _rows(done)
            },
            "exploitability_before": done.before.exploitability,
            "exploitability_after": done.after.exploitability,
            "best_response_value_before": done.before.best_response[done.opponent],
            "best_response_value": done.after.best_response[done.opponent],
            "unit": done.solution.game.unit,
        }
    )


def _print(done: SubgameRow) -> None:
    from tacit.report.output import console, print_policy, print_table, table

    screen = console()
    tree, before, after, opponent = done.solution.tree, done.before, done.after, done.opponent
    for row in _rows(done)[:MOST_SUBGAMES]:
        shown = table("infostate", "before", "offered", "after", "margin")
        for entry in row["infostates"]:
            numbers = (entry[key] for key in ("before", "offered", "after", "margin"))
            shown.add_row(entry["name"] or "any", *(f"{number:+.4f}" for number in numbers))
        title = f"What player {opponent + 1} gets at best after {row['at'] or 'the deal'}"
        print_table(screen, shown, title=title)
    count = len(done.views)
    if count == 1:
        view = done.views[0][0]
        if view.state.mover == view.player:
            chosen = tree.block(done.policy, view.place.node)[:, view.place.copy]
            print_policy(screen, view.state, chosen, title=f"What player {done.player} does there")
    shown = table("", "blueprint", done.method)
    shown.add_row("exploitability", f"{before.exploitability:.6f}", f"{after.exploitability:.6f}")
    shown.add_row(
        f"player {opponent + 1}'s best response gets",
        f"{before.best_response[opponent]:+.6f}",
        f"{after.best_response[opponent]:+.6f}",
    )
    note = f"{count - MOST_SUBGAMES} more subgames are not shown." if count > MOST_SUBGAMES else ""
    subgames = "1 subgame" if count == 1 else f"{count} subgames"
    title = (
        f"{done.solution.game.title}: {subgames} solved again by player {done.player}, "
        f"{done.method}"
    )
    print_table(screen, shown, title=title, note=note)


MOST_SUBGAMES = 12
"""How many subgames are shown one by one."""
