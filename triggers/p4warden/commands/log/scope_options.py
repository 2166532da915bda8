from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from p4warden.commands.options import chosen_groups
from p4warden.history.local_time import time_text
from p4warden.logs.moments import is_span, moment_s
from p4warden.logs.reader import LogError
from p4warden.logs.scope import Scope, UserClass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Command = TypeVar("Command", bound="Callable[..., Any]")
_GROUP = "group:"
_NAMES = {
    "user": "USER",
    "command": "COMMAND",
    "program": "PROGRAM",
    "table": "TABLE",
    "server": "SERVER",
}


class ScopeOptions(NamedTuple):
    """The values of the command-line options that select a part of a log.

    Times are still texts, because relative times need the end of the log.
    """

    from_: str | None
    to: str | None
    at: str | None
    names: dict[str, tuple[str, ...]]
    pids: tuple[int, ...]

    def scope(self, end_s: float) -> Scope:
        from_s = None if self.from_ is None else moment_s(self.from_, end_s)
        to_s = None if self.to is None else moment_s(self.to, end_s, from_s)
        if from_s is not None and to_s is not None and from_s > to_s:
            raise LogError(self._reversed(from_s, to_s))
        return Scope(from_s, to_s, pids=self.pids, **self.names)

    def _reversed(self, from_s: float, to_s: float) -> str:
        spans = [text for text in (self.from_, self.to) if text and is_span(text)]
        verb = "is" if len(spans) == 1 else "are"
        note = f" ({' and '.join(spans)} {verb} counted back from the end of the log)"
        return (
            f"--from {self.from_} ({time_text(from_s)}) is after --to {self.to} "
            f"({time_text(to_s)}); "
            f"swap or correct them{note if spans else ''}"
        )

    def at_s(self, end_s: float) -> float | None:
        return None if self.at is None else moment_s(self.at, end_s)


def scope_options(command: Command) -> Command:
    """Decorator: add options that select a part of a log (`from_`, `to`, `at`, `user`, ...)."""
    for name, meta in reversed(_NAMES.items()):
        help_text = f"Only this {name}; * matches any text; repeatable."
        command = click.option(f"--{name}", metavar=meta, multiple=True, help=help_text)(command)
    pid = click.option("--pid", type=int, multiple=True, help="Only this process.")
    at = click.option("--at", metavar="TIME", help="The time, for reports on a single moment.")
    to = click.option("--to", metavar="TIME", help="Only commands that began before this time.")
    help_text = (
        "Only commands that ran after this time: 14:05, '2027-03-02 14:05', 2027-03-02, or 2h."
    )
    from_ = click.option("--from", "from_", metavar="TIME", help=help_text)
    return from_(to(at(pid(command))))


def parsed(options: Mapping[str, Any]) -> ScopeOptions:
    """Return click's values of the options that select a part of a log as a `ScopeOptions`.

    Raises:
        click.UsageError: both a moment and the start or end of a time span were given.
    """
    if options["at"] and (options["from_"] or options["to"]):
        raise click.UsageError("--at selects one moment; omit --from and --to")
    names = {f"{name}s": options[name] for name in _NAMES}
    return ScopeOptions(options["from_"], options["to"], options["at"], names, options["pid"])


def classes(
    texts: Sequence[str], groups_file: str | None, checkpoint: str | None
) -> tuple[UserClass, ...]:
    """Parse `--class NAME=WHO,WHO` options into user classes; WHO is a pattern or `group:NAME`.

    Raises:
        click.UsageError: a text is not a class, its group is unknown, or both files were given.
        MembershipError: the groups cannot be read.
    """
    groups = chosen_groups(groups_file, checkpoint)
    return tuple(_class(text, groups) for text in texts)


def _class(text: str, groups: Mapping[str, Sequence[str]] | None) -> UserClass:
    name, is_class, members = text.partition("=")
    if not (name and is_class and members):
        raise click.UsageError(f"--class {text!r}: write NAME=USER,... such as builds=build-*")
    patterns: list[str] = []
    for member in members.split(","):
        patterns += _members(member, groups) if member.startswith(_GROUP) else [member]
    return UserClass(name, tuple(patterns))


def _members(text: str, groups: Mapping[str, Sequence[str]] | None) -> Sequence[str]:
    if groups is None:
        raise click.UsageError(
            f"{text}: specify --groups FILE or --checkpoint FILE with the group's members"
        )
    group = text.removeprefix(_GROUP)
    if group not in groups:
        raise click.UsageError(f"{text}: this group is not in the file of groups")
    return groups[group]
