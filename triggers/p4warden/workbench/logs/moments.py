"""Times in the notation of administrators: `14:05`, `2026/03/02 14:05:10`, `2h`."""

from __future__ import annotations

import contextlib
import datetime
from typing import TYPE_CHECKING

from p4warden.core import time_spans
from p4warden.workbench.logs.reader import LogError

if TYPE_CHECKING:
    from collections.abc import Sequence

_CLOCKS = ("%H:%M", "%H:%M:%S")
_DAYS = ("%Y-%m-%d", "%Y/%m/%d")
_WITH_DAY = (*_DAYS, *(f"{day} {clock}" for day in _DAYS for clock in _CLOCKS))


def moment_s(text: str, end_s: float, after_s: float | None = None) -> float:
    """Return the time for which a text stands, in seconds since the epoch.

    Args:
        text: a local day, a day and a time of day (a blank or `T` between), a time of day alone,
            or a span before the log's end, such as `2h` or `7d`.
        end_s: the log's end, in seconds since the epoch.
        after_s: a time of day alone is the last one up to the log's end; but if that is before
            `after_s`, the one on the day of the log's end.

    Raises:
        LogError: the text has none of these forms, or is outside the range of times.
    """
    if is_span(text):
        return end_s - time_spans.seconds(text)
    try:
        clock = _read(text, _CLOCKS)
        if clock:
            return _latest(clock.time(), end_s, after_s)
        day = _read(text.replace("T", " "), _WITH_DAY)
        if day:
            return day.timestamp()
    except (ValueError, OverflowError, OSError):
        pass
    raise LogError(
        f"{text!r} is not a time: write 14:05, '2026-03-02 14:05:10', 2026-03-02, or 2h for the "
        "last two hours of the log"
    )


def is_span(text: str) -> bool:
    """Tell whether a text is a span of time above 0, such as `2h` (before the log's end)."""
    try:
        return time_spans.seconds(text) > 0
    except time_spans.SpanError:
        return False


def _read(text: str, forms: Sequence[str]) -> datetime.datetime | None:
    for form in forms:
        with contextlib.suppress(ValueError):
            return datetime.datetime.strptime(text, form)  # noqa: DTZ007 - the log's local time
    return None


def _latest(clock: datetime.time, end_s: float, after_s: float | None) -> float:
    end = datetime.datetime.fromtimestamp(end_s)  # noqa: DTZ006 - the log's local time
    moment = datetime.datetime.combine(end.date(), clock)
    day_before = moment - datetime.timedelta(days=1)
    if moment <= end or (after_s is not None and day_before.timestamp() < after_s):
        return moment.timestamp()
    return day_before.timestamp()
