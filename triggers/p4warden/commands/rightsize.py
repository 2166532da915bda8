from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from p4warden.commands.options import (
    WholeNumber,
    chosen_policy,
    facts_option,
    installation_options,
    max_per_second_option,
    refuse_journals_alone,
    start_s,
)
from p4warden.commands.spec_source import Selection, open_source, source_options
from p4warden.commands.sufficient_views import sufficient_views
from p4warden.core.json_lines import ascii_line
from p4warden.core.plural import amount
from p4warden.core.printable import printable
from p4warden.core.visible import shown_lines
from p4warden.server.connection import Address
from p4warden.workbench.checkpoint.reading import KeptFiles
from p4warden.workbench.rightsize.finder import RecentUse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.workbench.rightsize import Proposal, SearchResult

_SHOWN_PATHS = 20


@click.command()
@source_options
@click.option(
    "--client", "names", multiple=True, metavar="NAME", help="Only this client; repeatable."
)
@click.option("--wide", is_flag=True, help="Every client that a rule of the policy objects to.")
@click.option(
    "--max-files",
    "most",
    type=WholeNumber(1),
    metavar="N",
    help="Most files that a view may span; default: max_files of the policy's rules.",
)
@click.option(
    "--keep",
    type=click.Choice(["have", "used"]),
    default="have",
    show_default=True,
    help="The files to keep: all that the client has, or those used since --since.",
)
@click.option(
    "--since",
    "since_s",
    metavar="SPAN",
    type=start_s,
    help="With --keep used: used in the last 30d, 12h, ..., or from a day on (2027-03-01).",
)
@click.option(
    "--log",
    "logs",
    multiple=True,
    metavar="LOG",
    help="With --keep used: p4d's log, for the times of syncs (not in p4 have); repeatable.",
)
@facts_option
@click.option(
    "--index",
    metavar="FILE",
    help="Send fewer commands by using this index; default: the home folder's.",
)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object per line.")
@max_per_second_option
@installation_options
def rightsize(  # noqa: PLR0913 - one for each option
    *,
    journals: tuple[str, ...],
    policy: str | None,
    checkpoints: tuple[str, ...],
    names: tuple[str, ...],
    wide: bool,
    most: int | None,
    keep: str,
    since_s: float | None,
    logs: tuple[str, ...],
    facts: str | None,
    index: str | None,
    as_json: bool,
    max_per_second: int,
    port: str | None,
    user: str | None,
    home: str,
) -> None:
    """Find a sufficient view for a client: few lines that keep its files in place.

    The files that a client has or has open keep their places, the view spans no more files than
    max_files, and every rule of the policy allows it. Without max_files it is narrowed to the
    directories in use. A client of a stream gets the lines of a LimitView, if the server has that
    field. Nothing is changed: owners save their own
    clients. Every proposal is checked with Perforce's own map code.

    Without --checkpoint the named clients are read from the server: their forms, p4 have, p4
    opened, and lists of directories by p4 files -m, one command after another.
    """
    if bool(names) == wide:
        raise click.UsageError("choose one of --client NAME and --wide")
    if wide and not checkpoints:
        raise click.UsageError("--wide needs a checkpoint: --checkpoint FILE")
    refuse_journals_alone(journals, checkpoints)
    if keep == "used" and since_s is None:
        raise click.UsageError("--keep used needs --since SPAN: files used since then stay mapped")
    if keep != "used" and (since_s is not None or logs):
        raise click.UsageError("--since and --log need --keep used")
    judged_by = chosen_policy(policy, home)
    address = Address(port, user)
    recent_use = None if since_s is None else RecentUse(int(since_s), logs)
    kept = KeptFiles(recent_use.since_s if recent_use else None)
    selection = Selection(
        ("client",),
        home,
        facts,
        checkpoints,
        journals,
        index,
        address,
        max_per_second,
        names,
        kept,
    )
    notes: list[str] = []
    with open_source(selection) as source:
        answers = sufficient_views(source, selection, judged_by, notes, most, recent_use)
        for note in [*source.notes, *source.faults, *notes]:
            click.echo(f"note: {note}", err=True)
    _show(answers, as_json=as_json)


def _show(answers: Sequence[tuple[SearchResult, str | None]], *, as_json: bool) -> None:
    for answer, owner in answers:
        if as_json:
            click.echo(ascii_line(_document(answer, owner)), nl=False)
        else:
            click.echo("\n".join(_text(answer, owner)) + "\n")
    if not as_json:
        click.echo(_summary([answer for answer, _ in answers]))


def _document(answer: SearchResult, owner: str | None) -> dict[str, Any]:
    proposal = answer.proposal
    return {
        "client": answer.client,
        "owner": owner,
        "needed": answer.needed_count,
        "unused": answer.unused_count,
        "moved": answer.moved_count,
        "outside": answer.outside_count,
        "files": answer.files,
        "least_files": answer.least_files,
        "view": [row.text() for row in answer.view],
        "proposal": proposal and _proposed(proposal),
        "leaving": list(answer.dropped_paths),
        "reason": answer.reason or None,
    }


def _proposed(proposal: Proposal) -> dict[str, Any]:
    key = "limit_view" if proposal.is_limit else "view"
    return {"files": proposal.files, key: list(proposal.lines)}


def _text(answer: SearchResult, owner: str | None) -> Iterator[str]:
    yield f"{printable(answer.client)}, owner {printable(owner or 'nobody')}"
    lines, verb = amount(len(answer.view), "line"), "has" if not answer.unused_count else "uses"
    files = "" if answer.files is None else f", {amount(answer.files, 'file')}"
    yield f"  present view: {lines}{files}; the client {verb} {answer.needed_count:,} of them"
    if answer.unused_count:
        yield f"  not used: {amount(answer.unused_count, 'file')} that the client has"
    if answer.moved_count:
        moved = amount(answer.moved_count, "file")
        yield f"  moved by an edit of the view: {moved}, which the next sync puts in its new place"
    if answer.outside_count:
        outside = amount(answer.outside_count, "file")
        yield f"  outside the view: {outside}, which the next sync removes with any lines"
    if answer.proposal is None:
        yield f"  no proposal: {printable(answer.reason)}"
        return
    proposed, name = answer.proposal, "LimitView" if answer.proposal.is_limit else "view"
    lines = amount(len(proposed.lines), "line")
    yield f"  sufficient {name}: {lines}, {amount(proposed.files, 'file')}"
    yield from _leaving(answer.dropped_paths)
    yield f"{proposed.field}:"
    yield from (f"\t{shown_lines(line)}" for line in proposed.lines)


def _leaving(paths: Sequence[str]) -> Iterator[str]:
    if not paths:
        return
    yield f"  removed from the disk at the next sync: {amount(len(paths), 'file')}"
    yield from (f"    {printable(path)}" for path in paths[:_SHOWN_PATHS])
    if len(paths) > _SHOWN_PATHS:
        yield f"    and {len(paths) - _SHOWN_PATHS:,} more; --json lists all of them"


def _summary(answers: list[SearchResult]) -> str:
    proposals = [answer for answer in answers if answer.proposal]
    files_before = [answer.files for answer in proposals if answer.files is not None]
    files_after = sum(answer.proposal.files for answer in proposals if answer.proposal)
    today = f" instead of {sum(files_before):,}" if len(files_before) == len(proposals) else ""
    clients = amount(len(answers), "client")
    return f"{clients}, {amount(len(proposals), 'proposal')}: {amount(files_after, 'file')}{today}"
