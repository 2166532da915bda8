from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from p4warden.commands.options import WholeNumber, chosen_groups, together
from p4warden.history.local_time import time_text
from p4warden.workbench.logs.database_reports import answer, last_s, open_database
from p4warden.workbench.logs.moments import is_span, moment_s
from p4warden.workbench.logs.reader import LogError
from p4warden.workbench.logs.scope import Division, Scope, UserClass
from p4warden.workbench.logs.scope_restriction import narrow

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence

    from p4warden.workbench.logs.database_reports import ReportResult

_GROUP = "group:"
_NAMES = ("user", "command", "program", "table", "server")

scope_options = together(
    click.option(
        "--from",
        "from_",
        metavar="TIME",
        help="Only commands that ran after this time: 14:05, '2027-03-02 14:05', 2027-03-02, or "
        "2h.",
    ),
    click.option("--to", metavar="TIME", help="Only commands that began before this time."),
    click.option("--at", metavar="TIME", help="The time, for reports on a single moment."),
    click.option(
        "--pid", type=WholeNumber(0, 2**32 - 1), multiple=True, help="Only this process."
    ),
    *(
        click.option(
            f"--{name}",
            metavar=name.upper(),
            multiple=True,
            help=f"Only this {name}; * matches any text; repeatable.",
        )
        for name in _NAMES
    ),
)


class LogPart(NamedTuple):
    connection: sqlite3.Connection
    scope: Scope
    division: Division

    def answer(self, name: str, division: Division | None = None) -> ReportResult:
        return answer(self.connection, name, self.scope, division or self.division)


@contextlib.contextmanager
def open_part(database: str, limit: int, options: Mapping[str, Any]) -> Iterator[LogPart]:
    """Context manager: open a log database, limited to the part that command-line options select.

    Raises:
        click.UsageError: options exclude each other, or a class is not one.
        LogError: the database cannot be opened, or an option does not fit its content.
    """
    if options["at"] and (options["from_"] or options["to"]):
        raise click.UsageError("--at selects one moment; omit --from and --to")
    of_classes = classes(options["classes_"], options["groups_file"], options["checkpoint"])
    with open_database(database) as connection:
        end_s = last_s(connection)
        scope = _scope(options, end_s)
        narrow(connection, scope, of_classes)
        at_s = None if options["at"] is None else moment_s(options["at"], end_s)
        division = Division(limit, end_s, options["by"] or "hour", at_s, of_classes)
        yield LogPart(connection, scope, division)


def _scope(options: Mapping[str, Any], end_s: float) -> Scope:
    """Return the part that `scope_options` select of a log that ends at this time.

    Raises:
        LogError: a text is not a time, or the part would end before it begins.
    """
    since, till = options["from_"], options["to"]
    from_s = None if since is None else moment_s(since, end_s)
    to_s = None if till is None else moment_s(till, end_s, from_s)
    if from_s is not None and to_s is not None and from_s > to_s:
        spans = [text for text in (since, till) if is_span(text)]
        verb = "is" if len(spans) == 1 else "are"
        note = f" ({' and '.join(spans)} {verb} counted back from the end of the log)"
        raise LogError(
            f"--from {since} ({time_text(from_s)}) is after --to {till} ({time_text(to_s)}); "
            f"swap or correct them{note if spans else ''}"
        )
    names = {f"{name}s": options[name] for name in _NAMES}
    return Scope(from_s, to_s, pids=options["pid"], **names)


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
