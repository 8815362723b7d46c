"""`tacit gtp`: an agent as a Go engine on standard input and output."""

from __future__ import annotations

from tacit.cli.options import command
from tacit.report.experiment import option


@command
def gtp(
    *,
    agent: str = option("puct:200", "Who plays."),
    size: int = option(7, "Of the board, until a program sets it.", least=5, most=9),
    seed: int | None = option(None, "Of the agent's choices.", least=0),
) -> None:
    """Play Go by the protocol GTP 2, for programs such as Sabaki.

    AGENT is a trained network, `uniform`, `puct:200` (our MCTS with random playouts and this many
    simulations a move), `mcts:1000` (OpenSpiel's), `gnugo:10`, or 'gtp:COMMAND'.
    """
    import sys

    from tacit.agents.named import find_agent
    from tacit.formats.gtp import GTPServer
    from tacit.games.boards.go import Go
    from tacit.tree import Builder

    game = Go(size)
    find_agent(agent, Builder(game))  # a wrong name is refused at once
    server = GTPServer(game, lambda builder: find_agent(agent, builder), seed=seed)
    for answer in server.answers(sys.stdin):
        sys.stdout.write(answer)
        sys.stdout.flush()
