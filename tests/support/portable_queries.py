"""The queries of `docs/sql`, and the rows that they have over the log of an incident."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CASES = Path(__file__).parents[1] / "cases" / "incident"
EXPECTED = yaml.safe_load((CASES / "portable.yaml").read_text())


def check(name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """See that a query had its rows."""
    found = [{column: _plain(value) for column, value in row.items()} for row in rows]
    assert len(found) == EXPECTED[name]["rows"], f"{name}: {found}"
    assert EXPECTED[name]["one"] in found, f"{name}: {found}"


def _plain(value: object) -> object:
    """Return a value as YAML has it: times in UTC, without saying so."""
    if isinstance(value, datetime.datetime) and value.tzinfo:
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return float(value) if isinstance(value, Decimal) else value
