from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden.commands.deploy.termination_signals import interrupt_on_termination
from p4warden.commands.event_file import read_object
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.home import public_file, usable
from p4warden.prove import facts_file
from p4warden.prove.experiment_run import ServerRecordings
from p4warden.prove.experiment_run import prove as run_experiments
from p4warden.prove.markdown import as_markdown
from p4warden.prove.records import BREAKS, INCONCLUSIVE, UNASKED
from p4warden.prove.report import as_document, recordings_of, report_of
from p4warden.prove.server import program_path

if TYPE_CHECKING:
    from p4warden.prove.records import Experiment
    from p4warden.prove.report import Report


@click.command()
@click.option("--p4d", "program", metavar="FILE", help="The p4d program to test.")
@click.option(
    "--recorded",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Judge a JSON report again, and start no server.",
)
@click.option("--markdown", metavar="FILE", help="Write the report as Markdown.")
@click.option("--json", "json_file", metavar="FILE", help="Write the report as JSON.")
def prove(
    program: str | None, recorded: Path | None, markdown: str | None, json_file: str | None
) -> int:
    """Test how a p4d behaves, and whether the promises of p4warden hold with it.

    This command starts that p4d in a temporary folder on a loopback port, needs no licence and no
    network, and takes less than three minutes. It does not touch your settings or servers. The
    report names no host, account, path or address.

    Exit code: 0 if all promises hold, 1 if one does not, 2 if that could not be determined.
    """
    if (program is None) == (recorded is None):
        raise click.UsageError("specify either p4d with --p4d, or a report with --recorded")
    files = [file for file in (markdown, json_file) if file]
    for file in files:
        if not Path(file).absolute().parent.is_dir():
            raise P4WardenError(f"{file}: its folder does not exist; create it first")
    usable.refuse_unwritable(*files)
    experiments = facts_file.experiments()
    proof = _recorded(recorded) if recorded else _proved(program or "", experiments)
    report = report_of(proof.version, experiments, proof.recordings)
    texts = {markdown: as_markdown(report)} if markdown else {}
    if json_file:
        texts[json_file] = json.dumps(as_document(report), indent=1) + "\n"
    public_file.write_all(texts)
    _show(report)
    return report.exit_code


def _proved(program: str, experiments: tuple[Experiment, ...]) -> ServerRecordings:
    with interrupt_on_termination():
        return run_experiments(
            program_path(program),
            experiments,
            lambda one: click.echo(f"{one.title} ...", err=True),
        )


def _recorded(file: Path) -> ServerRecordings:
    document = read_object(str(file))
    try:
        recordings = recordings_of(document)
        return ServerRecordings(str(document["p4d"]).encode(), recordings)
    except (ValueError, KeyError) as error:
        raise P4WardenError(f"{file}: {error}") from error


def _show(report: Report) -> None:
    for finding in report.findings:
        fact = finding.fact
        if finding.verdict == BREAKS:
            promises = ", ".join(fact.promises)
            click.echo(f"{fact.id}: {finding.value}, which breaks {promises}; {fact.question}")
        elif finding.verdict == INCONCLUSIVE:
            click.echo(f"{fact.id}: inconclusive, {finding.reason}")
        elif finding.verdict == UNASKED:
            click.echo(f"{fact.id}: not asked, {finding.reason}")
    for promise in report.broken_promises.values():
        click.echo(f"A promise does not hold: {promise}")
    asked = [finding for finding in report.findings if finding.verdict != UNASKED]
    conclusive = [finding for finding in asked if finding.verdict != INCONCLUSIVE]
    total = amount(len(asked), "fact")
    click.echo(f"{report.version or 'No p4d'}: {len(conclusive)} of {total} determined.")
    click.echo(f"{report.sum()}.")
