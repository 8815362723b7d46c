"""Go engines that speak GTP, as agents: GnuGo and others run as a subprocess.

The protocol is GTP 2 (Farnebäck 2002). An engine that is missing, crashes, is too slow or answers
nonsense is an `EngineError` of one line.
"""

from __future__ import annotations

import queue
import re
import shlex
import shutil
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.boards.go import Go, GoState
from tacit.tree import Builder, PublicState
from tacit.tree.open import OpenState

Array = NDArray[Any]

SECONDS = 60.0
"""The longest time that an engine may take for an answer."""
GAME_FOLDERS = "/usr/games:/usr/local/games"
"""Where Debian puts GnuGo, in addition to the user's PATH."""
GNUGO = "gnugo --mode gtp --chinese-rules --positional-superko --never-resign"
INSTALL = {"gnugo": "install it with: apt-get install gnugo"}
CLEANUP = "kgs-genmove_cleanup"
"""GnuGo's command for a move that captures dead stones before it passes."""
COLOURS = "BW"
_MARK = re.compile(r"[=?]\d*")


class EngineError(GameError):
    """An engine that is missing, has died, is too slow, or answers what it should not."""


class GTPEngine:
    """A subprocess that speaks GTP; it ends with `close`, or at the end of a `with`."""

    def __init__(self, command: str | Sequence[str], *, seconds: float = SECONDS) -> None:
        words = shlex.split(command) if isinstance(command, str) else list(command)
        if not words:
            raise EngineError("the command of the engine is empty; write it as 'gtp:gnugo ...'")
        self.name = words[0]
        self.seconds = seconds
        path = shutil.which(words[0]) or shutil.which(words[0], path=GAME_FOLDERS)
        if path is None:
            hint = INSTALL.get(words[0], "install it, or give its path")
            raise EngineError(f"the engine {words[0]!r} is not installed; {hint}")
        try:
            self._process = subprocess.Popen(
                [path, *words[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                errors="replace",
            )
        except OSError as error:
            raise EngineError(f"the engine {self.name!r} cannot run: {error.strerror}") from None
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> GTPEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with suppress(ValueError):  # closed while it is read
            for line in self._process.stdout:
                self._lines.put(line.rstrip("\r\n"))
        self._lines.put(None)

    def send(self, command: str) -> str:
        """The answer to a command, without its `=`; EngineError if the engine refuses it."""
        first, *more = self.ask(command)
        said = _MARK.sub("", first).strip()
        if first.startswith("?"):
            raise EngineError(f"{self.name} refuses {command!r}: {said or 'no reason given'}")
        return "\n".join([said, *more]).strip()

    def ask(self, command: str) -> list[str]:
        """The lines of an answer, of which the first begins with `=` or `?`."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._ended(command) from None
        lines: list[str] = []
        while True:
            try:
                line = self._lines.get(timeout=self.seconds)
            except queue.Empty:
                self.close()
                raise EngineError(
                    f"{self.name} gave no answer to {command!r} within {self.seconds:g} s"
                ) from None
            if line is None:
                raise self._ended(command)
            if not line.strip():
                if lines:
                    return lines
                continue
            if not lines and line[0] not in "=?":
                self.close()
                raise EngineError(f"{self.name} answers {command!r} with nonsense: {line[:60]!r}")
            lines.append(line)

    def _ended(self, command: str) -> EngineError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1)
        code = self._process.poll()
        self.close()
        return EngineError(f"{self.name} has ended at {command!r} (exit code {code})")

    def close(self) -> None:
        """End the process."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


class _Memory(NamedTuple):
    """A public state, and the seed of the engine's choices in this game."""

    state: PublicState
    seed: int


class GTPAgent:
    """Plays what an engine answers to genmove; it may be asked about many games in turn.

    The engine starts at its first move, and anew after it has died. All stones on the board count
    at the end of our games, so an engine that can clean up captures dead stones before it passes.
    A resignation is played as a pass.
    """

    def __init__(
        self, builder: Builder, command: str | Sequence[str], *, seconds: float = SECONDS
    ) -> None:
        if not isinstance(builder.game, Go):
            raise GameError(f"GTP engines play Go, not {builder.game.name}; take go-7x7")
        self.builder = builder
        self.rules = builder.game.rules
        self.command = command
        self.seconds = seconds
        self._engine: GTPEngine | None = None
        self._known: frozenset[str] = frozenset()
        self._played: tuple[int, ...] = ()

    def close(self) -> None:
        """End the engine."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def begin(self, seats: Sequence[int], random: np.random.Generator) -> list[_Memory]:
        """At the root, with a seed for each game."""
        return [_Memory(self.builder.root, int(random.integers(2**30))) for _ in seats]

    def policies(self, memories: Sequence[_Memory]) -> list[Array]:
        """Probability one for the engine's move."""
        try:
            return [self._policy(memory) for memory in memories]
        except BaseException:
            self.close()
            raise

    def after(self, memories: Sequence[_Memory], transitions: Sequence[int]) -> list[_Memory]:
        """The next public states."""
        return [
            memory._replace(state=memory.state.expansion.transitions[number].child)
            for memory, number in zip(memories, transitions, strict=True)
        ]

    def model(self) -> GTPAgent:
        """An agent with an engine of its own."""
        return GTPAgent(self.builder, self.command, seconds=self.seconds)

    def _policy(self, memory: _Memory) -> Array:
        state = memory.state
        assert isinstance(state, OpenState)
        world = state.sample
        assert isinstance(world, GoState)
        actions = world.actions()
        policy = np.zeros((len(actions), 1))
        policy[actions.index(self._choose(world, memory.seed))] = 1
        return policy

    def _choose(self, world: GoState, seed: int) -> int:
        """The engine's move, one of the legal actions."""
        engine = self._at(world.history())
        if "set_random_seed" in self._known:
            engine.send(f"set_random_seed {seed}")
        colour = COLOURS[world.player]
        answer = engine.send(f"genmove {colour}").lower()
        if answer == "pass" and CLEANUP in self._known:
            engine.send("undo")
            answer = engine.send(f"{CLEANUP} {colour}").lower()
        label = "pass" if answer == "resign" else answer
        names = {world.label(action).lower(): action for action in world.actions()}
        if label not in names:
            raise EngineError(
                f"{engine.name} answers genmove with {answer[:20]!r}, which is not possible here"
            )
        self._played = (*world.history(), names[label])
        if answer == "resign":
            self._played = ()
        return names[label]

    def _at(self, history: tuple[int, ...]) -> GTPEngine:
        """The engine, with these moves on its board."""
        engine, rules = self._engine, self.rules
        if engine is None:
            engine = self._engine = GTPEngine(self.command, seconds=self.seconds)
            self._known = frozenset(engine.send("list_commands").split())
            engine.send(f"boardsize {rules.size}")
            self._played = (-1,)
        if history[: len(self._played)] != self._played or not self._played:
            engine.send("clear_board")
            engine.send(f"komi {rules.komi:g}")
            self._played = ()
        for number in range(len(self._played), len(history)):
            engine.send(f"play {COLOURS[number % 2]} {rules.label(history[number])}")
        self._played = history
        return engine


def gnugo(builder: Builder, level: int = 10, *, seconds: float = SECONDS) -> GTPAgent:
    """GnuGo at a level from 1 to 10 or more."""
    return GTPAgent(builder, f"{GNUGO} --level {level}", seconds=seconds)
