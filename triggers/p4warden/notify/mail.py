from __future__ import annotations

import contextlib
import csv
import re
import smtplib
import subprocess
from email.message import EmailMessage
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from p4warden.notify import Letter

    # Raises `MailError` if the message is not accepted.
    Send = Callable[[EmailMessage], None]

_DEADLINE_S = 30
# A subset of RFC 5322: no quoting, and no character that could end a mail header.
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9.-]{1,255})")


class MailError(P4WardenError):
    """Error: the mail server or sendmail did not accept a message, or could not be reached."""


def is_allowed_address(address: str, domains: Collection[str]) -> bool:
    """Tell whether an address is plain and in a domain that the site named, in lower case.

    Users choose their own addresses in Perforce.
    """
    match = _ADDRESS.fullmatch(address)
    return match is not None and match[1].lower() in domains


def addresses_from_rows(lines: Iterable[str]) -> dict[str, str]:
    """Return addresses by user name, from CSV lines of both."""
    rows = csv.reader(lines)
    return {row[0].strip(): row[1].strip() for row in rows if len(row) > 1}


def message(letter: Letter, sender: str) -> EmailMessage:
    """Ask for no automatic replies (RFC 3834)."""
    mail = EmailMessage()
    mail["From"] = sender
    mail["To"] = letter.address
    mail["Subject"] = letter.subject
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(letter.text)
    return mail


@contextlib.contextmanager
def by_smtp(host: str, port: int) -> Iterator[Send]:
    """Yield a function that sends a message, encrypted if the server offers STARTTLS.

    Raises:
        MailError: the mail server cannot be reached, or the connection fails.
    """

    def send(message: EmailMessage) -> None:
        try:
            connection.send_message(message)
        except (smtplib.SMTPException, OSError) as error:
            raise MailError(f"{message['To']}: the mail server refuses: {error}") from error

    try:
        with smtplib.SMTP(host, port, timeout=_DEADLINE_S) as connection:
            connection.ehlo()
            if connection.has_extn("starttls"):
                connection.starttls()
            yield send
    except (smtplib.SMTPException, OSError) as error:
        raise MailError(f"{host}:{port}: the mail server cannot be used: {error}") from error


def by_sendmail(program: str, message: EmailMessage) -> None:
    """Send a message with a program, which reads the recipient from it.

    Raises:
        MailError: the program cannot be started, fails, or takes more than 30 seconds.
    """
    try:
        subprocess.run(
            [program, "-i", "-t"],
            input=message.as_bytes(),
            capture_output=True,
            timeout=_DEADLINE_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise MailError(f"{program}: {error}") from error
