"""Rates and durations of a policy: `50 per 1s` and `50/sec` are printed as `50/s`, `1min` as `1m`.

The gate reads the printed notation (`triggers/gate/src/rate/limits.rs`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

UNITS_NS = {"ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9}
_SPELLINGS = {
    "ms": "ms msec msecs millisecond milliseconds",
    "s": "s sec secs second seconds",
    "m": "m min mins minute minutes",
    "h": "h hr hrs hour hours",
    "d": "d day days",
}
UNITS = {word: unit for unit, words in _SPELLINGS.items() for word in words.split()}

_DURATION = re.compile(r"([0-9]{1,6}) ?([a-zA-Z]+)")
_RATE = re.compile(r"([0-9]{1,7}) ?(?:/| per ) ?([0-9]{1,6})? ?([a-zA-Z]+)")


class Duration(NamedTuple):
    number: int
    unit: str

    @property
    def ns(self) -> int:
        return self.number * UNITS_NS[self.unit]

    @property
    def text(self) -> str:
        return f"{self.number}{self.unit}"


class Rate(NamedTuple):
    times: int
    period: Duration

    @property
    def interval_ns(self) -> int | None:
        """Nanoseconds between two commands, rounded up; None if either number is 0."""
        period_ns = self.period.ns
        return -(-period_ns // self.times) if self.times and period_ns else None

    @property
    def text(self) -> str:
        period = self.period
        return f"{self.times}/{period.unit if period.number == 1 else period.text}"


def duration(text: str) -> Duration | None:
    """Parse a duration such as `2 minutes`; None if the text is not one."""
    match = _DURATION.fullmatch(text.strip())
    unit = UNITS.get(match[2].lower()) if match else None
    return Duration(int(match[1]), unit) if match and unit else None


def rate(text: str) -> Rate | None:
    """Parse a rate such as `50 per 1s`; None if the text is not one."""
    match = _RATE.fullmatch(" ".join(text.split()))
    unit = UNITS.get(match[3].lower()) if match else None
    return Rate(int(match[1]), Duration(int(match[2] or 1), unit)) if match and unit else None
