from __future__ import annotations

import contextlib
import json
import time
from typing import TYPE_CHECKING

import click

from p4warden.asking import gate_program
from p4warden.commands.options import home_option, refuse_other_folder
from p4warden.core.errors import P4WardenError
from p4warden.health import line_answers, trigger_programs
from p4warden.history.undone import undone_on_failure
from p4warden.home import active_policy, gate_counts, own_program, public_file, usable
from p4warden.metrics import decision_counts, families, installation, tally
from p4warden.metrics.exposition import is_label, render
from p4warden.metrics.unread_lines import UnreadLines

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator
    from typing import Any

    from p4warden.health.trigger_programs import StartResult
    from p4warden.metrics.exposition import Family
    from p4warden.metrics.tally import Series

_LEFT_OUT = "the counts of decisions are left out"
MODE = 0o644
"""Access rights of the metrics file: every account can read it, because node_exporter has an
account of its own.
"""


def _labels(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    labels = dict(text.partition("=")[::2] for text in values)
    for name in labels:
        if not is_label(name):
            raise click.BadParameter(
                f"{name!r} is not a label name (write for example serverid=commit-1)"
            )
    return labels


@click.command()
@home_option
@click.option(
    "--output", metavar="FILE", help="Replace this .prom file; default: print the metrics."
)
@click.option("--by-user", is_flag=True, help="Count for each user as well.")
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_labels,
    help="A label for every metric, such as serverid=commit-1.",
)
def metrics(home: str, output: str | None, labels: dict[str, str], *, by_user: bool) -> None:
    """Write decision counts and the state of p4warden as a text file for node_exporter.

    Run it as p4d's account from a timer, about once a minute: each run counts the decisions logged
    since the last run, so that totals continue when the log is rotated. The file is replaced by
    rename, and every account can read it, because node_exporter has an account of its own. If
    something fails, as on a full disk or without a gate, the file has what is known, at least its
    time and whether p4d can start the gate.
    """
    usable.refuse_unwritable(output)
    now_s, start = time.time(), trigger_programs.start_last_written(home)
    _note_line_answers(home)
    first = [*installation.beginning(now_s, starts=_starts(start))]
    is_usable = False
    try:
        refuse_other_folder(home)
        usable.refuse_unusable(home)
        is_usable = True
        with undone_on_failure(home, (tally.FILE_NAME,)):
            totals = [*_totals(home, start, users=by_user)]
            rest = installation.families(home, now_s, is_usable=True)
            _write(output, [*first, *totals, *rest], labels)
    except Exception:
        # The old file would go on telling what was true before.
        with contextlib.suppress(P4WardenError):
            _write(output, [*first, *_known(home, now_s, is_usable=is_usable)], labels)
        raise


def _note_line_answers(home: str) -> None:
    found = line_answers.unjudged(home)
    if found:
        text = f"note: {trigger_programs.ways_out(found, home)}"
        click.echo(own_program.named_in(text), err=True)


def _write(output: str | None, metrics: Iterable[Family], labels: dict[str, str]) -> None:
    text = render(metrics, labels)
    if output is None:
        click.echo(text, nl=False)
    else:
        public_file.write(output, text, MODE)


def _starts(start: StartResult) -> bool | None:
    """Tell whether p4d can start the programs of the trigger lines; None if that is unknown."""
    return start.failure is None if start.programs and not start.unchecked else None


def _known(home: str, now_s: float, *, is_usable: bool) -> Iterator[Family]:
    """Yield the metrics of an installation up to the first one that cannot be read."""
    with contextlib.suppress(P4WardenError, OSError):
        yield from installation.families(home, now_s, is_usable=is_usable)


def _totals(home: str, start: StartResult, *, users: bool) -> Iterator[Family]:
    """Update the stored totals from the log, and yield them with the gate's own counters.

    The log is read before the gate is asked for decisions not yet logged, so that a decision
    logged in between is not counted twice. Without the gate the totals stay as they are.
    """
    if start.failure:
        ways_out = trigger_programs.ways_out(start.failure, home)
        click.echo(own_program.named_in(f"note: {_LEFT_OUT}: {ways_out}"), err=True)
        return
    old_tally = tally.load(home)
    modes = active_policy.modes(home)
    unread_log = UnreadLines(home, old_tally.place)
    totals = decision_counts.count_lines(unread_log.lines(), modes, users=users)
    totals[decision_counts.GAPS,] += unread_log.is_gap
    try:
        counts = gate_counts.counts(home) or {}
    except gate_program.GateGoneError as gone:
        click.echo(own_program.named_in(f"note: {_LEFT_OUT}: {gone}"), err=True)
        return
    new_tally = tally.advanced(
        old_tally, totals, _unwritten(counts, modes, users=users), unread_log.place
    )
    tally.save(home, new_tally)
    yield from families.log_families(new_tally.published_totals, users=users)
    yield from families.gate_families(counts)


def _unwritten(counts: dict[str, Any], modes: dict[str, str], *, users: bool) -> Counter[Series]:
    lines = (
        json.dumps(record).encode()
        for record in gate_counts.owed_records(counts)
        if record["verdict"] != "allow" or record.get("rule") in modes
    )
    return decision_counts.count_lines(lines, modes, users=users)
