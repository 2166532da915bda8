"""The tables that a census reads, with the fields it needs ("P4 Server Schema", r04.1 to r24.1).

The releases differ in their last fields. `db.user`, which holds password digests, is not among
the tables.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Table(NamedTuple):
    name: str  # in SQLite
    columns: tuple[str, ...]  # fields to keep, in the journal's order
    places: tuple[int, ...]  # their indexes among the values of a journal record
    least_values: int  # in a journal record
    keys: int  # leading columns that identify a record; the first may fold case

    def row(self, values: list[Any], count: int) -> tuple[Any, ...] | None:
        """None if a field has the wrong type, or one that each record must have is missing."""
        row = tuple(
            values[place] if place < len(values) else None for place in self.places[:count]
        )
        for column, place, value in zip(self.columns, self.places, row, strict=False):
            kind = int if column in NUMBERS else str
            if not isinstance(value, kind) and (value is not None or place < self.least_values):
                return None
        return row


NUMBERS = frozenset(
    "access change contents flag is_group lock_ms options path_type rights role scan_rows seq "
    "status type update".split()
)


def table(name: str, keys: int, fields: str, later: str = "") -> Table:
    """A field that begins with `-` is not kept; a record may lack those in `later`."""
    words = f"{fields} {later}".split()
    places = [place for place, word in enumerate(words) if not word.startswith("-")]
    columns = tuple(words[place] for place in places)
    return Table(name, columns, tuple(places), len(fields.split()), keys)


TABLES = {
    "group": table("member", 2, "name in_group role"),
    "depot": table("depot", 1, "name type -address map"),
    "domain": table(
        "domain",
        1,
        "name type host -root -root2 -root3 owner -update access options -description",
        "stream -serverid contents",
    ),
    "view": table("view", 2, "name seq flag right depot_path"),
    "template": table("template", 3, "name change seq -parent -type path_type right depot_path"),
}
