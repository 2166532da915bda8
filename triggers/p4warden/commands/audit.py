from __future__ import annotations

import contextlib
import time
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden.commands.facts_origin import facts_of_file
from p4warden.commands.file_counts import temporary_index
from p4warden.commands.log_progress import progress
from p4warden.commands.options import WholeNumber, checked_policy, named_policy
from p4warden.core.json_lines import ascii_line
from p4warden.core.plural import amount
from p4warden.core.time_spans import age
from p4warden.home import public_file, usable
from p4warden.reports import terminal
from p4warden.reports.html import PRIVATE_PAGE_MODE, page
from p4warden.workbench.audit import groups, small_tables
from p4warden.workbench.audit.figures import (
    LINES,
    Column,
    Figures,
    Source,
    day,
    document,
    iso,
    moment,
    text_table,
)
from p4warden.workbench.audit.findings import Findings, gather
from p4warden.workbench.audit.first_steps import first_steps
from p4warden.workbench.audit.log_tables import DEFAULT_POLICY, LoggedCommands
from p4warden.workbench.audit.tables import tables
from p4warden.workbench.checkpoint.reading import KeptFiles, Sources
from p4warden.workbench.checkpoint.small_tables import SmallTables
from p4warden.workbench.logs.run_time_shares import run_time
from p4warden.workbench.replay.log_replay import Rehearsal, rehearse
from p4warden.workbench.tune import checkpoint_state, index_site, report
from p4warden.workbench.tune.all_findings import tuning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden.workbench.audit.first_steps import Step
    from p4warden.workbench.tune.all_findings import Tuning

_OLD_S = 7 * 86400
"""Age of a checkpoint, in seconds, from which the audit report warns of it."""


@click.command()
@click.argument("checkpoint", metavar="CHECKPOINT")
@click.argument("journals", nargs=-1, metavar="[JOURNAL]...")
@click.option(
    "--log",
    "logs",
    multiple=True,
    metavar="LOG",
    help="A log of p4d: show its commands by estimated and actual rows, and what takes most "
    "of the run time; repeatable.",
)
@click.option(
    "--html", "html_file", metavar="FILE", help="Write an HTML page; an existing file is replaced."
)
@click.option("--json", "as_json", is_flag=True, help="Write all figures as one JSON object.")
@click.option(
    "--max-files",
    default=20_000,
    show_default=True,
    type=WholeNumber(1),
    metavar="N",
    help="Most files that a proposed view may span.",
)
@click.option(
    "--months",
    default=6,
    show_default=True,
    type=WholeNumber(1, 1200),
    metavar="N",
    help="List clients that nobody used for N months.",
)
@click.option(
    "--facts",
    metavar="FILE",
    help="The server's facts.json (p4warden refresh): propose a LimitView to clients of streams "
    "if its client forms have that field.",
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
    facts: str | None,
) -> None:
    """Show expensive, unused and unlimited objects of a server, from its checkpoint alone.

    Nothing is installed, no server is contacted, and nothing is changed. CHECKPOINT is a file,
    plain or gzip, or the directory of a parallel checkpoint; later journals may follow it.
    """
    usable.refuse_unwritable(html_file)
    has_limit_view = facts is not None and facts_of_file(facts).limit_view
    names = {*small_tables.TABLES, *checkpoint_state.TABLES}
    with (
        contextlib.closing(SmallTables(names, kept=checkpoint_state.KEPT)) as small,
        temporary_index(Sources([checkpoint], journals), small, KeptFiles()) as built,
    ):
        findings = gather(small, built, max_files, months, has_limit_view=has_limit_view)
        findings = findings._replace(log=_logged(logs, built.file) if logs else None)
        state, site = checkpoint_state.state(small), index_site.site(built.file)
    tuned = tuning(state, site, case_sensitive=findings.is_sensitive)
    other_notes = [note.text for note in state.notes if note.table not in small_tables.TABLES]
    for note in [*findings.notes, *other_notes]:
        click.echo(f"note: {note}", err=True)
    source = Source(report.CHECKPOINT_TABLES, findings.time_s)
    subjects = [one.subject for one in tuned.findings]
    proposed = {field for field in groups.FIELDS if any(field in one for one in subjects)}
    steps = list(first_steps(findings, [checkpoint, *journals], proposed))
    figures = [*tables(findings), *report.figures(tuned, source)]
    summary = [_totals(findings), *_age_warning(findings.time_s, int(time.time()))]
    if html_file:
        shown = [_as_table(findings, steps), *figures]
        public_file.write(html_file, _page(checkpoint, summary, shown), PRIVATE_PAGE_MODE)
    if as_json:
        click.echo(ascii_line(_document(checkpoint, findings, steps, figures)), nl=False)
    elif html_file:
        click.echo(html_file)
    else:
        texts = [*starmap(_step_text, enumerate(steps, 1)), *_settings(tuned)]
        _print([*summary, *texts], figures)


def _print(texts: Sequence[str], figures: Sequence[Figures]) -> None:
    shown = (one for one in figures if one.name not in report.IN_TEXTS)
    terminal.show(texts, map(text_table, shown), "--html and --json have more")


def _settings(tuned: Tuning) -> list[str]:
    return ["", f"Settings of the server: {tuned.unseen}", *report.texts(tuned), ""]


def _logged(logs: tuple[str, ...], index: str) -> LoggedCommands:
    policy = checked_policy(named_policy(DEFAULT_POLICY))
    with progress() as bar:
        log_report = rehearse(Rehearsal(logs, policy, index_file=index), bar)
    for problem in log_report["problems"]:
        click.echo(f"note: {problem}", err=True)
    return LoggedCommands(
        logs,
        log_report["from"],
        log_report["until"],
        log_report["compared_estimates"]["commands"],
        run_time(log_report),
    )


def _page(checkpoint: str, summary: Sequence[str], figures: Sequence[Figures]) -> str:
    first, *rest = summary
    origin = f"Made on {moment(time.time())} by p4warden audit."
    lines = [f"{Path(checkpoint).name}: {first}", *rest, origin]
    return page("Audit of a Perforce server", lines, map(text_table, figures), {})


def _as_table(findings: Findings, steps: Sequence[Step]) -> Figures:
    return Figures(
        "steps",
        "First steps",
        "By share of the run time in p4d's log, if one is read, then by rows that are read or "
        "kept for nothing. Replace the words in capitals in commands.",
        Source(("the tables named with each",), findings.time_s),
        (Column("text", "Step", LINES),),
        [
            (tuple(_step_text(number, step, f" ({', '.join(step.tables)})").split("\n")),)
            for number, step in enumerate(steps, 1)
        ],
    )


def _step_text(number: int, step: Step, source: str = "") -> str:
    return "\n    ".join([f"{number}. {step.text}{source}", *step.commands])


def _age_warning(time_s: int | None, now_s: int) -> list[str]:
    if time_s is None or now_s - time_s < _OLD_S:
        return []
    since = "clients, files and groups may have changed since. Use the latest one before you act."
    return [f"The checkpoint is {age(now_s - time_s)} old: {since}"]


def _document(
    checkpoint: str, findings: Findings, steps: Sequence[Step], figures: Sequence[Figures]
) -> dict[str, object]:
    return {
        "checkpoint": Path(checkpoint).name,
        "time": iso(findings.time_s),
        "files": findings.files,
        "revisions": findings.revisions,
        "clients": len(findings.clients),
        "unloaded_clients": findings.unloaded_count,
        "groups": len(findings.groups),
        "first_steps": [
            {"text": step.text, "source": list(step.tables), "commands": list(step.commands)}
            for step in steps
        ],
        "tables": {one.name: document(one) for one in figures},
    }


def _totals(findings: Findings) -> str:
    date = day(findings.time_s)
    unloaded = f" (and {findings.unloaded_count:,} unloaded)" if findings.unloaded_count else ""
    return (
        f"{f'on {date}: ' if date else ''}{amount(findings.files, 'file')}, "
        f"{amount(findings.revisions, 'revision')}, {amount(len(findings.clients), 'client')}"
        f"{unloaded}, {amount(len(findings.groups), 'group')}"
    )
