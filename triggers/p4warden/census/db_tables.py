"""The tables of p4d's database that a census needs, and how their records look in a journal.

Fields and flags are those of the vendor's database schema ("P4 Server Schema", r04.1 to r24.1; the
versions of these tables differ in their last fields). `db.user`, which holds password
digests, is not among them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TEXT = rb"@([^@]*(?:@@[^@]*)*)@"
_SHAPES = {
    "text": _TEXT,
    "number": rb"(-?[0-9]+)",
    "no text": _TEXT.replace(b"@(", b"@(?:", 1),
    "no number": rb"-?[0-9]+",
}


class Table(NamedTuple):
    """A table.

    Attributes:
        name: its name here.
        record: matches a record from the line end before it on: the operation, then the columns.
        columns: the fields that are kept, in the journal's order.
        keys: how many of the first columns name a record; in the first, names fold.
    """

    name: str
    record: re.Pattern[bytes]
    columns: tuple[str, ...]
    keys: int


NUMBERS = frozenset("access change contents flag options path_type role seq type update".split())
"""The columns that are numbers; all others are texts."""


def _table(journal_name: str, name: str, keys: int, fields: str, later: str = "") -> Table:
    """Make a table; a field that begins with `-` is passed over, `later` ones may be missing."""
    shapes = b" ".join(map(_shape, fields.split()))
    shapes += b"".join(b"(?: " + _shape(field) + b")?" for field in later.split())
    start = rb"\n@(pv|rv|dv)@ [0-9]+ @" + re.escape(journal_name.encode()) + b"@ "
    words = [word for word in f"{fields} {later}".split() if not word.startswith("-")]
    return Table(name, re.compile(start + shapes + rb"(?=[ \r\n])"), tuple(words), keys)


def _shape(field: str) -> bytes:
    name = field.lstrip("-")
    kind = "number" if name in NUMBERS else "text"
    return _SHAPES[f"no {kind}" if field.startswith("-") else kind]


TABLES = {
    b"db.group": _table("db.group", "member", 2, "name in_group role"),
    b"db.depot": _table("db.depot", "depot", 1, "name type -address map"),
    b"db.domain": _table(
        "db.domain",
        "domain",
        1,
        "name type host -root -root2 -root3 owner -update access options -description",
        "stream -serverid contents",
    ),
    b"db.view": _table("db.view", "view", 2, "name seq flag right depot_path"),
    b"db.template": _table(
        "db.template",
        "template",
        3,
        "name change seq -parent -type path_type right depot_path",
    ),
}
"""By the name that a journal has for it."""

MARKS = re.compile(rb"\n@nx@ ([01]) ")
"""Finds the note that a checkpoint begins with, and the one that it ends with."""

TIME = re.compile(rb"\n@[a-z]x@ [0-9]{1,9} ([0-9]{1,12})[ \r\n]")
"""Finds when a note was written, or when a transaction ended."""

NAMES = re.compile(rb"\n@(?:pv|rv|dv|vv|dl)@ [0-9]+ @(db\.[a-z.]+)@ ")
"""Finds the table of every record in a block."""
