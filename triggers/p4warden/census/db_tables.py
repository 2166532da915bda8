"""Tables of p4d's database that a census reads from a checkpoint, and the fields it needs.

The fields are those of the vendor's database schema ("P4 Server Schema", r04.1 to r24.1; the
versions of these tables differ in their last fields). `db.user`, which holds password digests, is
not among them.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Table(NamedTuple):
    """A table of p4d's database, with the fields that a census keeps of its journal records.

    Attributes:
        name: the name of the SQLite table that stores it.
        columns: the fields to keep, in the journal's order.
        places: the indexes of these fields among the values of a journal record.
        least_values: the smallest number of values in a journal record.
        keys: the number of leading columns that identify a record; in the first of them, case is
            ignored on a case-insensitive server.
    """

    name: str
    columns: tuple[str, ...]
    places: tuple[int, ...]
    least_values: int
    keys: int

    def row(self, values: list[Any], count: int) -> tuple[Any, ...] | None:
        """Return the values of the first `count` columns from the values of a journal record.

        None if a field has the wrong type, or one that each record must have is missing.
        """
        row = tuple(
            values[place] if place < len(values) else None for place in self.places[:count]
        )
        kinds = (int if column in NUMBERS else str for column in self.columns)
        are_needed = (place < self.least_values for place in self.places)
        fits = all(
            isinstance(value, kind) or (value is None and not is_needed)
            for value, kind, is_needed in zip(row, kinds, are_needed, strict=False)
        )
        return row if fits else None


NUMBERS = frozenset("access change contents flag options path_type role seq type update".split())
"""Names of journal record fields that hold numbers; all other kept fields hold texts."""


def _table(name: str, keys: int, fields: str, later: str = "") -> Table:
    """Define a p4d database table for a census by the fields of its journal records, in order.

    A field that begins with `-` is not kept; a record may lack the fields in `later`.
    """
    words = f"{fields} {later}".split()
    places = [place for place, word in enumerate(words) if not word.startswith("-")]
    columns = tuple(words[place] for place in places)
    return Table(name, columns, tuple(places), len(fields.split()), keys)


TABLES = {
    "group": _table("member", 2, "name in_group role"),
    "depot": _table("depot", 1, "name type -address map"),
    "domain": _table(
        "domain",
        1,
        "name type host -root -root2 -root3 owner -update access options -description",
        "stream -serverid contents",
    ),
    "view": _table("view", 2, "name seq flag right depot_path"),
    "template": _table("template", 3, "name change seq -parent -type path_type right depot_path"),
}
"""Definitions of the database tables that a census reads, by table name without `db.`."""
