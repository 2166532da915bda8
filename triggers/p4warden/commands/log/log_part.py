from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.commands.log.scope_options import classes, parsed
from p4warden.logs.database_reports import answer, last_s, open_database
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
def open_part(database: str, limit: int, option_values: Mapping[str, Any]) -> Iterator[LogPart]:
    """Context manager: open a log database, limited to the part that command-line options select.

    Raises:
        LogError: the database cannot be opened, or an option does not fit its content.
    """
    options = parsed(option_values)
    of_classes = classes(
        option_values["classes_"], option_values["groups_file"], option_values["checkpoint"]
    )
    with open_database(database) as connection:
        end_s = last_s(connection)
        scope = options.scope(end_s)
        narrow(connection, scope, of_classes)
        at_s = options.at_s(end_s)
        yield LogPart(
            connection,
            scope,
            Division(limit, end_s, option_values["by"] or "hour", at_s, of_classes),
        )
