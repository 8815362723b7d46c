"""Groups whose commands are imported when they are called, so that help comes at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """A group of commands that are imported when they are called.

    members: by command name, what it is as "module:attribute" and its line in the list. `make`
    turns what was imported into a command.
    """

    def __init__(
        self,
        name: str,
        members: Mapping[str, tuple[str, str]],
        *,
        make: Callable[[str, Any], click.Command] = lambda name, found: found,
        **options: Any,
    ) -> None:
        super().__init__(name, **options)
        self.members = members
        self.make = make

    def list_commands(self, context: click.Context) -> list[str]:
        """The names, in the order of the mapping."""
        return list(self.members)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of that name."""
        if name not in self.members:
            return None
        module, _, attribute = self.members[name][0].partition(":")
        return self.make(name, getattr(import_module(module), attribute))

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `--help`, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.members.items()])


def experiment_group(
    name: str, help_text: str, members: Mapping[str, tuple[str, str]]
) -> LazyGroup:
    """A group whose members are experiments, made into commands."""

    def make(member: str, kind: Any) -> click.Command:
        from tacit.cli.experiment import command_of

        return command_of(member, kind)

    return LazyGroup(name, members, make=make, help=help_text)
