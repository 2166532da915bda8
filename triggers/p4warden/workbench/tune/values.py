from __future__ import annotations

import re

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_NUMBER = re.compile(r"(-?[0-9]{1,18})([kmgt]?)b?", re.IGNORECASE)


def number(value: str) -> int | None:
    """Return the number of a configurable's value; None for other text, such as `10%`.

    K is 1,024 of all values: p4d reads it as 1,000 of values that are no bytes, and no bound of
    the data file lies between.
    """
    match = _NUMBER.fullmatch(value.strip())
    return int(match[1]) * _UNITS[match[2].lower()] if match else None


def is_same(one: str, other: str) -> bool:
    """Tell whether two values of a configurable mean the same: `2G` and `2048M`."""
    numbers = number(one), number(other)
    if None not in numbers:
        return numbers[0] == numbers[1]
    return one.strip().casefold() == other.strip().casefold()
