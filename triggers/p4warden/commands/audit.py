"""`p4warden audit`: report the state of a server from a checkpoint alone."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden.audit.figures import Column, Figures, Source, day, document, iso, shown
from p4warden.audit.findings import Findings, gather
from p4warden.audit.first_steps import first_steps
from p4warden.audit.log_tables import Logged
from p4warden.audit.tables import tables
from p4warden.commands.log_progress import progress
from p4warden.core.errors import P4WardenError
from p4warden.core.json_lines import ascii_line
from p4warden.index.build import build
from p4warden.rehearse.log_replay import NO_POLICY, Rehearsal, rehearse
from p4warden.reports import terminal
from p4warden.reports.html import page, section
from p4warden.rightsize.finder import Sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden.audit.first_steps import Step


@click.command()
@click.argument("checkpoint", metavar="CHECKPOINT")
@click.argument("journals", nargs=-1, metavar="[JOURNAL]...")
@click.option(
    "--log",
    "logs",
    multiple=True,
    metavar="LOG",
    help="p4d's log, to show its commands by estimated and by actual rows; repeatable, gzip too.",
)
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
def audit(  # noqa: PLR0913 - one for each option
    checkpoint: str,
    journals: tuple[str, ...],
    logs: tuple[str, ...],
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
        findings = findings._replace(log=_logged(logs, index) if logs else None)
    for note in [*built.notes, *findings.notes]:
        click.echo(f"note: {note}", err=True)
    steps, figures = list(first_steps(findings)), list(tables(findings))
    if html_file:
        _write(html_file, _page(checkpoint, findings, steps, figures))
    if as_json:
        click.echo(ascii_line(_document(checkpoint, findings, steps, figures)), nl=False)
    else:
        lines = (f"{number}. {step.text}" for number, step in enumerate(steps, 1))
        whole = "--html and --json have more"
        terminal.show([_totals(findings), *lines], map(shown, figures), whole)


def _logged(logs: tuple[str, ...], index: str) -> Logged:
    with progress() as bar:
        report = rehearse(Rehearsal(logs, NO_POLICY, index_file=index), bar)
    for problem in report["problems"]:
        click.echo(f"note: {problem}", err=True)
    return Logged(report["from"], report["until"], report["calibration"]["commands"])


def _page(
    checkpoint: str, findings: Findings, steps: Sequence[Step], figures: Sequence[Figures]
) -> str:
    lines = [
        f"{Path(checkpoint).name}: {_totals(findings)}",
        f"Made on {time.strftime('%Y-%m-%d %H:%M')} by p4warden audit.",
    ]
    first = Figures(
        "steps",
        "First steps",
        "Least work for most effect first.",
        Source(("the tables named with each",), findings.time_s),
        (Column("text", "Step"),),
        [
            (f"{number}. {step.text} ({', '.join(step.tables)})",)
            for number, step in enumerate(steps, 1)
        ],
    )
    return page("Audit of a Perforce server", lines, map(section, map(shown, [first, *figures])))


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise P4WardenError(f"{file}: cannot be written: {error.strerror}") from error


def _document(
    checkpoint: str, findings: Findings, steps: Sequence[Step], figures: Sequence[Figures]
) -> dict[str, object]:
    return {
        "checkpoint": Path(checkpoint).name,
        "time": iso(findings.time_s),
        "files": findings.files,
        "revisions": findings.revisions,
        "clients": len(findings.clients),
        "groups": len(findings.groups),
        "first_steps": [{"text": step.text, "source": list(step.tables)} for step in steps],
        "tables": {one.name: document(one) for one in figures},
    }


def _totals(findings: Findings) -> str:
    when = day(findings.time_s)
    return (
        f"{f'on {when}: ' if when else ''}{findings.files:,} files, {findings.revisions:,} "
        f"revisions, {len(findings.clients):,} clients, {len(findings.groups):,} groups"
    )
