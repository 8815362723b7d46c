"""How tests call commands."""

from __future__ import annotations

from click.testing import CliRunner

from tacit.cli import tacit


def call(*words, given=None):
    """The exit code, standard output and standard error of a command."""
    done = CliRunner().invoke(tacit, [str(word) for word in words], input=given)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def fails(*words, code=1):
    """The one line that a command says before it exits with `code`."""
    found, _, errors = call(*words)
    lines = [line for line in errors.splitlines() if line.startswith("tacit:")]
    assert found == code
    assert len(lines) == 1
    assert "Traceback" not in errors
    return lines[0].removeprefix("tacit: error: ")
