"""Running totals of decisions, which continue when the decision log is rotated or pruned.

Each run of `p4warden metrics` counts the decisions logged since the previous run and stores the
totals in a file of the home folder. The position in the log is stored as an offset and a digest of
a log file's first line, which stays the same when the file is renamed or compressed. If the file
of the position was deleted, lines may be missing; such gaps are counted.
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
"""Number of running totals from which on a decision that needs a further total is counted under
the label values `OTHERS`: users choose names in labels, and a damaged log may contain any.
"""

OTHERS = "(others)"

Series = tuple[str, ...]
"""The key of a running total: the metric, followed by the values of its labels."""


class Tally(NamedTuple):
    """Running totals of decisions for Prometheus.

    Attributes:
        totals: the totals counted from the decision log.
        published_totals: the totals published last, including decisions not yet logged at that
            time. They never decrease, because Prometheus would take that for a restart and count
            everything again.
        place: the position up to which the decision log was counted.
    """

    totals: Mapping[Series, int]
    published_totals: Mapping[Series, int]
    place: LogPosition = LogPosition()


def advanced(
    tally: Tally, log_totals: Counter[Series], unlogged_totals: Counter[Series], place: LogPosition
) -> Tally:
    """Return running totals of decisions, with the newly logged decisions added.

    The totals to publish (`published_totals`) also include the decisions not yet logged
    (`unlogged_totals`), and are never below those published last.
    """
    sums = _sums(tally.totals, log_totals)
    new_totals = _sums(sums, unlogged_totals)
    published_totals = {
        series: max(new_totals.get(series, 0), tally.published_totals.get(series, 0))
        for series in {*new_totals, *tally.published_totals}
    }
    return Tally(sums, published_totals, place)


def load(home: str) -> Tally:
    """Return the totals that the previous run of `p4warden metrics` stored.

    The totals are empty if there are none, or if the file is damaged.

    Raises:
        HomeError: the file exists but cannot be read, or is not trusted, for example because
            another account than this one or root owns it.
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
    """Store the totals for the next run of `p4warden metrics`.

    Raises:
        HomeError: the file cannot be written.
    """
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
