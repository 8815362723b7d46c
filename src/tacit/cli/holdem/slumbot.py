"""`tacit slumbot`: a player of hold'em against a server that speaks Slumbot's protocol."""

from __future__ import annotations

from pathlib import Path

from tacit.cli.holdem.acpc import LOG_HELP
from tacit.cli.options import command
from tacit.report.experiment import option


@command
def slumbot(
    *,
    hands: int = option(100, "How many are played in all.", least=1),
    agent: str = option("always-call", "Who plays."),
    url: str = option("https://slumbot.com/api", "Where new_hand and act are."),
    log: Path | None = option(None, LOG_HELP, metavar="NAME"),
    resume: bool = option(False, "Resume the match in that log."),
    patience: float = option(60.0, "The longest wait for an answer, in s.", least=0.1),
    seed: int = option(0, "Of the player's choices.", least=0),
    as_json: bool,
) -> None:
    """Play heads-up no-limit hold'em against Slumbot, or a server of the same protocol.

    Blinds are 50 and 100, stacks 20,000 in every hand. AGENT is a player by name, such as
    always-call; a wrong name lists them. A hand that is interrupted is not kept.
    """
    from tacit.agents.holdem.named import find_player
    from tacit.cli.holdem.hands import show_match
    from tacit.cli.progress import counting
    from tacit.formats.match_log import MatchRecord, saying_what_is_kept
    from tacit.formats.slumbot import RULES, SlumbotClient

    player = find_player(agent)
    with MatchRecord(log, RULES, f"slumbot {agent} seed {seed}", resume=resume) as record:
        client = SlumbotClient(player, agent, record, url=url, seconds=patience, seed=seed)
        with (
            counting(agent, hands, "hands", visible=not as_json) as each,
            saying_what_is_kept(record),
        ):
            client.play(hands, each)
    show_match(record, agent, client.decisions, as_json=as_json)
