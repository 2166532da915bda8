"""`p4warden audit`: report the state of a server from a checkpoint alone."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden.audit import shown
from p4warden.audit.findings import Findings, gather
from p4warden.audit.first_steps import first_steps
from p4warden.commands.log_progress import progress
from p4warden.core.errors import P4WardenError
from p4warden.index.build import build
from p4warden.reports import terminal
from p4warden.reports.html import page, section
from p4warden.rightsize.finder import Sources

if TYPE_CHECKING:
    from p4warden.reports.rows import Table


@click.command()
@click.argument("checkpoint", metavar="CHECKPOINT")
@click.argument("journals", nargs=-1, metavar="[JOURNAL]...")
@click.option("--html", "html_file", metavar="FILE", help="Write a page, in place of one there.")
@click.option("--json", "as_json", is_flag=True, help="Write all of it as one JSON object.")
@click.option(
    "--max-files",
    default=20_000,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="Most files that a proposed view may span.",
)
@click.option(
    "--months",
    default=6,
    show_default=True,
    type=click.IntRange(1, 1200),
    metavar="N",
    help="Clients that were not used for so long are listed.",
)
def audit(
    checkpoint: str,
    journals: tuple[str, ...],
    html_file: str | None,
    *,
    as_json: bool,
    max_files: int,
    months: int,
) -> None:
    """Show expensive, unused and unlimited objects of a server, from its checkpoint alone.

    Nothing is installed, no server is asked, and nothing is changed. CHECKPOINT is a file, plain
    or gzip, or the directory of a parallel checkpoint; it may be followed by later journals.
    """
    with tempfile.TemporaryDirectory(prefix="p4warden-") as folder:
        index = str(Path(folder, "index"))
        with progress() as bar:
            built = build([checkpoint], journals, index, None, bar)
        sources = Sources([checkpoint], journals, str(Path(folder, "files")))
        findings = gather(sources, index, max_files, months)
    for note in [*built.notes, *findings.notes]:
        click.echo(f"note: {note}", err=True)
    tables = list(shown.tables(findings))
    if html_file:
        _write(html_file, _page(checkpoint, findings, tables))
    if as_json:
        click.echo(json.dumps(_document(findings, tables)))
    else:
        steps = (f"{number}. {step}" for number, step in enumerate(first_steps(findings), 1))
        terminal.show([_totals(findings), *steps], tables)


def _page(checkpoint: str, findings: Findings, tables: list[Table]) -> str:
    lines = [
        f"{Path(checkpoint).name}: {_totals(findings)}",
        f"Made on {time.strftime('%Y-%m-%d %H:%M')} by p4warden audit.",
    ]
    first = shown.steps_table(first_steps(findings))
    return page("Audit of a Perforce server", lines, map(section, [first, *tables]))


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise P4WardenError(f"{file}: cannot be written: {error.strerror}") from error


def _document(findings: Findings, tables: list[Table]) -> dict[str, object]:
    return {
        "time_s": findings.time_s,
        "files": findings.files,
        "revisions": findings.revisions,
        "first_steps": list(first_steps(findings)),
        **{
            table.name: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
            for table in tables
        },
    }


def _totals(findings: Findings) -> str:
    day = "" if findings.time_s is None else f"on {shown.day(findings.time_s)}: "
    return (
        f"{day}{findings.files:,} files, {findings.revisions:,} revisions, "
        f"{len(findings.clients):,} clients, {len(findings.groups):,} groups"
    )
