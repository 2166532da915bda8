"""Figures on decision records, counted as `p4warden report` counts them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from p4warden.reports import counting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.reports.figures import Figures


def lines(records: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    return (json.dumps(record).encode() for record in records)


def figures_of(*records: dict[str, Any]) -> Figures:
    return counting.gather(lines(records))
