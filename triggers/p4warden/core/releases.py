from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

Release = tuple[int, int]
"""Year and number, such as (2024, 1)."""

ANY = "any"
"""In a map of values by release: the value before all other releases in it."""

LAST_KNOWN: Release = (2026, 1)
"""The last release whose defaults are known."""

# Of the counter `upgrade`, the first release that has the number ("P4 Server Schema", release
# notes); it also marks the end of the number before.
_UPGRADES = {
    23: (2011, 1),
    24: (2015, 2),
    25: (2016, 1),
    26: (2016, 2),
    27: (2017, 1),
    28: (2017, 2),
    29: (2018, 1),
    30: (2018, 2),
    33: (2019, 1),
    35: (2019, 2),
    36: (2020, 1),
    39: (2020, 2),
    40: (2021, 1),
    44: (2021, 2),
    47: (2022, 1),
    49: (2022, 2),
    50: (2023, 1),
    52: (2023, 2),
    54: (2024, 1),
}
_FIRST_UNKNOWN: Release = (2024, 2)


class Releases(NamedTuple):
    """The releases that a server may have."""

    first: Release
    last: Release

    def text(self) -> str:
        if self.first == self.last:
            return text(self.first)
        return f"{text(self.first)} to {text(self.last)}"


def of_upgrade(number: int) -> Releases | None:
    """Return the releases that write this number as counter `upgrade`; None if unknown."""
    if number > max(_UPGRADES):
        return Releases(_FIRST_UNKNOWN, LAST_KNOWN)
    if number not in _UPGRADES:
        return None
    later = (first for upgrade, first in _UPGRADES.items() if upgrade > number)
    return Releases(_UPGRADES[number], _before(min(later, default=_FIRST_UNKNOWN)))


def of_version(version: str) -> Releases | None:
    """Read `P4D/LINUX26X86_64/2024.2/2726478 (2025/02/20)`; None if it has no release."""
    match = re.search(r"/(\d{4})\.(\d)(?:[./ ]|$)", version)
    if match is None:
        return None
    release = int(match[1]), int(match[2])
    return Releases(release, release)


def parsed(name: str) -> Release:
    """Read `2024.1`."""
    year, _, number = name.partition(".")
    return int(year), int(number)


def text(release: Release) -> str:
    """Return `2024.1`."""
    return f"{release[0]}.{release[1]}"


def value_in(values: Mapping[str, str | None], releases: Releases) -> str | None:
    """Return the value that applies in all these releases; None if unknown or not the same.

    A value of None is unknown from its release on.
    """
    if releases.last > LAST_KNOWN:
        return None
    by_release = sorted((parsed(name), one) for name, one in values.items() if name != ANY)
    before = [one for first, one in by_release if first <= releases.first]
    begin = before[-1] if before else values.get(ANY)
    within = {one for first, one in by_release if releases.first < first <= releases.last}
    if begin is None or within - {begin}:
        return None
    return begin


def _before(release: Release) -> Release:
    year, number = release
    return (year, 1) if number > 1 else (year - 1, 2)
