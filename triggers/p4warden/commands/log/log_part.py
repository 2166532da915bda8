from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from p4warden.commands.log.scope_options import classes, scope_of
from p4warden.logs.database_reports import answer, last_s, open_database
from p4warden.logs.moments import moment_s
from p4warden.logs.scope import Division
from p4warden.logs.scope_restriction import narrow

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

    from p4warden.logs.database_reports import ReportResult
    from p4warden.logs.scope import Scope


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
        scope = scope_of(options, end_s)
        narrow(connection, scope, of_classes)
        at_s = None if options["at"] is None else moment_s(options["at"], end_s)
        division = Division(limit, end_s, options["by"] or "hour", at_s, of_classes)
        yield LogPart(connection, scope, division)
