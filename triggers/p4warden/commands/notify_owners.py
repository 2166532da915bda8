from __future__ import annotations

import contextlib
import datetime
import functools
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import installation_options, refuse_other_folder, start_s
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.core.printable import printable
from p4warden.history.local_time import minute_text
from p4warden.home import decision_log, public_file, usable
from p4warden.notify import ended_letters, letters, mail, template
from p4warden.notify.letters import Wording
from p4warden.notify.sent_letters import SentLetters
from p4warden.server.connection import Address, connected
from p4warden.server.questions import ask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.notify import Letter
    from p4warden.notify.mail import Send

SENT_FILE = "notified.jsonl"
_SMTP_PORT = 25


def _day(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise click.BadParameter(f"{text} is not a date; write 2027-03-31") from error


@click.command("notify-owners")
@click.option("--census", metavar="FILE", help="Output of p4warden census --json.")
@click.option(
    "--ended",
    "ended_since_s",
    metavar="SPAN",
    type=start_s,
    help="Tell users instead which of their commands were ended in the last 1h, 7d, ..., by the "
    "home's decision log.",
)
@click.option("--rightsize", metavar="FILE", help="Output of p4warden rightsize --json.")
@click.option(
    "--addresses",
    metavar="FILE",
    help="CSV of users and addresses; default: ask the server (p4 users).",
)
@click.option(
    "--deadline",
    type=_day,
    metavar="DAY",
    help="The first day of enforcement, such as 2027-03-31.",
)
@click.option("--from", "sender", required=True, metavar="ADDRESS", help="The sender's address.")
@click.option(
    "--domain",
    "domains",
    multiple=True,
    required=True,
    type=str.lower,
    metavar="DOMAIN",
    help="Send to addresses in this domain only; users choose their addresses. Repeatable.",
)
@click.option(
    "--server-name",
    default="the Perforce server",
    metavar="NAME",
    show_default=True,
    help="The name of the server in the letters.",
)
@click.option(
    "--contact",
    required=True,
    metavar="TEXT",
    help="The person or address for questions, shown in the letters.",
)
@click.option(
    "--template",
    "template_file",
    metavar="FILE",
    help="Subject and text of the letters, in your language, with {owner}, {number}, {deadline}, "
    "{server}, {contact} and {specs}; its first line is Subject: ... and its second is empty.",
)
@click.option(
    "--send", is_flag=True, help="Send the letters; without this option they are only shown."
)
@click.option("--smtp", metavar="HOST[:PORT]", help="The mail server; default: localhost:25.")
@click.option(
    "--sendmail",
    metavar="PROGRAM",
    help="Send with this program, such as /usr/sbin/sendmail, instead.",
)
@click.option("--to-folder", metavar="DIR", help="Write each letter to a file in DIR instead.")
@click.option(
    "--per-minute",
    default=30,
    show_default=True,
    type=click.IntRange(1, 6000),
    metavar="N",
    help="Most letters to send in a minute.",
)
@installation_options
def notify_owners(  # noqa: PLR0913 - one for each option
    *,
    census: str | None,
    ended_since_s: float | None,
    rightsize: str | None,
    addresses: str | None,
    deadline: str | None,
    sender: str,
    domains: tuple[str, ...],
    server_name: str,
    contact: str,
    template_file: str | None,
    send: bool,
    smtp: str | None,
    sendmail: str | None,
    to_folder: str | None,
    per_minute: int,
    port: str | None,
    user: str | None,
    home: str,
) -> None:
    """Inform owners which of their specs a policy will refuse, with lines to write instead.

    Each owner gets one letter, based on a census. With --ended, each user gets a letter for each
    command that p4warden running ended. Nothing is sent without --send; a sent letter is
    recorded in the home folder and not sent again.
    """
    if send and to_folder:
        raise click.UsageError(
            "--to-folder writes the letters to files, --send sends them; omit one of them"
        )
    if send:
        refuse_other_folder(home)
        usable.refuse_unusable(home)
    if to_folder:
        usable.refuse_unwritable_folder(to_folder)
    if (census is None) == (ended_since_s is None) or (census and not deadline):
        raise click.UsageError("specify either --census with --deadline, or --ended")
    wording = _with_template(Wording(server_name, deadline or "", contact), template_file)
    unaddressed = (
        _of_specs(census, rightsize, wording)
        if census
        else _of_ended_commands(home, ended_since_s or 0.0, wording)
    )
    address_of = _addresses(addresses, Address(port, user))
    found, unreached_owners = _addressed(unaddressed, address_of, domains)
    if to_folder:
        _write(to_folder, found)
    elif send:
        with _mailer(smtp, sendmail) as mailer:
            _send(found, mailer, sender, SentLetters(f"{home}/{SENT_FILE}"), per_minute)
    else:
        _show(found)
    for owner, reason in unreached_owners.items():
        click.echo(f"no letter to {printable(owner)}: {reason}", err=True)


def _of_specs(census: str, rightsize: str | None, wording: Wording) -> list[Letter]:
    specs = letters.objections(_lines(census), census)
    enough = letters.proposals(_lines(rightsize), rightsize) if rightsize else {}
    return [letters.letter(one, specs[one], enough, wording) for one in sorted(specs)]


def _of_ended_commands(home: str, since_s: float, wording: Wording) -> list[Letter]:
    """Return one letter for each command, so that none is sent twice."""
    ended = ended_letters.ended(decision_log.WholeDecisionLog(home).records(), since_s)
    return [
        ended_letters.letter(user, one, wording, minute_text)
        for user in sorted(ended)
        for one in ended[user]
    ]


def _addressed(
    unaddressed: list[Letter], address_of: dict[str, str], domains: tuple[str, ...]
) -> tuple[list[Letter], dict[str, str]]:
    """Return the letters that may be sent, and of the other owners the reasons."""
    found: list[Letter] = []
    unreached_owners: dict[str, str] = {}
    for letter in unaddressed:
        address = address_of.get(letter.owner)
        if address is None:
            unreached_owners[letter.owner] = "the address is not known"
        elif not mail.is_allowed_address(address, domains):
            reason = f"{printable(address)} is not in a domain given with --domain"
            unreached_owners[letter.owner] = reason
        else:
            found.append(letter._replace(address=address))
    return found, unreached_owners


def _with_template(wording: Wording, file: str | None) -> Wording:
    own = template.checked(_text(file), file) if file else None
    return wording._replace(template=own) if own else wording


def _lines(file: str) -> list[str]:
    return _text(file, "surrogateescape").splitlines()


def _text(file: str, errors: str = "strict") -> str:
    try:
        return Path(file).read_text(encoding="utf-8", errors=errors)
    except UnicodeDecodeError as error:
        raise P4WardenError(f"{file}: is not UTF-8") from error
    except OSError as error:
        raise P4WardenError(f"{file}: cannot be read: {error.strerror}") from error


def _addresses(file: str | None, address: Address) -> dict[str, str]:
    if file:
        return mail.addresses_from_rows(_lines(file))
    with connected(address) as p4:
        return {row["User"]: row["Email"] for row in ask(p4, "users", "-a") if row.get("Email")}


@contextlib.contextmanager
def _mailer(smtp: str | None, sendmail: str | None) -> Iterator[Send]:
    if sendmail:
        yield functools.partial(mail.by_sendmail, sendmail)
        return
    host, _, port = (smtp or "localhost").partition(":")
    if port and not port.isdecimal():
        raise click.UsageError(f"--smtp {smtp}: write HOST or HOST:PORT")
    with mail.by_smtp(host, int(port or _SMTP_PORT)) as send_message:
        yield send_message


def _send(
    letters: list[Letter], send: Send, sender: str, sent_letters: SentLetters, per_minute: int
) -> None:
    new_letters = [letter for letter in letters if not sent_letters.has(letter)]
    failures = 0
    for number, letter in enumerate(new_letters):
        if number:
            time.sleep(60 / per_minute)
        sent_letters.add(letter, int(time.time()))
        try:
            send(mail.message(letter, sender))
        except mail.MailError as error:
            sent_letters.take_back(letter, int(time.time()))
            failures += 1
            click.echo(f"not sent: {error}", err=True)
    earlier_count = len(letters) - len(new_letters)
    click.echo(
        f"{amount(len(new_letters) - failures, 'letter')} sent, {earlier_count} sent before"
    )
    if failures:
        raise P4WardenError(f"{amount(failures, 'letter')} not sent; run it again for those")


def _write(folder: str, letters: list[Letter]) -> None:
    texts = (f"To: {one.address}\nSubject: {one.subject}\n\n{one.text}" for one in letters)
    # Letters' files are named by number, because an owner's name may contain any character.
    named = {f"{number:05}.txt": text for number, text in enumerate(texts, 1)}
    public_file.write_folder(folder, named, 0o700)
    click.echo(f"{folder}: {amount(len(letters), 'letter')}")


def _show(letters: list[Letter]) -> None:
    for letter in letters:
        click.echo(f"To: {letter.address}\nSubject: {letter.subject}\n\n{letter.text}\n---")
    click.echo(f"{amount(len(letters), 'letter')}, none sent; --send sends them")
