"""Spans of time as people write them: `7d`, `12 hours`, or a day, `2027-03-01`."""

from __future__ import annotations

import contextlib
import datetime
import re

from p4warden.core.plural import amount
from p4warden.core.rate_notation import UNITS

LATEST_S = 253402214399
"""A day before the year 9999 ends, and so before it ends anywhere: the last of all calendars."""

_SPAN = re.compile(r"([1-9][0-9]{0,5}) ?([a-z]+)")
_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_WORDS = UNITS | {"w": "w", "wk": "w", "wks": "w", "week": "w", "weeks": "w"}


class SpanError(ValueError):
    """The text is no span; the message shows the expected form."""


def seconds(text: str) -> int:
    """Return a span's seconds: `30s`, `5m`, `12h`, `7d`, `2w`; `5 min` and `7 days` as well.

    Raises:
        SpanError: it is none.
    """
    found = _SPAN.fullmatch(text)
    unit = _UNITS_S.get(_WORDS.get(found[2], "")) if found else None
    if not found or unit is None:
        raise SpanError(f"{text!r} is no span of time (write 30s, 5m, 12h, 7d or 2w)")
    return int(found[1]) * unit


def start_s(text: str, now_s: float) -> float:
    """Return when a span began that ends now, or a day of the local time.

    Raises:
        SpanError: it is neither.
    """
    with contextlib.suppress(SpanError):
        return now_s - seconds(text)
    try:
        return datetime.datetime.strptime(text, "%Y-%m-%d").timestamp()  # noqa: DTZ007 - local
    except (ValueError, OverflowError, OSError) as error:
        raise SpanError(f"{text!r} is neither a span (7d) nor a day (2027-03-01)") from error


def age(age_s: int) -> str:
    """Return an age in words, in its largest unit of which there are two: `3 days`."""
    for unit_s, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if age_s >= 2 * unit_s:
            return f"{age_s // unit_s} {unit}"
    return amount(max(age_s, 0), "second")
