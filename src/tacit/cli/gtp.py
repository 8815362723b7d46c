"""`tacit gtp`: an agent as a Go engine on standard input and output."""

from __future__ import annotations

import click


@click.command()
@click.option("--agent", default="puct:200", show_default=True, help="Who plays.")
@click.option(
    "--size",
    type=click.IntRange(5, 9),
    default=7,
    show_default=True,
    help="Of the board, until a program sets it.",
)
@click.option("--seed", type=click.IntRange(min=0), help="Of the agent's choices.")
def gtp(*, agent: str, size: int, seed: int | None) -> None:
    """Play Go by the protocol GTP 2, for programs such as Sabaki.

    AGENT is a trained network, `uniform`, `puct:200` (our MCTS with random playouts and this many
    simulations a move), `mcts:1000` (OpenSpiel's), `gnugo:10`, or 'gtp:COMMAND'.
    """
    import sys

    from tacit.agents.named import find_agent
    from tacit.formats.gtp import GTPServer
    from tacit.games.go import Go
    from tacit.tree import Builder

    game = Go(size)
    find_agent(agent, Builder(game))  # a wrong name is refused at once
    server = GTPServer(game, lambda builder: find_agent(agent, builder), seed=seed)
    for answer in server.answers(sys.stdin):
        sys.stdout.write(answer)
        sys.stdout.flush()
