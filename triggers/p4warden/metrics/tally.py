"""Running totals of decisions, which continue when the decision log is rotated or pruned.

The position in the log is an offset and a digest of a file's first line, which stays the same when
the file is renamed or compressed. If that file was deleted, lines may be missing; such gaps are
counted.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.home import trusted_files
from p4warden.metrics.unread_lines import LogPosition

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping

FILE_NAME = "metrics.json"
MOST_SERIES = 2000
"""Further ones are counted as `OTHERS`: users choose names in labels."""

OTHERS = "(others)"

Series = tuple[str, ...]
"""The metric, followed by the values of its labels."""


class Tally(NamedTuple):
    """Published totals never decrease: Prometheus would take that for a restart."""

    totals: Mapping[Series, int]
    published_totals: Mapping[Series, int]  # include decisions not yet logged
    place: LogPosition = LogPosition()


def advanced(
    tally: Tally, log_totals: Counter[Series], unlogged_totals: Counter[Series], place: LogPosition
) -> Tally:
    """Add newly logged decisions; the totals to publish also include those not yet logged."""
    sums = _sums(tally.totals, log_totals)
    new_totals = _sums(sums, unlogged_totals)
    published_totals = {
        series: max(new_totals.get(series, 0), tally.published_totals.get(series, 0))
        for series in {*new_totals, *tally.published_totals}
    }
    return Tally(sums, published_totals, place)


def load(home: str) -> Tally:
    """Return the totals of the previous run, empty if there are none or the file is damaged.

    Raises:
        HomeError: the file cannot be read, or is not trusted, for example because another account
            than this one or root owns it.
    """
    content = trusted_files.read_if_there(home, FILE_NAME)
    if content is None:
        return Tally({}, {})
    try:
        document = json.loads(content)
        first_line, offset_bytes = document["place"]
        place = LogPosition(first_line and str(first_line), int(offset_bytes))
        return Tally(_read(document["totals"]), _read(document["shown"]), place)
    except (ValueError, KeyError, TypeError, OverflowError):
        return Tally({}, {})


def save(home: str, tally: Tally) -> None:
    """Raise `HomeError` if the file cannot be written."""
    document = {
        "totals": _rows(tally.totals),
        "shown": _rows(tally.published_totals),
        "place": list(tally.place),
    }
    trusted_files.replace(home, FILE_NAME, json.dumps(document).encode() + b"\n")


def _sums(totals: Mapping[Series, int], more: Mapping[Series, int]) -> dict[Series, int]:
    sums = dict(totals)
    for series, number in more.items():
        key = series
        if series not in sums and len(sums) >= MOST_SERIES:
            key = (series[0], *(OTHERS for _ in series[1:]))
        sums[key] = sums.get(key, 0) + number
    return sums


def _read(rows: Any) -> dict[Series, int]:
    return {tuple(map(str, words)): int(total) for words, total in rows}


def _rows(totals: Mapping[Series, int]) -> list[list[Any]]:
    return sorted([list(words), total] for words, total in totals.items())
