"""Check the results of the SQL queries in `docs/sql` on the p4d log of an example incident."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.core import shipped_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CASES = Path(__file__).parents[1] / "cases" / "incident"
EXPECTED = shipped_yaml.load((CASES / "portable.yaml").read_text())


def check(name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Assert that a query's given rows have the expected number and contain the expected row."""
    results = [{column: _plain(value) for column, value in row.items()} for row in rows]
    assert len(results) == EXPECTED[name]["rows"], f"{name}: {results}"
    assert EXPECTED[name]["one"] in results, f"{name}: {results}"


def _plain(value: object) -> object:
    """Return a value from a database query in the form of the expected results, to compare them.

    Times become UTC without a time zone, decimal numbers become floats.
    """
    if isinstance(value, datetime.datetime) and value.tzinfo:
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return float(value) if isinstance(value, Decimal) else value
