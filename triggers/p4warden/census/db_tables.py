"""The tables of p4d's database that a census needs, and which fields of their records.

Fields and flags are those of the vendor's database schema ("P4 Server Schema", r04.1 to r24.1; the
versions of these tables differ in their last fields). `db.user`, which holds password
digests, is not among them.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Table(NamedTuple):
    """A table.

    Attributes:
        name: its name here.
        columns: the fields that are kept, in the journal's order.
        places: where these stand among a record's values.
        needed: how many values a record has at least.
        keys: how many of the first columns name a record; in the first, names fold.
    """

    name: str
    columns: tuple[str, ...]
    places: tuple[int, ...]
    needed: int
    keys: int

    def row(self, values: list[Any], count: int) -> tuple[Any, ...] | None:
        """Return the first columns of a record; None where one is missing or of another type."""
        row = tuple(
            values[place] if place < len(values) else None for place in self.places[:count]
        )
        kinds = (int if column in NUMBERS else str for column in self.columns)
        needed = (place < self.needed for place in self.places)
        fits = all(
            isinstance(value, kind) or (value is None and not is_needed)
            for value, kind, is_needed in zip(row, kinds, needed, strict=False)
        )
        return row if fits else None


NUMBERS = frozenset("access change contents flag options path_type role seq type update".split())
"""The columns that are numbers; all others are texts."""


def _table(name: str, keys: int, fields: str, later: str = "") -> Table:
    """Make a table; a field that begins with `-` is passed over, `later` ones may be missing."""
    words = f"{fields} {later}".split()
    kept = [place for place, word in enumerate(words) if not word.startswith("-")]
    columns = tuple(words[place] for place in kept)
    return Table(name, columns, tuple(kept), len(fields.split()), keys)


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
"""By the name that a journal has for it, without `db.`."""
