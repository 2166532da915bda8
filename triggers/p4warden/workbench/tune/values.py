from __future__ import annotations

import re

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_NUMBER = re.compile(r"(-?[0-9]{1,18})([kmgt]?)b?", re.IGNORECASE)
_PERCENTAGE = re.compile(r"([0-9]{1,3})%")


def number(value: str) -> int | None:
    """Return the number of a configurable's value; None for other text, such as `10%`.

    K is 1,024 of all values: p4d reads it as 1,000 of values that are no bytes, and no bound of
    the data file lies between.
    """
    match = _NUMBER.fullmatch(value.strip())
    return int(match[1]) * _UNITS[match[2].lower()] if match else None


def percentage(value: str) -> int | None:
    """Return 10 of `10%`; None for other text."""
    match = _PERCENTAGE.fullmatch(value.strip())
    return int(match[1]) if match else None


def is_same(one: str, other: str) -> bool:
    """Tell whether two values of a configurable mean the same: `2G` and `2048M`."""
    numbers = number(one), number(other)
    if None not in numbers:
        return numbers[0] == numbers[1]
    return one.strip().casefold() == other.strip().casefold()


def size_text(size_bytes: float) -> str:
    """Return a size as `150 KB` or `12.5 GB`, in the largest unit of which it has one."""
    for unit, in_bytes in (("TB", 2**40), ("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if size_bytes >= in_bytes:
            text = f"{size_bytes / in_bytes:,.1f}"
            return f"{text.removesuffix('.0')} {unit}"
    return f"{size_bytes:,.0f} bytes"
