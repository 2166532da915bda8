"""The list of tables, `tables.json`: their fields by version ("P4 Server Schema", r04.1 to r24.1).

A field with `#` is a number, with `?` a number or text, all others are texts; `-` is not kept, and
a record may lack those after `|`. Version `*` is each. `db.user`, which holds password digests, is
not in it.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Row = tuple[Any, ...]

_EACH = "*"


class Layout(NamedTuple):
    """The fields of a table's records in one version."""

    places: tuple[int | None, ...]  # of each column among the values; None: not in this version
    kinds: tuple[type | None, ...]  # of each column; None: any
    least_values: int

    def row(self, values: Sequence[Any], count: int) -> Row | None:
        """Return the first columns; None if a value has the wrong type or is missing."""
        if len(values) < (self.least_values if count == len(self.places) else count):
            return None
        row = []
        for place, kind in zip(self.places[:count], self.kinds, strict=False):
            value = values[place] if place is not None and place < len(values) else None
            if value is not None and not isinstance(value, kind or object):
                return None
            row.append(value)
        return tuple(row)


class Table(NamedTuple):
    name: str  # without `db.`
    columns: tuple[str, ...]
    keys: int  # leading columns that identify a record; the first may fold case
    layouts: dict[str, Layout]  # by version

    def row(self, values: Sequence[Any], version: int, *, is_deleted: bool) -> Row | None:
        """Return the columns of a record, of a deleted one the keys; None if it is unreadable."""
        layout = self.layouts.get(str(version)) or self.layouts.get(_EACH)
        if is_deleted:
            return next(iter(self.layouts.values())).row(values, self.keys)
        return layout.row(values, len(self.columns)) if layout else None


@functools.cache
def tables() -> dict[str, Table]:
    """Return the tables by name."""
    document = json.loads(Path(__file__).with_name("tables.json").read_bytes())
    return {name: _table(name, one["keys"], one["fields"]) for name, one in document.items()}


def _table(name: str, keys: int, fields: dict[str, str]) -> Table:
    words = {version: text.split() for version, text in fields.items()}
    kept = [word for of_version in words.values() for word in of_version if word not in ("-", "|")]
    columns = dict.fromkeys(kept)
    layouts = {
        version: _layout(of_version, columns)
        for versions, of_version in words.items()
        for version in _versions(versions)
    }
    return Table(name, tuple(word.rstrip("#?") for word in columns), keys, layouts)


def _layout(words: Sequence[str], columns: dict[str, None]) -> Layout:
    all_words = [word for word in words if word != "|"]
    places = tuple(all_words.index(word) if word in all_words else None for word in columns)
    kinds = tuple({"#": int, "?": None}.get(word[-1], str) for word in columns)
    return Layout(places, kinds, words.index("|") if "|" in words else len(words))


def _versions(text: str) -> Iterator[str]:
    first, _, last = text.partition("-")
    return map(str, range(int(first), int(last) + 1)) if last else iter((text,))
