"""Write the numbers that the pages state: `python docs/generate.py`; `--check` only compares.

A page marks what is generated with a comment that names a kind and its arguments, and ends it with
another: `<!-- generated: sizes kuhn -->` … `<!-- end -->`.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable
from enum import Enum
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Any, get_overloads

import numpy as np

import tacit
from tacit.bench.holdem_decisions import HoldemDecisions
from tacit.bench.holdem_values import HoldemValues
from tacit.bench.scale import Scale
from tacit.games import load_game
from tacit.report.game_sizes import listed_sizes
from tacit.report.table import Table
from tacit.reproduce.rebel.table2 import summaries as rebel_summaries
from tacit.reproduce.rebel.turn_endgame import COLUMNS as TURN_COLUMNS
from tacit.reproduce.rl_cfr import RLCFR
from tacit.reproduce.row_store import CHECKSUM
from tacit.reproduce.safe_subgames import tables as safe_tables
from tacit.solvers import Limits, evaluate, solve_tree
from tacit.solvers.solution import written_policy
from tacit.subgame.blueprint import Blueprint, BlueprintValues
from tacit.subgame.methods import METHODS, SolveBudget, solve_roots
from tacit.tree import build_tree, readable_bytes

DOCS = Path(__file__).parent
PAGES = [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"(<!-- generated: ([^>]*?) -->\n).*?(<!-- end -->)", flags=re.DOTALL)
MEASURED = re.compile(r"\d\.\de[+-]\d\d")
"""Measurements are written like this, and may differ a little from machine to machine."""
CONVERGENCE = ("kuhn", "leduc", "liars-dice-1x4", "pursuit-glasses")
CHECKPOINTS = (16, 64, 256)


def markdown(shown: Table) -> str:
    """A table as Markdown."""
    sides = ["---" if n < shown.text_columns else "--:" for n in range(len(shown.headers))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (shown.headers, sides, *shown.rows))


def sizes(*games: str) -> str:
    """The table of sizes of these games, or of all."""
    head = ("game", "public states", "infostates", "slots", "memory of a solver")
    shown = Table(head)
    for size in listed_sizes():
        if size["public_states"] is not None and (not games or size["game"] in games):
            counts = (size[name] for name in ("public_states", "infostates", "slots"))
            memory = readable_bytes(size["memory"])
            shown.add_row(f"`{size['game']}`", *(f"{n:,}" for n in counts), memory)
    return markdown(shown)


def rules(game: str) -> str:
    """The rules, as the game's class states them."""
    text = type(load_game(game)).__doc__ or ""
    first, _, rest = text.partition("\n")
    return f"{first}\n{dedent(rest)}".strip()


def example(game: str, seed: str) -> str:
    """A random game in notation, and what its end looks like."""
    state, notation = load_game(game).playout(np.random.default_rng(int(seed)))
    return f"```\n{notation}\n\n{state.render()}\n```"


def convergence(*algorithms: str) -> str:
    """The exploitability that algorithms reach."""
    head = ["algorithm", "game", *(f"{count} iterations" for count in CHECKPOINTS)]
    rows = [f"| {' | '.join(head)} |", "| --- | --- | --: | --: | --: |"]
    for algorithm in algorithms:
        for game in CONVERGENCE:
            limits = Limits(iterations=CHECKPOINTS[-1])
            history = solve_tree(build_tree(load_game(game)), limits, algorithm=algorithm).history
            found = {point.iteration: point.exploitability for point in history}
            cells = " | ".join(f"{found[count]:.1e}" for count in CHECKPOINTS)
            rows.append(f"| `{algorithm}` | `{game}` | {cells} |")
    return "\n".join(rows)


def source(path: str) -> str:
    """A file, as code, without what is said to the linter."""
    lines = (DOCS / path).read_text().splitlines()
    return "\n".join(["```python", *(x for x in lines if not x.startswith("# ruff")), "```"])


def coin_toss_methods() -> str:
    """Every method on Coin Toss: the policy it gives, and what player 1's best response gets."""
    tree = build_tree(load_game("coin-toss"))
    assert tree.game.blueprint is not None
    blueprint = Blueprint(tree, written_policy(tree, tree.game.blueprint))
    view = BlueprintValues(blueprint, 1).at(tree.find("play"))
    rows = [
        "| method | guesses heads | tails | forfeits | margin of heads | of tails | "
        "player 1's best response gets |",
        "| --- | --: | --: | --: | --: | --: | --: |",
    ]
    for method in METHODS:
        found = solve_roots(tree, [view], method, SolveBudget(iterations=4000, double=True))
        written = found.written_into(tree, blueprint.policy)
        worth = evaluate(tree, written).best_response[0]
        cells = [*found.policy, *found.margins()[0], worth]
        # No -0.00: what is left of a margin that is none.
        shown = " | ".join(f"{round(cell, 2) + 0.0:.2f}" for cell in cells)
        rows.append(f"| `{method}` | {shown} |")
    return "\n".join(rows)


def kept(name: str) -> Any:
    """What a command has printed or kept; the page that shows it names the command."""
    rows = json.loads((DOCS / "results" / f"{name}.json").read_text())
    return [{key: value for key, value in row.items() if key != CHECKSUM} for row in rows]


def safe_table(game: str) -> str:
    """Every method over weak blueprints of a game, from the rows that `safe-tables` has kept."""
    rows = [row for row in kept("safe-tables") if row["game"] == game]
    shown = safe_tables.method_table(rows)
    shown.headers = (f"`{game}`, {len(rows)} blueprints", *shown.headers[1:])
    named = [
        (name if name == safe_tables.BLUEPRINT else f"`{name}`", *cells)
        for name, *cells in shown.rows
    ]
    shown.rows = named
    return markdown(shown)


def off_tree_table() -> str:
    """Answers to raises that a blueprint of Leduc does not know, from the same rows."""
    rows = [row for row in kept("safe-tables") if row["game"] == safe_tables.OFF_TREE_GAME]
    return markdown(safe_tables.off_tree_table(rows))


def bench_subgame() -> str:
    """What each method's gadget adds to an iteration, from what `bench subgame --json` printed."""
    text = ["| method | ratio |", "| --- | --: |"]
    for row in kept("bench-subgame"):
        text.append(f"| `{row['method']}` | {row['ratio']:.2f} |")
    return "\n".join(text)


def bench_scale() -> str:
    """What ReBeL's number of examples costs, from what `tacit bench scale --json` has printed."""
    rows = kept("bench-scale")
    (shown,) = Scale().tables(rows)
    cores = rows[0]["cores"]
    shown.headers = tuple(f"hours on {cores} cores" if h == "hours" else h for h in shown.headers)
    return markdown(shown)


def bench_holdem_values() -> str:
    """Errors of hold'em networks, from what `tacit bench holdem-values --json` has printed."""
    (shown,) = HoldemValues().tables(kept("bench-holdem-values"))
    return markdown(shown)


def bench_holdem_decisions() -> str:
    """Seconds of decisions, from what `tacit bench holdem-decisions --json` has printed."""
    (shown,) = HoldemDecisions().tables(kept("bench-holdem-decisions"))
    return markdown(shown)


def acpc_matches() -> str:
    """Matches through the dealer, from what `tacit acpc --json` has printed."""
    shown = Table(("agent", "hands", "mbb/h", "decisions", "made legal", "s a decision", "slowest"))
    for row in kept("acpc"):
        made = row["decisions"]
        shown.add_row(
            f"`{row['agent']}`",
            f"{row['hands']:,}",
            f"{row['mbb']:+,.0f} ± {row['error']:,.0f}",
            f"{made['count']:,}",
            f"{made['adjusted']}",
            f"{made['seconds'] / made['count']:.3f}",
            f"{made['slowest']:.3f}",
        )
    return markdown(shown)


def holdem_off_tree_table() -> str:
    """Answers to bets that a blueprint of a turn does not know."""
    text = ["| answer | exploitability in mbb/h |", "| --- | --: |"]
    for row in kept("holdem-off-tree"):
        text.append(f"| {row['answer']} | {row['exploitability_mbb']:,.2f} |")
    return "\n".join(text)


def holdem_table(*names: str) -> str:
    """Columns of `holdem-tables` side by side: mbb/h, and the share of the blueprint's, of each."""
    columns = [kept(name)[0] for name in names]
    heads = []
    for column in columns:
        settings = column["settings"]
        heads += [f"{settings['buckets']:,} buckets", "share", "paper", "share"]
    text = [f"| method | {' | '.join(heads)} |", f"| --- | {' | '.join('--:' for _ in heads)} |"]
    for lines in zip(*(column["rows"] for column in columns), strict=True):
        cells = []
        for row, column in zip(lines, columns, strict=True):
            first = column["rows"][0]
            for key in ("exploitability_mbb", "paper_mbb"):
                if row[key] is None:
                    cells += ["", ""]
                else:
                    cells += [f"{row[key]:,.2f}", f"{100 * row[key] / first[key]:.1f} %"]
        text.append(f"| {lines[0]['method']} | {' | '.join(cells)} |")
    for column in columns:
        if column["boards_solved"] != column["boards"]:
            raise ValueError("a table of an unfinished run")
    return "\n".join(text)


def holdem_differences(name: str) -> str:
    """How the game and the budget of a column differ from the paper's."""
    return "\n".join(f"- {line}" for line in kept(name)[0]["differences"])


def sog_safety() -> str:
    """Safe and unsafe play with an oracle at the leaves: mean, and range over seeds."""
    text = ["| game | simulations | safe | unsafe |", "| --- | --: | --: | --: |"]
    found = {(row["game"], row["simulations"], row["play"]): row for row in kept("sog-safety")}
    for game, count in dict.fromkeys(key[:2] for key in found):
        both = (found[game, count, play] for play in ("safe", "unsafe"))
        cells = (f"{row['mean']:.3f} ({row['min']:.3f} to {row['max']:.3f})" for row in both)
        text.append(f"| `{game}` | {count:,} | {' | '.join(cells)} |")
    return "\n".join(text)


def sog_leduc() -> str:
    """Exploitability of Student of Games in Leduc, and of IS-MCTS, from `sog-leduc`."""
    text = [
        "| search | epochs of training | simulations | mean | range | paper |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    for row in kept("sog-leduc"):
        cells = [row["search"], row["checkpoint"] or "", f"{row['simulations']:,}"]
        cells += [f"{row['mean']:,.0f}", f"{row['min']:,.0f} to {row['max']:,.0f}"]
        text.append(f"| {' | '.join(map(str, [*cells, row.get('paper') or '']))} |")
    return "\n".join(text)


def bench_sog() -> str:
    """Simulations a second of growing-tree CFR, from `tacit bench sog --json`."""
    text = [
        "| game | simulations | for each update | a second | µs each |",
        "| --- | --: | --: | --: | --: |",
    ]
    for row in kept("bench-sog"):
        cells = [f"`{row['game']}`", f"{row['simulations']:,}", f"{row['expansions']:g}"]
        cells += [f"{row['simulations_per_second']:,.0f}", f"{row['microseconds']:.0f}"]
        text.append(f"| {' | '.join(cells)} |")
    return "\n".join(text)


def sog_hidden() -> str:
    """Exploitability of Student of Games in other games with hidden information."""
    text = [
        "| game | epochs of training | simulations | seeds | mean | range |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    for row in kept("sog-glasses"):
        cells = [f"`{row['game']}`", row["checkpoint"], f"{row['simulations']:,}", row["seeds"]]
        cells += [f"{row['mean']:.4f}", f"{row['min']:.4f} to {row['max']:.4f}"]
        text.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(text)


def sog_boards() -> str:
    """Points of Student of Games against other engines on boards, from `sog-boards`."""
    text = [
        "| game | epochs of training | opponent | simulations | games | score | as player 1, 2 |",
        "| --- | --: | --- | --: | --: | --: | --: |",
    ]
    for row in kept("sog-boards"):
        if row["elo"] is None and row["opponent"].split(":")[0] not in ("sog", "puct"):
            cells = [f"`{row['game']}`", row["checkpoint"], row["opponent"], row["simulations"]]
            cells += [row["games"] or "", f"{row['score']:.2f} ± {row['error']:.2f}"]
            cells += [f"{row['first']:.2f}, {row['second']:.2f}"]
            text.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(text)


def sog_elo() -> str:
    """Elo by simulations of GT-CFR and of MCTS with the same network, from `sog-boards`."""
    rated = [row for row in kept("sog-boards") if row["elo"] is not None]
    steps = sorted({row["simulations"] for row in rated})
    text = [
        f"| game | search | {' | '.join(f's = {step}' for step in steps)} |",
        f"| --- | --- |{' --: |' * len(steps)}",
    ]
    for game, search in dict.fromkeys((row["game"], row["search"]) for row in rated):
        own = {
            r["simulations"]: r["elo"] for r in rated if (r["game"], r["search"]) == (game, search)
        }
        text.append(f"| `{game}` | {search} | {' | '.join(f'{own[s]:.0f}' for s in steps)} |")
    return "\n".join(text)


def rebel_table2() -> str:
    """Exploitability of search with trained networks, from the rows of `rebel-table2`."""
    names = {
        "rebel-cfr-d": "CFR-D",
        "rebel-fp": "FP",
        "rebel-cfr-avg": "CFR-AVG, sound",
        "rebel-play": "`tacit play`",
    }
    head = ("game", "search", "mean", "range", "networks", "seeds", "paper's form", "paper")
    shown = Table(head, text_columns=2)
    for row in rebel_summaries(kept("rebel-table2")):
        if row["algorithm"] in names and row["mean"] is not None:
            shown.add_row(
                f"`{row['game']}`", names[row["algorithm"]], f"{row['mean']:.4f}",
                f"{row['min']:.4f} to {row['max']:.4f}", f"{row['networks']}", f"{row['seeds']}",
                f"{row['sampled_mean']:.4f}" if row["sampled_mean"] else "not measured",
                f"{row['paper']}" if row["paper"] else "",
            )  # fmt: skip
    return markdown(shown)


def rebel_holdem() -> str:
    """The rows of `rebel-holdem`."""
    text = [
        "| agent | opponent | hands | seed | mbb/h | ± | 95 % interval | without AIVAT |",
        "| --- | --- | --: | --: | --: | --: | --: | --: |",
    ]
    for row in kept("rebel-holdem"):
        cells = [f"`{row['agent']}`", f"`{row['opponent']}`", f"{row['hands']:,}", f"{row['seed']}"]
        cells += [f"{row['mbb']:+,.0f}", f"{row['error']:,.0f}"]
        cells += [f"{row['low']:+,.0f} to {row['high']:+,.0f}"]
        cells += [f"{row['plain']:+,.0f} ± {row['plain_error']:,.0f}"]
        text.append(f"| {' | '.join(cells)} |")
    return "\n".join(text)


def rebel_ablations() -> str:
    """The rows of `rebel-ablations`."""
    text = [
        "| game | search | exploitability | whole game, solved alike |",
        "| --- | --- | --: | --: |",
    ]
    for row in kept("rebel-ablations"):
        whole = f"{row['full_game']:.4f}" if "full_game" in row else ""
        text.append(
            f"| `{row['game']}` | {row['algorithm']} | {row['exploitability']:.4f} | {whole} |"
        )
    return "\n".join(text)


def rebel_teh() -> str:
    """Search with learned networks in turn endgame hold'em, from the rows of `rebel-teh`."""

    def cell(row: dict[str, Any], name: str) -> str:
        if row[name] is None:
            return ""
        least, most = (row.get(f"{name}_{end}", row[name]) for end in ("least", "most"))
        spread = f" ({least:,.0f} to {most:,.0f})" if least < most else ""
        return f"{row[name]:,.0f}{spread}"

    text = [
        f"| iterations | {' | '.join(name.replace('_', ' ') for name in TURN_COLUMNS)} |",
        f"| --: |{' --: |' * len(TURN_COLUMNS)}",
    ]
    for row in kept("rebel-teh"):
        cells = " | ".join(cell(row, name) for name in TURN_COLUMNS)
        text.append(f"| {row['iterations']:,} | {cells} |")
    return "\n".join(text)


def rl_cfr() -> str:
    """Chosen sizes beside fixed ones, from the rows that `reproduce rl-cfr` has kept."""
    [shown] = RLCFR().tables(kept("rl-cfr"))
    return markdown(shown)


def signature(name: str, made: Any) -> str:
    """How a function or class is called, a line for each parameter if one line is too long."""
    found = inspect.signature(made)
    words, marked = [], False
    for part in found.parameters.values():
        if part.kind is part.KEYWORD_ONLY and not marked:
            words.append("*")
            marked = True
        stars = {part.VAR_POSITIONAL: "*", part.VAR_KEYWORD: "**"}.get(part.kind, "")
        kind = "" if part.annotation is part.empty else f": {annotation(part.annotation)}"
        value = getattr(part.default, "__name__", repr(part.default))
        default = "" if part.default is part.empty else f" = {value}"
        words.append(f"{stars}{part.name}{kind}{default}")
    answer = "" if inspect.isclass(made) else f" -> {annotation(found.return_annotation)}"
    line = f"{name}({', '.join(words)}){answer}"
    if len(line) <= 100:
        return line
    return "\n".join([f"{name}(", *(f"    {word}," for word in words), f"){answer}"])


def annotation(given: Any) -> str:
    """A type as it is written."""
    return given if isinstance(given, str) else getattr(given, "__name__", str(given))


def described(name: str, thing: Any, *, whole: bool) -> str:
    """One entry of the reference: a name, how it is called, the first paragraph about it or all."""
    about = inspect.cleandoc(thing.__doc__ or "")
    about = about if whole else about.split("\n\n")[0]
    if inspect.isclass(thing) and (
        issubclass(thing, Enum | Exception)
        or inspect.isabstract(thing)
        or getattr(thing, "_is_protocol", False)
    ):
        return f"### {name}\n\n{about}"
    calls = "\n".join(signature(name, form) for form in get_overloads(thing) or [thing])
    return f"### {name}\n\n```python\n{calls}\n```\n\n{about}"


def reference(module: str) -> str:
    """Every public function and class of a module that `tacit` itself does not offer."""
    room = import_module(module)
    names = getattr(room, "__all__", None) or [
        name
        for name, thing in vars(room).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == module
    ]
    things = {name: getattr(room, name) for name in names}
    offered = [] if module == "tacit" else [getattr(tacit, name) for name in tacit.__all__]
    return "\n\n".join(
        described(name, thing, whole=module in ("tacit", "tacit.agents"))
        for name, thing in things.items()
        if (inspect.isclass(thing) or inspect.isfunction(thing))
        and not any(thing is known for known in offered)
    )


KINDS: dict[str, Callable[..., str]] = {
    "sizes": sizes,
    "rules": rules,
    "example": example,
    "convergence": convergence,
    "coin-toss-methods": coin_toss_methods,
    "source": source,
    "safe-table": safe_table,
    "off-tree-table": off_tree_table,
    "bench-sog": bench_sog,
    "bench-subgame": bench_subgame,
    "bench-scale": bench_scale,
    "bench-holdem-values": bench_holdem_values,
    "bench-holdem-decisions": bench_holdem_decisions,
    "acpc-matches": acpc_matches,
    "holdem-off-tree-table": holdem_off_tree_table,
    "holdem-table": holdem_table,
    "holdem-differences": holdem_differences,
    "rebel-table2": rebel_table2,
    "rebel-teh": rebel_teh,
    "sog-boards": sog_boards,
    "sog-elo": sog_elo,
    "sog-hidden": sog_hidden,
    "sog-leduc": sog_leduc,
    "rl-cfr": rl_cfr,
    "sog-safety": sog_safety,
    "rebel-ablations": rebel_ablations,
    "rebel-holdem": rebel_holdem,
    "reference": reference,
}


def generated(text: str) -> str:
    """A page with its generated parts made anew."""

    def replace(match: re.Match[str]) -> str:
        kind, *arguments = match[2].split()
        return f"{match[1]}{KINDS[kind](*arguments)}\n{match[3]}"

    return BLOCK.sub(replace, text)


def same(old: str, new: str) -> bool:
    """Whether two pages agree, measurements to a factor of two."""
    if MEASURED.sub("", old) != MEASURED.sub("", new):
        return False
    pairs = zip(MEASURED.findall(old), MEASURED.findall(new), strict=True)
    return all(0.5 <= float(a) / float(b) <= 2 for a, b in pairs)


def main() -> int:
    """Write the pages that are stale, or with `--check` name them."""
    check = "--check" in sys.argv[1:]
    stale = []
    for page in PAGES:
        old = page.read_text()
        new = generated(old)
        if not same(old, new):
            stale.append(str(page.relative_to(DOCS.parent)))
            if not check:
                page.write_text(new)
    if stale:
        print(f"{'stale' if check else 'written'}: {', '.join(stale)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
