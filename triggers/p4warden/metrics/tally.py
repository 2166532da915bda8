"""Running totals of the decision log, which go on when the log is rotated and its end is removed.

Each run counts the lines that were written since the last one and keeps the totals in a file of
the home folder. How far it came is noted by a file's first line, which stays when the file is
renamed or compressed. A log that was removed before it was counted is a gap, and counted as one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.home import trusted_files
from p4warden.metrics.unread import Place

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping

FILE_NAME = "metrics.json"
MOST_SERIES = 2000
"""Users choose their names, and a damaged log may hold any; further series go to `OTHERS`."""

OTHERS = "(others)"

Series = tuple[str, ...]
"""The words that tell one total from another: which metric, then its labels' values."""


class Tally(NamedTuple):
    """Totals since the file was made.

    Attributes:
        told: the totals that the log told.
        shown: the totals shown last, with those owed to the log then. A total never goes back, for
            Prometheus would take that for a new start and count it all again.
        place: how far the log was counted.
    """

    told: Mapping[Series, int]
    shown: Mapping[Series, int]
    place: Place = Place()


def advanced(tally: Tally, told: Counter[Series], owed: Counter[Series], place: Place) -> Tally:
    """Return the totals with the log's new decisions, and with those it is owed now."""
    sums = _added(tally.told, told)
    now = _added(sums, owed)
    shown = {
        series: max(now.get(series, 0), tally.shown.get(series, 0))
        for series in {*now, *tally.shown}
    }
    return Tally(sums, shown, place)


def load(home: str) -> Tally:
    """Return the totals of the last run; none where there are none, or the file is damaged.

    Raises:
        HomeError: the file is there and not to be trusted, as for an account that is not p4d's.
    """
    content = trusted_files.read_if_there(home, FILE_NAME)
    if content is None:
        return Tally({}, {})
    try:
        document = json.loads(content)
        first_line, offset_bytes = document["place"]
        place = Place(first_line and str(first_line), int(offset_bytes))
        return Tally(_read(document["told"]), _read(document["shown"]), place)
    except (ValueError, KeyError, TypeError):
        return Tally({}, {})


def save(home: str, tally: Tally) -> None:
    """Keep the totals for the next run.

    Raises:
        HomeError: they cannot be written.
    """
    document = {
        "told": _written(tally.told),
        "shown": _written(tally.shown),
        "place": list(tally.place),
    }
    trusted_files.replace(home, FILE_NAME, json.dumps(document).encode() + b"\n")


def _added(totals: Mapping[Series, int], more: Mapping[Series, int]) -> dict[Series, int]:
    sums = dict(totals)
    for series, number in more.items():
        kept = series
        if series not in sums and len(sums) >= MOST_SERIES:
            kept = (series[0], *(OTHERS for _ in series[1:]))
        sums[kept] = sums.get(kept, 0) + number
    return sums


def _read(rows: Any) -> dict[Series, int]:
    return {tuple(map(str, words)): int(total) for words, total in rows}


def _written(totals: Mapping[Series, int]) -> list[list[Any]]:
    return sorted([list(words), total] for words, total in totals.items())
