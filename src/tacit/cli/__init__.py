"""The command `tacit`: one file a command, thin.

Commands import what they need when they run, so that help and lists come at once.
"""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

import click

from tacit import __version__
from tacit.cli.bench import bench
from tacit.cli.blueprint import blueprint
from tacit.cli.equity import equity
from tacit.cli.evaluate import evaluate
from tacit.cli.exploitability import exploitability
from tacit.cli.games import games
from tacit.cli.play import play
from tacit.cli.range import range_command
from tacit.cli.reproduce import reproduce
from tacit.cli.show import show
from tacit.cli.solve import solve
from tacit.cli.spot import spot
from tacit.cli.subgame import subgame
from tacit.cli.train import train
from tacit.cli.warm_up import warm_up
from tacit.games import GameError

INTERRUPTED = 130


class _OneLineErrors(click.Group):
    """A group whose errors are one line on standard error and a non-zero exit."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        try:
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
        except BrokenPipeError:  # whoever read our output has stopped; there is nobody to tell
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 1
        except (GameError, click.ClickException) as error:
            _fail(str(error))
        except OSError as error:
            _fail(f"{error.filename or 'input or output'}: {error.strerror or error}")
        except (MemoryError, RecursionError) as error:
            _fail(f"the game is too large for this machine ({type(error).__name__})")
        sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str, *, code: int = 1) -> NoReturn:
    line = " ".join(message.split())
    click.echo(f"tacit: error: {line}", err=True)
    sys.exit(code)


@click.group(
    cls=_OneLineErrors,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="tacit")
@click.pass_context
def tacit(context: click.Context) -> None:
    """Solve and play two-player zero-sum games with hidden information."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (
    games,
    solve,
    exploitability,
    show,
    play,
    blueprint,
    subgame,
    spot,
    equity,
    range_command,
    train,
    evaluate,
    bench,
    reproduce,
    warm_up,
):
    tacit.add_command(command)


def main() -> NoReturn:
    """The entry point of the command `tacit`."""
    tacit.main(prog_name="tacit")
