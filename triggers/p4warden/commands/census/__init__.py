"""`p4warden census`: judge the existing specs of a server by the policy's rules about forms."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden.commands.census.output import (
    CsvOutput,
    JsonOutput,
    Output,
    SufficientViews,
    TableOutput,
)
from p4warden.commands.options import (
    chosen_policy,
    facts_option,
    installation_options,
    max_per_second_option,
    refuse_journals_alone,
    refuse_other_folder,
)
from p4warden.commands.spec_source import Selection, Source, open_source, progress, source_options
from p4warden.commands.sufficient_views import sufficient_views
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.history.record import record
from p4warden.history.undone import undone_on_failure
from p4warden.home import trusted_files, usable
from p4warden.home.baseline_file import FILE_NAME, write
from p4warden.home.last_census import ObjectionCounter
from p4warden.policy.asked_gain import rule_gains
from p4warden.server.connection import Address
from p4warden.workbench.census.judging import facts_for_specs, judged
from p4warden.workbench.census.verdicts import (
    BaselineCollector,
    document,
    judged_types,
    objecting_rules,
)
from p4warden.workbench.checkpoint.reading import KeptFiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.specs import Spec
    from p4warden.policy.compiled import Policy
    from p4warden.workbench.census.judging import Answer


@click.command()
@source_options
@facts_option
@click.option(
    "--index",
    metavar="FILE",
    help="Count files with this index; default: built from the checkpoint, or the home folder's.",
)
@max_per_second_option
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV: the specs with findings.")
@click.option(
    "--json", "as_json", is_flag=True, help="Write every spec, one JSON object per line."
)
@click.option(
    "--write-baseline",
    "with_baseline",
    is_flag=True,
    help="Write the present findings to baseline.json; rules with baseline: true tolerate them.",
)
@click.option(
    "--rightsize",
    "with_enough",
    is_flag=True,
    help="With --checkpoint: propose the lines that keep a client's files (p4warden rightsize).",
)
@installation_options
def census(  # noqa: PLR0913 - one for each option
    *,
    journals: tuple[str, ...],
    policy: str | None,
    checkpoints: tuple[str, ...],
    facts: str | None,
    index: str | None,
    max_per_second: int,
    port: str | None,
    user: str | None,
    home: str,
    as_csv: bool,
    as_json: bool,
    with_baseline: bool,
    with_enough: bool,
) -> None:
    """Judge every client, stream, branch, label and depot as if it were saved unchanged.

    Each spec is judged as if its owner saved it. Rules in mode observe are applied as well, and
    exemptions apply. For each client the output has the files and revisions that its view spans,
    counted by each line's text before its first wildcard, and the files that it has: of the
    checkpoint that is read, otherwise of the last index.

    From a server, forms are read one after another, and the server's form-out triggers run for
    each form. To see forms as they are stored, exempt the account that runs this command from the
    suggest_ rules: {users: [p4admin], rules: [better-clients], reason: census, owner: ...}.
    """
    _check_options(journals, checkpoints, as_csv=as_csv, as_json=as_json, with_enough=with_enough)
    if with_baseline:
        refuse_other_folder(home)
        usable.refuse_unusable(home)
    judged_by = chosen_policy(policy, home)
    types = judged_types(judged_by)
    if not types:
        raise P4WardenError("no rule of the policy judges forms that are saved")
    address = Address(port, user)
    kept = KeptFiles() if with_enough and "client" in types else None
    selection = Selection(
        types, home, facts, checkpoints, journals, index, address, max_per_second, kept=kept
    )
    output: Output = JsonOutput() if as_json else CsvOutput() if as_csv else TableOutput()
    with open_source(selection) as source:
        enough = _enough(source, selection, judged_by) if with_enough else None
        case = source.facts.case_sensitive
        new_baseline = BaselineCollector(case_sensitive=case) if with_baseline else None
        for note in source.notes:
            click.echo(f"note: {note}", err=True)
        counting = _judge(source, judged_by, output, enough, new_baseline, home)
        for line in source.faults:
            click.echo(f"not read: {line}", err=True)
        _show_gains(source, judged_by)
        is_complete = source.is_complete and not source.faults
    if new_baseline is not None:
        _write(home, new_baseline, counting, is_complete=is_complete)
    _keep(home, counting, is_complete=is_complete)


def _check_options(
    journals: tuple[str, ...],
    checkpoints: tuple[str, ...],
    *,
    as_csv: bool,
    as_json: bool,
    with_enough: bool,
) -> None:
    refuse_journals_alone(journals, checkpoints)
    if with_enough and not checkpoints:
        raise click.UsageError("--rightsize needs the files of a checkpoint: --checkpoint FILE")
    if as_csv and as_json:
        raise click.UsageError("choose one of --csv and --json")


def _enough(source: Source, selection: Selection, policy: Policy) -> SufficientViews:
    kinds = ("limit_view_scope", "limit_path_length")
    view_rules = frozenset(rule.name for rule in policy.rules if rule.rule in kinds)
    if selection.kept is None:
        return SufficientViews({}, view_rules)
    answers = sufficient_views(source, selection, policy, [])
    return SufficientViews({answer.client: answer for answer, _ in answers}, view_rules)


def _judge(
    source: Source,
    policy: Policy,
    output: Output,
    enough: SufficientViews | None,
    new_baseline: BaselineCollector | None,
    home: str,
) -> ObjectionCounter:
    counting = ObjectionCounter(policy)
    advice = {rule.name: rule.advice for rule in policy.rules}
    old_baseline = None if new_baseline else _usable_baseline(home)
    for spec, answer in _answers(source, policy, old_baseline):
        counts = source.file_counts.of(spec.type, spec.name) if source.file_counts else None
        tolerated = answer.get("tolerated", ()) if new_baseline or old_baseline else ()
        counting.count(spec.type, spec.owner, objecting_rules(answer), tolerated)
        if new_baseline is not None:
            new_baseline.add(spec, answer)
        verdict = document(spec, answer, advice, counts)
        output.add(enough.in_place(verdict) if enough else verdict)
    output.end()
    return counting


def _show_gains(source: Source, policy: Policy) -> None:
    gains = rule_gains(policy, facts_for_specs(source.facts), source.index_file)
    for name, gain in gains.items():
        click.echo(f"note: by the index, {name} {gain.advice}", err=True)


def _usable_baseline(home: str) -> str | None:
    """Return the path of the home folder's baseline; None without one.

    Raises:
        P4WardenError: the file is not trusted.
    """
    if not trusted_files.has(home, FILE_NAME):
        return None
    try:
        trusted_files.open_file(home, FILE_NAME).close()
    except trusted_files.HomeError as error:
        raise P4WardenError(f"{error}; run p4warden census --write-baseline") from error
    return f"{home}/{FILE_NAME}"


def _answers(
    source: Source, policy: Policy, baseline: str | None
) -> Iterator[tuple[Spec, Answer]]:
    with progress() as bar, source.judging(policy, "marks", baseline=baseline) as judge:
        specs = bar.track(source.specs(), total=source.total, description="specs")
        yield from judged(judge, specs, source.event)


def _keep(home: str, counting: ObjectionCounter, *, is_complete: bool) -> None:
    if not is_complete or not Path(home).is_dir():
        return
    try:
        counting.keep(home, time.time())
    except trusted_files.HomeError as error:
        click.echo(f"note: the counts could not be stored for p4warden check: {error}", err=True)


def _write(
    home: str, new_baseline: BaselineCollector, counting: ObjectionCounter, *, is_complete: bool
) -> None:
    if not is_complete:
        raise P4WardenError(f"{FILE_NAME} was not written, because some specs could not be read")
    specs = amount(len(new_baseline.specs), "spec")
    with undone_on_failure(home, (FILE_NAME,)):
        trusted_files.replace(home, FILE_NAME, write(new_baseline.specs))
        record(home, "baseline", note=specs)
    click.echo(f"{home}/{FILE_NAME}: {specs} recorded in the baseline", err=True)
    for name, counts in counting.counts().items():
        if counts.specs:
            click.echo(f"  {name}: {counts.words}", err=True)
    click.echo(
        "  (Only rules with baseline: true tolerate these. "
        "To end that, set baseline_until: DATE.)",
        err=True,
    )
