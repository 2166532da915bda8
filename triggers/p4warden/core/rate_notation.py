"""Parse and print rates and durations of a policy, such as `50/s` and `2m`.

`50 per 1s`, `50 per second` and `50/sec` are all printed as `50/s`; `1 minute` and `1min` as `1m`.
A number before the unit of a rate may be left out when it is 1. The gate reads the printed
notation and ` per ` in place of the slash (`triggers/gate/src/rate/limits.rs`).
"""

from __future__ import annotations

from p4warden.core.light_typing import NamedTuple

UNITS_NS = {"ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9}
_SPELLINGS = {
    "ms": "ms msec msecs millisecond milliseconds",
    "s": "s sec secs second seconds",
    "m": "m min mins minute minutes",
    "h": "h hr hrs hour hours",
    "d": "d day days",
}
UNITS = {word: unit for unit, words in _SPELLINGS.items() for word in words.split()}
"""Short unit of a duration by each accepted spelling, such as `m` for `minute`."""

_DURATION = r"([0-9]{1,6}) ?([a-zA-Z]+)"
_RATE = r"([0-9]{1,7}) ?(?:/| per ) ?([0-9]{1,6})? ?([a-zA-Z]+)"


class Duration(NamedTuple):
    """A duration in a policy: a whole number of a time unit (a key of `UNITS_NS`)."""

    number: int
    unit: str

    @property
    def ns(self) -> int:
        """The duration, as a policy states it, in nanoseconds."""
        return self.number * UNITS_NS[self.unit]

    @property
    def text(self) -> str:
        """The duration as policies and messages print it, such as `2s`."""
        return f"{self.number}{self.unit}"


class Rate(NamedTuple):
    """A rate limit of a policy, such as `20/s`: a number of commands allowed per duration."""

    times: int
    period: Duration

    @property
    def interval_ns(self) -> int | None:
        """The interval between two commands at this rate in nanoseconds, rounded up.

        None if the number of commands or the duration is 0.
        """
        period_ns = self.period.ns
        return -(-period_ns // self.times) if self.times and period_ns else None

    @property
    def text(self) -> str:
        """The rate limit in its printed notation, such as `50/s` or `1/5s`."""
        period = self.period
        return f"{self.times}/{period.unit if period.number == 1 else period.text}"


def duration(text: str) -> Duration | None:
    """Parse a duration such as `2 minutes` to a `Duration`; None if the text is not one."""
    import re  # noqa: PLC0415 - form triggers import this module and read no rate

    match = re.fullmatch(_DURATION, text.strip())
    unit = UNITS.get(match[2].lower()) if match else None
    return Duration(int(match[1]), unit) if match and unit else None


def rate(text: str) -> Rate | None:
    """Parse a rate such as `50 per 1s` to a `Rate`; None if the text is not one."""
    import re  # noqa: PLC0415 - as above

    match = re.fullmatch(_RATE, " ".join(text.split()))
    unit = UNITS.get(match[3].lower()) if match else None
    return Rate(int(match[1]), Duration(int(match[2] or 1), unit)) if match and unit else None
