"""Users choose their own addresses in Perforce: only domains that the site named are accepted."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

# A subset of RFC 5322: no quoting, and no character that could end a mail header.
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9.-]{1,255})")


def is_allowed(address: str, domains: Collection[str]) -> bool:
    """Tell whether an address is plain and in one of the domains, given in lower case."""
    match = _ADDRESS.fullmatch(address)
    return match is not None and match[1].lower() in domains


def from_rows(lines: Iterable[str]) -> dict[str, str]:
    """Return addresses by user name, from CSV lines of both."""
    rows = csv.reader(lines)
    return {row[0].strip(): row[1].strip() for row in rows if len(row) > 1}
