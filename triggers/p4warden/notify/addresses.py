"""Check the mail addresses of spec owners, and read addresses from CSV lines.

An address must be in a mail domain that the site named, because users choose their own addresses
in Perforce.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

# Accepted mail addresses, a subset of RFC 5322: no quoting, and no character that could end a mail
# header.
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9.-]{1,255})")


def is_allowed(address: str, domains: Collection[str]) -> bool:
    """Tell whether a mail address is plain and in one of the domains (given in lower case)."""
    match = _ADDRESS.fullmatch(address)
    return match is not None and match[1].lower() in domains


def from_rows(lines: Iterable[str]) -> dict[str, str]:
    """Return mail addresses by user name, from CSV lines of user name and address."""
    rows = csv.reader(lines)
    return {row[0].strip(): row[1].strip() for row in rows if len(row) > 1}
