from __future__ import annotations

import csv
import re
from email.message import EmailMessage
from email.policy import default
from email.utils import getaddresses
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.printable import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from p4warden.workbench.notify import Letter

# A subset of RFC 5322: no quoting, and no character that could end a mail header.
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9.-]{1,255})")
_POLICY = default.clone(cte_type="8bit", max_line_length=998)
"""Lines stay as they are up to the longest that a mail may have."""


class Recipient(NamedTuple):
    address: str
    problem: str = ""
    """Why no letter may go to it, or empty."""


def recipient(text: str | None, domains: Collection[str]) -> Recipient:
    """Return the address in the text of a user, such as `"Doe, Jane" <jane@example.com>`.

    Users choose their own addresses in Perforce, so only those in a domain that the site named, in
    lower case, count.
    """
    text = (text or "").strip()
    shown = printable(text)
    # Of a text with a line break, releases of Python find one address, two or none.
    found = [address for _, address in getaddresses([text]) if address and text.isprintable()]
    if not shown:
        return Recipient("", "the address is not known")
    if len(found) > 1:
        return Recipient("", f"{shown} has {len(found)} addresses; one is needed")
    match = _ADDRESS.fullmatch(found[0]) if found else None
    if match is None:
        return Recipient("", f"{shown} is not an address that can be written into a mail")
    is_ours = match[1].lower() in domains
    return Recipient(
        match[0], "" if is_ours else f"{shown} is not in a domain given with --domain"
    )


def addresses_from_rows(lines: Iterable[str]) -> dict[str, str]:
    """Return addresses by user name, from CSV lines of both."""
    rows = csv.reader(lines)
    return {row[0].strip(): row[1].strip() for row in rows if len(row) > 1}


def message(letter: Letter) -> str:
    """Return a mail without a sender, which asks for no automatic replies (RFC 3834)."""
    mail = EmailMessage(_POLICY)
    mail["To"] = letter.address
    mail["Subject"] = letter.subject
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(letter.text)
    return mail.as_bytes().decode()
