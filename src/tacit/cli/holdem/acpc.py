"""`tacit acpc`: a player of hold'em at an ACPC dealer."""

from __future__ import annotations

from pathlib import Path

from tacit.cli.options import command
from tacit.report.experiment import option

LOG_HELP = "Keep the hands in NAME.log (as the dealer's) and NAME.phhs."


@command
def acpc(
    host: str,
    port: int,
    *,
    agent: str = option("always-call", "Who plays."),
    game: Path | None = option(
        None, "The dealer's game definition.  [blinds 50 and 100, stacks 20,000]", metavar="FILE"
    ),
    hands: int | None = option(None, "How many are expected; fewer are an error.", least=1),
    log: Path | None = option(None, LOG_HELP, metavar="NAME"),
    resume: bool = option(False, "Add to the log of a match that the dealer resumes."),
    patience: float = option(1200.0, "The longest silence of the dealer, in s.", least=0.1),
    wait: float = option(10.0, "For a dealer who does not listen yet, in s.", least=0),
    seed: int = option(0, "Of the player's choices.", least=0),
    as_json: bool,
) -> None:
    """Play heads-up no-limit hold'em at the dealer that listens at HOST and PORT.

    The dealer is the University of Alberta's, of the Annual Computer Poker Competition. AGENT
    is a player by name, such as always-call; a wrong name lists them.

    The match ends when the dealer hangs up between two hands.
    """
    from tacit.agents.holdem.named import find_player
    from tacit.cli.holdem.hands import show_match
    from tacit.cli.progress import counting
    from tacit.formats.acpc.client import TablePlayer, play_at
    from tacit.formats.acpc.protocol import load_game_definition
    from tacit.formats.match_log import MatchRecord, saying_what_is_kept

    rules, player = load_game_definition(game), find_player(agent)
    with MatchRecord(log, rules, f"acpc {agent} seed {seed}", resume=resume) as record:
        table = TablePlayer(player, agent, rules, record, seed=seed)
        with (
            counting(agent, hands, "hands", visible=not as_json) as each,
            saying_what_is_kept(record),
        ):
            play_at(host, port, table, hands=hands, patience=patience, wait=wait, each=each)
    show_match(record, agent, table.decisions, as_json=as_json)
