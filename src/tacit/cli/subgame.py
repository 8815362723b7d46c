"""`tacit subgame`: solve subgames of a blueprint again, and measure what that is worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import as_json, memory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tacit.solve import Evaluation, Solution
    from tacit.solve.subgame import Resolved
    from tacit.tree import Place

METHODS = (
    "unsafe, resolve, maxmargin, reach-maxmargin, estimated, estimated-distributional, "
    "reach-estimated-distributional, continual; the reach methods also as …-not-split"
)


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
    gift_scale: float,
    out: Path | None,
    memory: int,
    as_json: bool,
) -> None:
    """Solve subgames of GAME again for one player, starting from a blueprint.

    The margin of an infostate of the opponent is how much less she gets there at best than against
    the blueprint. Exploitability is that of the whole policy with the new subgames in it.
    """
    from tacit.formats.solution import check_writable, save_solution
    from tacit.solve import LINEAR_PROGRAM, evaluate, find_algorithm
    from tacit.solve.abstraction import frontier
    from tacit.solve.blueprint import Blueprint, Survey
    from tacit.solve.subgame import Effort, find_method
    from tacit.solve.words import find_place

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
    survey = Survey(Blueprint.of(solution), player - 1)
    if moves is None:
        places = [place for place in places if survey.comes_to(place)]
    effort = Effort(algorithm=algorithm, iterations=iterations, gift_scale=gift_scale, double=True)
    found = _solve(survey, places, method, effort)
    written = solution.policy
    for resolved in found:
        written = resolved.written_into(tree, written)
    before, after = evaluate(tree, solution.policy), evaluate(tree, written)
    if out is not None:
        save_solution(_improved(solution, written, method, after), out)
    if as_json:
        _print_json(solution, player, method, found, before, after, survey.names)
    else:
        _print(solution, player, method, found, before, after, survey.names)


def _solve(survey: Any, places: list[Place], method: str, effort: Any) -> list[Resolved]:
    from tacit.games import GameError
    from tacit.solve import LINEAR_PROGRAM
    from tacit.solve.subgame import solve_subgames
    from tacit.solve.subgame_program import solve_view_exactly

    if not places:
        raise GameError("the blueprint reaches none of these subgames; name another with --at")
    if effort.algorithm == LINEAR_PROGRAM:
        return [
            solve_view_exactly(survey.tree, survey.at(place), method, effort) for place in places
        ]
    return [solve_subgames(survey, places, method, effort)]


def _blueprint(game: str, file: Path | None, memory: int) -> Solution:
    from tacit.formats.game_names import load_game
    from tacit.formats.solution import load_solution
    from tacit.games import GameError
    from tacit.solve.abstraction import given_solution
    from tacit.solve.words import written_policy
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
    from tacit.solve.abstraction import given_solution

    return given_solution(
        solution.tree, policy, algorithm=f"{solution.algorithm}, {method}", worth=worth
    )


def _rows(found: list[Resolved], names: Any) -> list[dict[str, Any]]:
    """For each subgame its moves and, for each infostate of the opponent, what it gets."""
    from tacit.solve import infostate_names

    rows = []
    for resolved in found:
        now = resolved.best()
        for view, best, offered in zip(resolved.views, now, resolved.alternatives, strict=True):
            infostates = infostate_names(view.state, view.opponent)
            rows.append(
                {
                    "at": names(view.place),
                    "state": view.state,
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


def _policies(found: list[Resolved], names: Any) -> dict[str, Any]:
    """The player's policy in words: by public moves, infostate and action."""
    from tacit.solve.words import policy_in_words
    from tacit.tree import Place

    written: dict[str, Any] = {}
    for resolved in found:
        for view, root in zip(resolved.views, resolved.tree.roots, strict=True):
            written |= policy_in_words(
                resolved.tree,
                resolved.policy,
                Place(*root),
                player=resolved.player,
                before=names(view.place),
            )
    return written


def _print_json(
    solution: Solution,
    player: int,
    method: str,
    found: list[Resolved],
    before: Evaluation,
    after: Evaluation,
    names: Any,
) -> None:
    from tacit.cli.output import print_json

    opponent = 2 - player
    print_json(
        {
            "game": solution.game.name,
            "method": method,
            "player": player,
            "policy": _policies(found, names),
            "margins": {
                row["at"]: {entry["name"]: entry["margin"] for entry in row["infostates"]}
                for row in _rows(found, names)
            },
            "exploitability_before": before.exploitability,
            "exploitability_after": after.exploitability,
            "best_response_value_before": before.best_response[opponent],
            "best_response_value": after.best_response[opponent],
            "unit": solution.game.unit,
        }
    )


def _print(
    solution: Solution,
    player: int,
    method: str,
    found: list[Resolved],
    before: Evaluation,
    after: Evaluation,
    names: Any,
) -> None:
    from tacit.cli.output import console, print_policy, print_table, table

    screen = console()
    opponent = 2 - player
    for row in _rows(found, names)[:MOST_SUBGAMES]:
        shown = table("infostate", "before", "offered", "after", "margin")
        for entry in row["infostates"]:
            numbers = (entry[key] for key in ("before", "offered", "after", "margin"))
            shown.add_row(entry["name"] or "any", *(f"{number:+.4f}" for number in numbers))
        title = f"What player {opponent + 1} gets at best after {row['at'] or 'the deal'}"
        print_table(screen, shown, title=title)
    if len(found) == 1 and len(found[0].views) == 1:
        resolved, view = found[0], found[0].views[0]
        if view.state.mover == resolved.player:
            root = resolved.tree.roots[0]
            chosen = resolved.tree.block(resolved.policy, root.node)[:, root.copy]
            print_policy(screen, view.state, chosen, title=f"What player {player} does there")
    count = sum(len(resolved.views) for resolved in found)
    shown = table("", "blueprint", method)
    shown.add_row("exploitability", f"{before.exploitability:.6f}", f"{after.exploitability:.6f}")
    shown.add_row(
        f"player {opponent + 1}'s best response gets",
        f"{before.best_response[opponent]:+.6f}",
        f"{after.best_response[opponent]:+.6f}",
    )
    note = f"{count - MOST_SUBGAMES} more subgames are not shown." if count > MOST_SUBGAMES else ""
    subgames = "1 subgame" if count == 1 else f"{count} subgames"
    title = f"{solution.game.title}: {subgames} solved again by player {player}, {method}"
    print_table(screen, shown, title=title, note=note)


MOST_SUBGAMES = 12
"""How many subgames are shown one by one."""
