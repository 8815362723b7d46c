"""The command `tacit`: one file a command, thin.

Commands import what they need when they run, so that help and lists come at once.
"""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from tacit import __version__
from tacit.report.table import printable
from tacit.steps import listening

INTERRUPTED = 130
LONGEST = 1000
"""Characters of an error; of a longer one the middle is left out."""
BUG = 70
"""The exit code of a defect in tacit itself (EX_SOFTWARE)."""


class LazyGroup(click.Group):
    """A group of commands that are imported when they are called.

    members: by command name, "module:attribute" (or "module", if the names are the same) in the
    package `room`, and its line in the list.
    `make` turns what was imported into a command.
    """

    def __init__(
        self,
        name: str,
        members: Mapping[str, tuple[str, str]],
        *,
        room: str,
        make: Callable[[str, Any], click.Command] = lambda name, found: found,
        **options: Any,
    ) -> None:
        super().__init__(name, **options)
        self.members = members
        self.room = room
        self.make = make

    def list_commands(self, context: click.Context) -> list[str]:
        """The names, in the order of the mapping."""
        return list(self.members)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of that name."""
        if name not in self.members:
            return None
        module, _, attribute = self.members[name][0].partition(":")
        found = getattr(import_module(f"{self.room}.{module}"), attribute or module)
        return self.make(name, found)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `--help`, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.members.items()])


class _OneLineErrors(LazyGroup):
    """A group whose errors are one line on standard error and a non-zero exit."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        _prepare_streams()
        try:
            with listening(_show_step):
                code = super().main(*args, **kwargs)
            sys.stdout.flush()
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            code = 0
        except click.UsageError as error:
            context = error.ctx.command_path if error.ctx else "tacit"
            _fail(f"{error.format_message()} (see `{context} --help`)", code=2)
        except (KeyboardInterrupt, click.Abort):
            _fail("interrupted", code=INTERRUPTED)
        except BrokenPipeError:  # the reader of our output has stopped
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 1
        except click.ClickException as error:
            _fail(str(error))
        except OSError as error:
            _fail(f"{error.filename or 'input or output'}: {error.strerror or error}")
        except (MemoryError, RecursionError) as error:
            _fail(f"the game is too large for this machine ({type(error).__name__})")
        except Exception as error:
            from tacit.games import GameError

            if not isinstance(error, GameError):
                _report_bug(error)
            _fail(str(error))
        sys.exit(code if isinstance(code, int) else 0)


PLAIN = {"·": ".", "±": "+-", "…": "...", "²": "^2"}
"""What stands for characters on a terminal that does not know them."""


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that a stream cannot encode."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    escaped = (PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in text)
    return "".join(escaped), error.end


def _prepare_streams() -> None:
    """Make standard streams that are closed or do not know every character usable."""
    codecs.register_error("tacit", _plain)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="tacit")
    closed = sys.stdout is None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # else the next file that is opened would be the stream
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115
    if closed:
        _fail("standard output is closed; send it to /dev/null if it is not needed")


def _show_step(text: str, count: int | None) -> None:
    """Show a long step of the library on standard error."""
    from tacit.cli.progress import STEPS

    STEPS(text, count)


def _report_bug(error: Exception) -> NoReturn:
    """What a report of a defect needs: where it happened, in which version, in which command."""
    import platform
    import shlex
    import traceback

    click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    words = shlex.join(sys.argv[1:])[:500]
    click.echo(
        f"tacit {__version__}, Python {platform.python_version()}, {platform.platform()}", err=True
    )
    click.echo(f"command: tacit {words}", err=True)
    _fail(
        f"this is a defect of tacit ({type(error).__name__}); please report the lines above",
        code=BUG,
    )


def _fail(message: str, *, code: int = 1) -> NoReturn:
    line = printable(" ".join(message.split()))
    if len(line) > LONGEST:
        line = f"{line[: LONGEST // 2]} ... {line[-LONGEST // 2 :]}"
    click.echo(f"tacit: error: {line}", err=True)
    sys.exit(code)


COMMANDS = {
    "games": ("games", "List the games and their sizes."),
    "solve": ("solve", "Solve a game."),
    "exploitability": ("exploitability", "Compute the exploitability of a saved solution again."),
    "show": ("show", "Walk through a solution."),
    "play": ("play", "Play against a trained network or a solution."),
    "blueprint": ("blueprint", "Solve an abstraction of a game."),
    "subgame": ("subgame", "Solve subgames of a blueprint again."),
    "spot": ("holdem.spot:spot", "Solve a spot of heads-up hold'em."),
    "equity": ("holdem.equity:equity", "The equity of two hands or ranges."),
    "range": ("holdem.range:range_command", "Count and draw a range."),
    "train": ("train", "Learn a value network by self-play."),
    "evaluate": ("evaluate", "Measure a trained network's search."),
    "match": ("match", "Let two agents play each other."),
    "acpc": ("holdem.acpc:acpc", "Play hold'em at an ACPC dealer."),
    "slumbot": ("holdem.slumbot:slumbot", "Play hold'em by Slumbot's protocol."),
    "hands": ("holdem.hands:hands", "Read hands of hold'em: ACPC logs and PHH."),
    "gtp": ("gtp", "Play Go as an engine, for programs such as Sabaki."),
    "bench": ("experiment:bench", "Measure speed, memory and convergence."),
    "reproduce": (
        "experiment:reproduce",
        "Compute tables and figures of the papers, beside theirs.",
    ),
    "warm-up": (
        "warm_up",
        "Compile the kernels now, so that the first solve is as quick as later ones.",
    ),
}


def _root(context: click.Context) -> None:
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


tacit = _OneLineErrors(
    "tacit",
    COMMANDS,
    room="tacit.cli",
    callback=click.pass_context(_root),
    help="Solve and play two-player zero-sum games with hidden information.",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
click.version_option(__version__, prog_name="tacit")(tacit)


def main() -> NoReturn:
    """The entry point of the command `tacit`."""
    tacit.main(prog_name="tacit")
