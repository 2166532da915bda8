from __future__ import annotations

import contextlib
import datetime
import re

from p4warden.core.plural import amount
from p4warden.core.rate_notation import UNITS

LATEST_S = 253402214399
"""Seconds since the epoch; a later time could be after the year 9999 in some time zone."""

_SPAN = re.compile(r"([1-9][0-9]{0,5}) ?([a-z]+)")
_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_WORDS = UNITS | {"w": "w", "wk": "w", "wks": "w", "week": "w", "weeks": "w"}


class SpanError(ValueError):
    """Error: a command-line text is no time span (or day); the message shows the notation."""


def seconds(text: str) -> int:
    """Parse `30s`, `5m`, `12h`, `7d`, `2w`, `5 min`, `7 days`; raise `SpanError` for all else."""
    match = _SPAN.fullmatch(text)
    unit = _UNITS_S.get(_WORDS.get(match[2], "")) if match else None
    if not match or unit is None:
        raise SpanError(f"{text!r} is not a span of time (write 30s, 5m, 12h, 7d or 2w)")
    return int(match[1]) * unit


def start_s(text: str, now_s: float) -> float:
    """Return the start of a span that ends now, or of a local day, in seconds since the epoch.

    Raises:
        SpanError: the text is neither a time span nor a day.
    """
    with contextlib.suppress(SpanError):
        return now_s - seconds(text)
    try:
        return datetime.datetime.strptime(text, "%Y-%m-%d").timestamp()  # noqa: DTZ007 - local
    except (ValueError, OverflowError, OSError) as error:
        raise SpanError(f"{text!r} is neither a span (7d) nor a day (2027-03-01)") from error


def age(age_s: int) -> str:
    """Return an age in the largest unit that fits at least twice: `3 days`."""
    for unit_s, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if age_s >= 2 * unit_s:
            return f"{age_s // unit_s} {unit}"
    return amount(max(age_s, 0), "second")
