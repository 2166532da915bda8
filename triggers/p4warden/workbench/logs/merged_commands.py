from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_FACTS = ("argument", "table_use", "archive", "trigger_run", "error", "proxy")
_TEXT_LOG_COLUMNS = ("id", "line", "file", "server")
"""Columns that keep the text log's values; `server` only if it has a name."""

_FORMS = "SELECT count(DISTINCT form) FROM log_file WHERE form IN ('text', 'structured')"
_NAME_SERVERS = """
UPDATE command SET server =
    (SELECT other.server FROM temp.same
        JOIN command AS other ON other.id = gone WHERE kept = command.id)
WHERE id IN (SELECT kept FROM temp.same) AND server IN (SELECT id FROM server WHERE name IS NULL)
"""
_MOVE_FACTS = """
DELETE FROM {facts} WHERE command IN
    (SELECT gone FROM temp.same WHERE kept IN (SELECT command FROM {facts}));
UPDATE {facts} SET command = (SELECT kept FROM temp.same WHERE gone = {facts}.command)
WHERE command IN (SELECT gone FROM temp.same);
"""
# Reports on a part of the log search these rows by number (`scope_restriction.py`).
_IN_ORDER = """
CREATE TEMP TABLE in_order AS SELECT * FROM table_use ORDER BY command, rowid;
DELETE FROM table_use;
INSERT INTO table_use SELECT * FROM temp.in_order ORDER BY rowid;
DROP TABLE temp.in_order;
"""
# A text log states a server start in whole seconds: starts less than 2 s apart are one.
_STARTS = """
DELETE FROM event WHERE started AND file IN (SELECT id FROM log_file WHERE form = 'structured')
    AND EXISTS (SELECT 1 FROM event AS text JOIN log_file ON log_file.id = text.file
        WHERE form = 'text' AND text.started AND text.server IS event.server
            AND abs(text.time - event.time) < 2)
"""


def join(database: sqlite3.Connection) -> None:
    """Merge rows of commands and server starts in both a text and a structured log of a server.

    `in_both_logs` then lists the merged commands. The rows of `table_use` are numbered from 1
    without gaps, in the order of the commands' ids, as `p4warden-log load` writes them.
    """
    if database.execute(_FORMS).fetchone()[0] < 2:  # noqa: PLR2004 - both forms
        return
    query = resources.files("p4warden.workbench.logs").joinpath("counted_once.sql")
    database.executescript(query.read_text("utf-8"))
    with database:
        database.execute("INSERT INTO in_both_logs SELECT kept FROM temp.same")
        database.execute(_filled(database))
        database.execute(_NAME_SERVERS)
        database.execute(_STARTS)
    for facts in _FACTS:
        database.executescript(_MOVE_FACTS.format(facts=facts))
    database.executescript(_IN_ORDER)
    with database:
        database.execute("DELETE FROM command WHERE id IN (SELECT gone FROM temp.same)")


def _filled(database: sqlite3.Connection) -> str:
    """Fill empty cells of the text log's rows from the structured log's."""
    columns = [row[1] for row in database.execute("PRAGMA table_info(command)")]
    columns = [column for column in columns if column not in _TEXT_LOG_COLUMNS]
    filled_columns = ", ".join(f"ifnull(command.{column}, other.{column})" for column in columns)
    return (
        f"UPDATE command SET ({', '.join(columns)}) = (SELECT {filled_columns} FROM temp.same"  # noqa: S608 - names of the schema
        " JOIN command AS other ON other.id = gone WHERE kept = command.id)"
        " WHERE id IN (SELECT kept FROM temp.same)"
    )
