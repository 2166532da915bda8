from __future__ import annotations

import csv
import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import installation_options, start_s
from p4warden.core import saved_text
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.core.printable import printable
from p4warden.history.local_time import minute_text
from p4warden.home import decision_log, public_file, usable
from p4warden.server.connection import Address, connected
from p4warden.server.questions import ask
from p4warden.workbench.notify import ended_letters, letters, mail, template
from p4warden.workbench.notify.letters import Wording

if TYPE_CHECKING:
    from p4warden.workbench.notify import Letter


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
@click.option(
    "--domain",
    "domains",
    multiple=True,
    required=True,
    type=str.lower,
    metavar="DOMAIN",
    help="Write to addresses in this domain only; users choose their addresses. Repeatable.",
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
    "--to-folder",
    metavar="DIR",
    help="Write each letter to a file in DIR, for your mail program; default: print them.",
)
@installation_options
def notify_owners(  # noqa: PLR0913 - one for each option
    *,
    census: str | None,
    ended_since_s: float | None,
    rightsize: str | None,
    addresses: str | None,
    deadline: str | None,
    domains: tuple[str, ...],
    server_name: str,
    contact: str,
    template_file: str | None,
    to_folder: str | None,
    port: str | None,
    user: str | None,
    home: str,
) -> None:
    """Write letters to owners about their specs that a policy will refuse, with lines to write.

    Each owner gets one letter, based on a census. With --ended, each user gets a letter for each
    command that p4warden running ended. A file of --to-folder is a mail without a sender, such as
    sendmail -t takes it.
    """
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
    else:
        _show(found)
    for owner, reason in unreached_owners.items():
        click.echo(f"no letter to {printable(owner)}: {reason}", err=True)


def _of_specs(census: str, rightsize: str | None, wording: Wording) -> list[Letter]:
    specs = letters.objections(_lines(census), census)
    enough = letters.proposals(_lines(rightsize), rightsize) if rightsize else {}
    return [letters.letter(one, specs[one], enough, wording) for one in sorted(specs)]


def _of_ended_commands(home: str, since_s: float, wording: Wording) -> list[Letter]:
    """Return one letter for each command."""
    ended = ended_letters.ended(decision_log.WholeDecisionLog(home).records(), since_s)
    return [
        ended_letters.letter(user, one, wording, minute_text)
        for user in sorted(ended)
        for one in ended[user]
    ]


def _addressed(
    unaddressed: list[Letter], address_of: dict[str, str], domains: tuple[str, ...]
) -> tuple[list[Letter], dict[str, str]]:
    """Return the letters with their addresses, and of the other owners the reasons."""
    found: list[Letter] = []
    unreached_owners: dict[str, str] = {}
    for letter in unaddressed:
        recipient = mail.recipient(address_of.get(letter.owner), domains)
        if recipient.problem:
            unreached_owners[letter.owner] = recipient.problem
        else:
            found.append(letter._replace(address=recipient.address))
    return found, unreached_owners


def _with_template(wording: Wording, file: str | None) -> Wording:
    own = template.checked(_text(file), file) if file else None
    return wording._replace(template=own) if own else wording


def _lines(file: str) -> list[str]:
    return _text(file, "surrogateescape").splitlines()


def _text(file: str, errors: str = "strict") -> str:
    try:
        return saved_text.decoded(Path(file).read_bytes(), errors)
    except saved_text.EncodingError as error:
        raise P4WardenError(f"{file} {error}") from error
    except OSError as error:
        raise P4WardenError(f"{file}: cannot be read: {error.strerror}") from error


def _addresses(file: str | None, address: Address) -> dict[str, str]:
    if file:
        try:
            return mail.addresses_from_rows(_lines(file))
        except csv.Error as error:
            raise P4WardenError(f"{file}: is not CSV: {error}") from error
    with connected(address) as p4:
        return {row["User"]: row["Email"] for row in ask(p4, "users", "-a") if row.get("Email")}


def _write(folder: str, letters: list[Letter]) -> None:
    # Letters' files are named by number, because an owner's name may contain any character.
    named = {f"{number:05}.eml": mail.message(one) for number, one in enumerate(letters, 1)}
    public_file.write_folder(folder, named, 0o700)
    click.echo(f"{folder}: {amount(len(letters), 'letter')}")


def _show(letters: list[Letter]) -> None:
    for letter in letters:
        click.echo(f"To: {letter.address}\nSubject: {letter.subject}\n\n{letter.text}\n---")
    click.echo(f"{amount(len(letters), 'letter')}; --to-folder writes them to files")
