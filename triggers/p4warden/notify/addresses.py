"""Addresses of owners. Users choose theirs, so only addresses in named domains are used."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

# A part of what RFC 5322 allows: nothing in it is quoted, and nothing ends a header.
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9.-]{1,255})")


def is_allowed(address: str, domains: Collection[str]) -> bool:
    """Tell whether an address is a plain one in one of the domains, which are in lower case."""
    match = _ADDRESS.fullmatch(address)
    return match is not None and match[1].lower() in domains


def from_rows(lines: Iterable[str]) -> dict[str, str]:
    """Return the address of each user, from CSV rows of a user and an address."""
    rows = csv.reader(lines)
    return {row[0].strip(): row[1].strip() for row in rows if len(row) > 1}
