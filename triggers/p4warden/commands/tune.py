from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from p4warden.commands.file_counts import temporary_index
from p4warden.commands.options import installation_options, refuse_journals_alone
from p4warden.core.json_lines import ascii_line
from p4warden.home import trusted_files
from p4warden.index import contents
from p4warden.reports import terminal
from p4warden.workbench.audit.figures import Source, iso, text_table
from p4warden.workbench.checkpoint.reading import Sources
from p4warden.workbench.checkpoint.small_tables import SmallTables
from p4warden.workbench.tune import checkpoint_state, index_site, log_use, report
from p4warden.workbench.tune.all_findings import tuning
from p4warden.workbench.tune.site import Site

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden.workbench.tune.server_state import ServerState
    from p4warden.workbench.tune.site import LogUse

_LIVE = ("p4 configure show", "p4 groups", "p4 property", "p4 users")


class _Subject(NamedTuple):
    name: str  # of the checkpoint or the server
    source: Source
    state: ServerState
    site: Site
    case_sensitive: bool


@click.command()
@click.option(
    "--checkpoint",
    metavar="FILE",
    help="A checkpoint, plain or gzip, or the directory of a parallel one; no server is asked.",
)
@click.argument("journals", nargs=-1, metavar="[JOURNAL]...")
@installation_options
@click.option(
    "--database",
    metavar="FILE",
    help="The database of p4warden log load: what the findings mean for the commands in it.",
)
@click.option("--json", "as_json", is_flag=True, help="Write all findings as one JSON object.")
def tune(  # noqa: PLR0913 - one for each option
    checkpoint: str | None,
    journals: tuple[str, ...],
    port: str | None,
    user: str | None,
    home: str,
    database: str | None,
    *,
    as_json: bool,
) -> None:
    """Show which of Perforce's settings against overload a server lacks, and how to set them.

    Without --checkpoint the server at P4PORT is asked, which needs super access. Nothing is
    changed: each finding has a command to set it and one to undo that, for a person to paste.
    """
    refuse_journals_alone(journals, [checkpoint] if checkpoint else [])
    log = log_use.read(database) if database else None
    found = (
        _checkpoint(checkpoint, journals, log) if checkpoint else _server(port, user, log, home)
    )
    for note in found.state.notes:
        click.echo(f"note: {note.text}", err=True)
    findings = tuning(found.state, found.site, case_sensitive=found.case_sensitive)
    if as_json:
        click.echo(ascii_line({**_head(found), **report.document(findings)}), nl=False)
    else:
        remarks = map(text_table, report.remarks(findings, found.source))
        terminal.show(
            [_summary(found), findings.unseen, *report.texts(findings)],
            remarks,
            "--json has more",
        )


def _checkpoint(checkpoint: str, journals: Sequence[str], log: LogUse | None) -> _Subject:
    with (
        contextlib.closing(
            SmallTables(checkpoint_state.TABLES, kept=checkpoint_state.KEPT)
        ) as small,
        temporary_index(Sources([checkpoint], journals), small) as built,
    ):
        head = contents.head(built.file)
        state, site = checkpoint_state.state(small), index_site.site(built.file, log)
    source = Source(report.CHECKPOINT_TABLES, head["time_s"])
    return _Subject(Path(checkpoint).name, source, state, site, head["case"] != "folded")


def _server(port: str | None, user: str | None, log: LogUse | None, home: str) -> _Subject:
    """Files and workspaces are those of the index in the home folder, if there is one."""
    # Only here, because P4Python takes long to load.
    from p4warden.server.connection import Address, connected  # noqa: PLC0415
    from p4warden.workbench.tune import live_state  # noqa: PLC0415

    index = trusted_files.index_path(home)
    site = Site(log=log) if index is None else index_site.site(index, log)
    with connected(Address(port, user)) as p4:
        live = live_state.read(p4)
    return _Subject(live.port, Source(_LIVE, time.time()), live.state, site, live.case_sensitive)


def _summary(subject: _Subject) -> str:
    releases = subject.state.releases
    release = f"P4 Server {releases.text()}" if releases else "P4 Server of an unknown release"
    return f"{subject.name}: {release}"


def _head(subject: _Subject) -> dict[str, object]:
    releases = subject.state.releases
    kind = "server" if subject.state.is_live else "checkpoint"
    return {
        kind: subject.name,
        "time": iso(subject.source.from_s),
        "release": releases.text() if releases else None,
        "notes": [note.text for note in subject.state.notes],
    }
