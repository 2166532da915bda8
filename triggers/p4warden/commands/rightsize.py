"""`p4warden rightsize`: the view that is enough for a client."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from p4warden.commands.enough_views import enough_views
from p4warden.commands.options import chosen_policy, home_option, policy_option
from p4warden.commands.spec_source import Wanted
from p4warden.core.plural import amount
from p4warden.core.printable import printable
from p4warden.server.connection import Address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from p4warden.rightsize import Answer, ViewRow

_MAX_FILES = 2**63 - 1


@click.command()
@click.argument("journals", nargs=-1, metavar="[JOURNAL]...")
@policy_option
@click.option(
    "--checkpoint",
    "checkpoints",
    multiple=True,
    required=True,
    metavar="FILE",
    help="The checkpoint to read, then the JOURNALs in their order; gzip too.",
)
@click.option("--client", "names", multiple=True, metavar="NAME", help="Only this client.")
@click.option("--wide", is_flag=True, help="Every client that a rule of the policy objects to.")
@click.option(
    "--max-files",
    "most",
    type=click.IntRange(1, _MAX_FILES),
    metavar="N",
    help="Most files that a view may span; default: max_files of the policy's rules.",
)
@click.option("--facts", metavar="FILE", help="Facts of the server, in the format of facts.json.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object a line.")
@home_option
def rightsize(  # noqa: PLR0913 - one for each option
    *,
    journals: tuple[str, ...],
    policy: str | None,
    checkpoints: tuple[str, ...],
    names: tuple[str, ...],
    wide: bool,
    most: int | None,
    facts: str | None,
    as_json: bool,
    home: str,
) -> None:
    """Find the view that is enough for a client: the fewest lines that keep its files in place.

    The files that a client has or has open keep their places, the view spans no more files than
    max_files, and every rule of the policy allows it. Of several such views the one with the
    fewest lines is shown, of those the one with the fewest files. Nothing is changed: owners save
    their own clients. Every proposal is checked with the vendor's map.
    """
    if bool(names) == wide:
        raise click.UsageError("choose one of --client NAME and --wide")
    judged_by = chosen_policy(policy, home)
    wanted = Wanted(("client",), home, facts, checkpoints, journals, None, Address(None, None), 1)
    notes: list[str] = []
    answers = enough_views(wanted, judged_by, notes, names, most)
    for note in notes:
        click.echo(f"note: {note}", err=True)
    _show(answers, as_json=as_json)


def _show(answers: Sequence[tuple[Answer, str | None]], *, as_json: bool) -> None:
    for answer, owner in answers:
        if as_json:
            click.echo(json.dumps(_document(answer, owner)))
        else:
            click.echo("\n".join(_text(answer, owner)) + "\n")
    if not as_json:
        click.echo(_summary([answer for answer, _ in answers]))


def _document(answer: Answer, owner: str | None) -> dict[str, Any]:
    proposal = answer.proposal
    return {
        "client": answer.client,
        "owner": owner,
        "needed": answer.needed,
        "elsewhere": answer.elsewhere,
        "files": answer.files,
        "least_files": answer.least_files,
        "view": _lines(answer.view),
        "proposal": proposal and {"files": proposal.files, "view": _lines(proposal.view)},
        "reason": answer.reason or None,
    }


def _lines(rows: Iterable[ViewRow]) -> list[str]:
    return [row.text() for row in rows]


def _text(answer: Answer, owner: str | None) -> Iterator[str]:
    yield f"{printable(answer.client)}, owner {printable(owner or 'nobody')}"
    lines = amount(len(answer.view), "line")
    yield f"  today: {lines}, {amount(answer.files, 'file')}; it has {answer.needed:,} of them"
    if answer.elsewhere:
        yield f"  {amount(answer.elsewhere, 'file')} that it has are outside its view"
    if answer.proposal is None:
        yield f"  no proposal: {printable(answer.reason)}"
        return
    lines = amount(len(answer.proposal.view), "line")
    yield f"  enough: {lines}, {amount(answer.proposal.files, 'file')}"
    yield "View:"
    yield from (f"\t{printable(line)}" for line in _lines(answer.proposal.view))


def _summary(answers: list[Answer]) -> str:
    proposed = [answer for answer in answers if answer.proposal]
    before = sum(answer.files for answer in proposed)
    after = sum(answer.proposal.files for answer in proposed if answer.proposal)
    return (
        f"{amount(len(answers), 'client')}, {amount(len(proposed), 'proposal')}: "
        f"{after:,} files in place of {before:,}"
    )
