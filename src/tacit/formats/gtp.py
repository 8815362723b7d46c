"""An agent as a Go engine: GTP 2 (Farnebäck 2002) on lines of text, for Sabaki and other programs.

Our games alternate colours, so a move out of turn is preceded by a pass of the other colour.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tacit import __version__
from tacit.agents.agent import Agent
from tacit.games import TERMINAL, GameError
from tacit.games.boards.go import LARGEST, SMALLEST, Go, GoState
from tacit.tree import Builder
from tacit.tree.playing import draw

COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
_LINE = re.compile(r"(\d*)\s*(\S+)\s*(.*)")


class GTPServer:
    """Answers GTP commands; `make_agent` gives the agent of a game, and the game may change."""

    def __init__(
        self, game: Go, make_agent: Callable[[Builder], Agent], *, seed: int | None = None
    ) -> None:
        self.make_agent = make_agent
        self.random = np.random.default_rng(seed)
        self.running = True
        self.komi: float | None = None
        """As given by a command; until then it is the default of the size."""
        self.commands: dict[str, Callable[..., str]] = {
            "protocol_version": lambda: "2",
            "name": lambda: "tacit",
            "version": lambda: __version__,
            "known_command": lambda name="": str(name in self.commands).lower(),
            "list_commands": lambda: "\n".join(self.commands),
            "quit": self._quit,
            "boardsize": self._boardsize,
            "clear_board": lambda: self._restart(self.game),
            "komi": self._komi,
            "play": self._play,
            "genmove": self._genmove,
            "undo": self._undo,
            "final_score": self._final_score,
            "showboard": lambda: "\n" + self.world.render(),
            "time_settings": lambda *_: "",
            "time_left": lambda *_: "",
        }
        self._restart(game)

    @property
    def world(self) -> GoState:
        """The position on the board."""
        return self.worlds[-1]

    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        """The answer to each command, an empty line at its end; `quit` is the last."""
        for line in lines:
            answer = self.answer(line)
            if answer is not None:
                yield answer
            if not self.running:
                return

    def answer(self, line: str) -> str | None:
        """The answer to one line; None if it has no command."""
        text = "".join(c if c >= " " else " " for c in line.partition("#")[0].replace("\t", " "))
        match = _LINE.fullmatch(text.strip())
        if match is None:
            return None
        number, name, rest = match.groups()
        try:
            command, words = self.commands.get(name), rest.split()
            if command is None:
                raise GameError("unknown command")
            if not _takes(command, words):
                raise GameError("syntax error")
            return f"={number} {command(*words)}".rstrip(" ") + "\n\n"
        except GameError as error:
            return f"?{number} {' '.join(str(error).split())}\n\n"

    def _quit(self) -> str:
        self.running = False
        return ""

    def _restart(self, game: Go) -> str:
        self.game = game
        self.worlds = [game.initial()]
        self.builder = Builder(game)
        self.agent: Agent | None = None
        self.memories: dict[int, list[Any]] = {}
        return ""

    def _boardsize(self, text: str) -> str:
        if not text.isdecimal() or not SMALLEST <= int(text) <= LARGEST:
            raise GameError("unacceptable size")
        size = int(text)
        possible = self.komi is not None and abs(self.komi) <= size**2
        return self._restart(Go(size, komi=self.komi if possible else None))

    def _komi(self, text: str) -> str:
        try:
            komi = float(text)
        except ValueError:
            raise GameError("syntax error") from None
        if not abs(komi) <= self.game.rules.points:
            raise GameError("unacceptable komi")
        moves = self.world.history()
        self._restart(Go(self.game.rules.size, komi=komi))
        self.komi = komi
        for action in moves:
            self.worlds.append(self.world.child(action))
        return ""

    def _play(self, colour: str, vertex: str) -> str:
        worlds = self._turn(colour)
        names = {worlds[-1].label(action).lower(): action for action in worlds[-1].actions()}
        if vertex.lower() not in names:
            raise GameError("illegal move")
        self.worlds = [*worlds, worlds[-1].child(names[vertex.lower()])]
        return ""

    def _turn(self, colour: str) -> list[GoState]:
        """The positions so far with `colour` to move, after a pass of the other one if need be."""
        seat = COLOURS.get(colour.lower())
        if seat is None:
            raise GameError("invalid color")
        if self.world.player == TERMINAL:
            raise GameError("illegal move: the game is over")
        if self.world.player == seat:
            return self.worlds
        after = self.world.child(self.game.rules.points)
        if after.player == TERMINAL:
            raise GameError("illegal move: it is the turn of the other color")
        return [*self.worlds, after]

    def _genmove(self, colour: str) -> str:
        if self.world.player == TERMINAL and colour.lower() in COLOURS:
            return "pass"
        self.worlds = self._turn(colour)
        world = self.world
        if self.agent is None:
            self.agent = self.make_agent(self.builder)
        [policy] = self.agent.policies([self._memory(self.agent, world.player)])
        action = world.actions()[draw(policy[:, 0], self.random)]
        self.worlds.append(world.child(action))
        return world.label(action)

    def _memory(self, agent: Agent, seat: int) -> Any:
        """The agent's memory as `seat` of the moves on the board; earlier ones are kept."""
        if seat not in self.memories:
            self.memories[seat] = agent.begin([seat], self.random)
        kept = self.memories[seat]
        for world, after in zip(
            self.worlds[len(kept) - 1 :], self.worlds[len(kept) :], strict=False
        ):
            kept += agent.after([kept[-1]], [world.actions().index(after.history()[-1])])
        return kept[-1]

    def _undo(self) -> str:
        if len(self.worlds) == 1:
            raise GameError("cannot undo")
        self.worlds.pop()
        for kept in self.memories.values():
            del kept[len(self.worlds) :]
        return ""

    def _final_score(self) -> str:
        lead = self.world.area_score() - self.game.rules.komi
        return "0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"


def _takes(command: Callable[..., str], words: list[str]) -> bool:
    """Whether a command takes these arguments."""
    try:
        inspect.signature(command).bind(*words)
    except TypeError:
        return False
    return True
