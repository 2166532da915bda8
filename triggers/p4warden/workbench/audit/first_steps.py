"""Recommended steps: by their share of the run time where there is a log, else by rows."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.plural import amount
from p4warden.core.printable import printable
from p4warden.workbench.audit.findings import MIN_DIRECTORIES
from p4warden.workbench.audit.log_tables import DEFAULT_POLICY
from p4warden.workbench.logs.run_time_shares import percent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from p4warden.workbench.audit.clients import AuditedClient
    from p4warden.workbench.audit.findings import Findings
    from p4warden.workbench.logs.run_time_shares import Share

_HALF = 2
_WORTH_A_STEP = 0.05
"""Share of the run time of all commands."""
_GROUP = " The settings below propose a group that limits people, and nobody else."
_NO_GROUP = " Set a limit in a group (p4 group)."
_EXCEPTIONS = (
    " First put the accounts of builds, replicas and administrators in a group of their own with "
    "higher numbers or unlimited: the highest number of a user's groups counts. MaxLockTime is in "
    "milliseconds."
)
"""See p4 help group."""
_LETTERS = (
    "p4warden notify-owners --census census.jsonl --deadline YYYY-MM-DD "
    "--domain EXAMPLE.COM --contact YOU@EXAMPLE.COM --to-folder letters"
)
_NAMES = 10
_SMALL_FILES = 100_000
"""Number of files on a server below which even a client that spans all of them costs little."""
_SPANS = ("db.domain", "db.view", "db.revhx", "db.revdx")


class Step(NamedTuple):
    text: str
    tables: tuple[str, ...]  # or `p4d's log`
    commands: tuple[str, ...] = ()  # words in capitals are to be replaced
    rows: int = 0  # that a command may read, or that are kept, for nothing
    share: float = 0.0  # of the run time in the log


def first_steps(
    findings: Findings, files: Sequence[str], proposed_limits: Collection[str]
) -> Iterator[Step]:
    """Yield the steps; `files` are the checkpoint, then its journals, for the commands.

    `proposed_limits`: fields that a group in the settings of the server, below the steps, sets.
    """
    steps = [
        *_costly(findings),
        *_unused(findings),
        *_limits(findings, files, proposed_limits),
        *_narrow(findings, files),
        *_protections(findings),
    ]
    yield from sorted(steps, key=lambda step: (-step.share, -step.rows))


def _costly(findings: Findings) -> Iterator[Step]:
    """Name the commands that take most of the run time in the log."""
    log = findings.log
    load = shlex.join(["p4warden", "log", "load", *log.files]) if log else ""
    for number, one in enumerate(log.run_time.shares if log else ()):
        if one.part >= _WORTH_A_STEP:
            program = printable(one.program) or "an unnamed program"
            yield Step(
                f"{printable(one.form)} of {program} takes {percent(one.part)} of the run time of "
                f"users' commands: {_cost(one)}; {_stopped(one)}. See who sends it.",
                ("p4d's log",),
                (*(() if number else (load,)), _who(one)),
                share=one.part,
            )


def _cost(one: Share) -> str:
    its = one.all
    rows = "" if its.rows is None else f", {amount(its.rows, 'row')}"
    waits = f", {its.waited_s:,.1f} s of waits for locks" if its.waited_s else ""
    return f"{amount(its.commands, 'command')}, {its.lapse_s:,.1f} s{rows}{waits}"


def _stopped(one: Share) -> str:
    if not one.rules:
        return f"no rule of the policy {DEFAULT_POLICY} would stop it"
    return f"rules of the policy {DEFAULT_POLICY} would stop {one.stopped_text}"


def _who(one: Share) -> str:
    command = one.form.split(" ", 1)[0]
    program = ["--program", f"{one.program}*"] if one.program.isprintable() else []
    return shlex.join(["p4warden", "log", "report", "users", "--command", command, *program])


def _narrow(findings: Findings, files: Sequence[str]) -> Iterator[Step]:
    wide = [one for one in findings.clients if one.files * _HALF > findings.files]
    savings = [
        saving
        for answer in findings.sufficient_views
        if answer.proposal and (saving := (answer.files or 0) - answer.proposal.files) > 0
    ]
    if wide:
        gain = findings.gain
        rule = f" A rule with min_depth: {MIN_DIRECTORIES} {gain.advice}." if gain else ""
        text = _wide(len(wide), findings.files) + rule
        rows = sum(one.files for one in wide) if findings.files >= _SMALL_FILES else 0
        yield Step(text, _SPANS, (_census(files),), rows)
    if savings:
        yield Step(
            f"Of the {len(findings.sufficient_views):,} widest clients {len(savings):,} could map "
            "less and keep all files that they have and that their views map today: each view "
            "would span "
            f"{sum(savings) // len(savings):,} fewer files on average. The first command proposes "
            "such views for all clients that a policy refuses, the second writes a letter to each "
            "of their owners into a folder. The letters announce that the server refuses these "
            "clients from the deadline on: deploy the policy by then. Read some letters, "
            "then give each file to your mail program: /usr/sbin/sendmail -i -t <FILE. Addresses "
            "are those of p4 users, or of a file with --addresses.",
            (*_SPANS, "db.have", "db.working"),
            (f"{_census(files, '--rightsize', '--json')} >census.jsonl", _LETTERS),
            sum(savings),
        )
    yield from _empty(findings)


def _wide(number: int, files: int) -> str:
    span = "1 client spans" if number == 1 else f"{number:,} clients span"
    cost = (
        "on a server of this size that costs little today"
        if files < _SMALL_FILES
        else "each sync or fstat of the whole client looks through them"
    )
    return (
        f"{span} over half of all {files:,} files: {cost}. See which clients a policy would "
        "refuse if their owners saved them again."
    )


def _census(files: Sequence[str], *options: str) -> str:
    checkpoint, *journals = files
    words = ["--policy", DEFAULT_POLICY, "--checkpoint", checkpoint, *options, *journals]
    return shlex.join(["p4warden", "census", *words])


def _empty(findings: Findings) -> Iterator[Step]:
    empty = [
        answer.client
        for answer in findings.sufficient_views
        if answer.files
        and not (
            answer.needed_count
            or answer.unused_count
            or answer.outside_count
            or answer.has_own_have
            or findings.unloading.shelves_of(answer.client)
        )
    ]
    if empty:
        names = ", ".join(map(printable, empty[:_NAMES]))
        more = f" and {len(empty) - _NAMES:,} more" if len(empty) > _NAMES else ""
        yield Step(
            f"Nothing is synced or open in {len(empty):,} of the "
            f"{len(findings.sufficient_views):,} widest clients ({names}{more}). "
            "Ask each owner whether the client is still needed; p4 client -d -f NAME deletes it.",
            (*_SPANS, "db.have", "db.working", "db.changex"),
        )


def _limits(
    findings: Findings, files: Sequence[str], proposed_limits: Collection[str]
) -> Iterator[Step]:
    commands = () if findings.log else (f"{shlex.join(['p4warden', 'audit', *files])} --log LOG",)
    if not findings.groups:
        yield Step(
            f"The server has no groups, so no command has a limit."
            f"{_remedy(proposed_limits)}{_largest(findings)}"
            f"{_EXCEPTIONS}",
            ("db.group",),
            commands,
            max(findings.files, findings.revisions),
        )
        return
    by_number: dict[int, list[str]] = {}
    for field, number in findings.users_without_limit.items():
        by_number.setdefault(number, []).append(field)
    for number, fields in by_number.items():
        if number:
            yield Step(
                f"No group sets {' or '.join(fields)} for {amount(number, 'user')}"
                f"{_in_no_group(findings, number)}: one command "
                f"of theirs may read or lock a whole table."
                f"{_remedy([*filter(proposed_limits.__contains__, fields)])}"
                f"{_largest(findings)}{_EXCEPTIONS}",
                ("db.group", *(("p4d's log",) if findings.log else ())),
                commands,
                max(findings.files, findings.revisions),
            )
    if findings.unlimited_users:
        yield Step(
            f"Another group removes a limit for {amount(len(findings.unlimited_users), 'user')}; "
            "check that each user needs this.",
            ("db.group",),
        )


def _remedy(proposed_limits: Collection[str]) -> str:
    return _GROUP if proposed_limits else _NO_GROUP


def _in_no_group(findings: Findings, number: int) -> str:
    owners = findings.owners_in_no_group
    verb, noun = ("owns clients", "is") if owners == 1 else ("own clients", "are")
    who = "who" if owners == number else f"{owners:,} of whom"
    return f" ({who} {verb} and {noun} in no group)" if owners else ""


def _largest(findings: Findings) -> str:
    if findings.log is None:
        return (
            " Choose numbers above those of legitimate commands; with p4d's log this audit lists "
            "the commands that read most rows."
        )
    rows = [
        one["rows"] for command in findings.log.commands.values() for one in command["by_rows"]
    ]
    most = max(rows, default=0)
    if not most:
        return ""
    return (
        f" The largest command of the log read {most:,} rows: choose a number above those of "
        "legitimate commands, which are listed below."
    )


def _unused(findings: Findings) -> Iterator[Step]:
    have, clients = _had(findings.unloadable_clients), len(findings.unloadable_clients)
    if have:
        has_depot = findings.unloading.has_depot
        commands = (
            " p4 reload restores an unloaded client."
            if has_depot
            else " An audit of the next checkpoint then has the commands."
        )
        depot = (
            ""
            if has_depot
            else "Create an unload depot (p4 depot unload, Type: unload). Then unload"
        )
        yield Step(
            f"{depot or 'Unload'} {amount(clients, 'client')} that nobody used for "
            f"{amount(findings.months, 'month')}, which frees {amount(have, 'record')} of db.have "
            f"({_unused_share(findings):.0%} of all).{commands}"
            f"{_selection(findings)}",
            ("db.domain", "db.have", "db.working", "db.changex", "db.depot"),
            (findings.unload_all,) if findings.unload_all else (),
            have,
        )


def _selection(findings: Findings) -> str:
    if findings.unload_all:
        return " This command selects exactly these clients:"
    return " The commands are below." if findings.unloading.has_depot else ""


def _unused_share(findings: Findings) -> float:
    every = _had(findings.clients)
    return _had(findings.unloadable_clients) / every if every else 0.0


def _had(clients: Sequence[AuditedClient]) -> int:
    return sum(client.have or 0 for client in clients)


def _protections(findings: Findings) -> Iterator[Step]:
    if findings.dead_lines:
        yield Step(
            f"Remove {amount(len(findings.dead_lines), 'line')} of the protections table without "
            f"effect, of {len(findings.protections):,}; the table below shows for each the line "
            "that decides instead (p4 protect).",
            ("db.protect",),
        )
