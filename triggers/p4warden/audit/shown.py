"""The tables of an audit, as plain text; each says from which database table it is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from p4warden.audit import groups
from p4warden.audit.clients import clean_up
from p4warden.audit.findings import kind_of
from p4warden.core.printable import printable_lines
from p4warden.core.time_spans import LATEST_S
from p4warden.reports.rows import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from p4warden.audit.findings import Findings

_PLACES = 100


def tables(findings: Findings) -> Iterator[Table]:
    """Yield the tables in the order in which they are shown."""
    yield _expensive(findings)
    yield _unused(findings)
    yield _places(findings)
    yield _wide_specs(findings)
    yield _long_paths(findings)
    yield _groups(findings)
    yield _unlimited(findings)
    yield _dead(findings)
    yield _slow(findings)


def steps_table(steps: Iterable[str]) -> Table:
    """Return sentences as a table, numbered."""
    rows = [(f"{number}. {step}",) for number, step in enumerate(steps, 1)]
    return _table("steps", "First steps", "In the order of their effect.", ("Step",), rows, set())


def _expensive(findings: Findings) -> Table:
    spanned = {client.domain.name: client for client in findings.clients}
    rows = []
    for answer in findings.enough:
        client = spanned[answer.client]
        proposal = answer.proposal
        enough = (_count(proposal.files), str(len(proposal.view))) if proposal else ("-", "-")
        lines = "\n".join(row.text() for row in proposal.view) if proposal else answer.reason
        known = (client.domain.owner, day(client.domain.accessed_s), _count(client.files))
        kept = "-" if answer.has_own_have else _count(answer.needed)
        rows.append((client.domain.name, *known, _count(client.have), kept, *enough, lines))
    return _table(
        "expensive",
        "Clients that span most files",
        "Spans: files of db.revhx and db.revdx in the ranges of db.view. Has: records of db.have. "
        "Keeps: those, and open files (db.working), that the view of today maps to their places. "
        "Enough: files that a view spans which keeps all of these where they are.",
        (
            "Client",
            "Owner",
            "Last used",
            "Spans",
            "Has",
            "Keeps",
            "Enough",
            "Lines",
            "View that is enough",
        ),
        sorted(rows, key=lambda row: -int(row[3].replace(",", ""))),
        {2, 3, 4, 5, 6, 7},
    )


def _unused(findings: Findings) -> Table:
    rows = [
        (
            one.domain.name,
            one.domain.owner,
            day(one.domain.accessed_s),
            _count(one.have),
            "\n".join(clean_up(one)) or "its list of files is elsewhere: ask its owner",
        )
        for one in findings.unused
    ]
    return _table(
        "unused",
        f"Clients that nobody used for {findings.months} months",
        "Last use by db.domain, counted back from the last time in the checkpoint. An unloaded "
        "client can be reloaded; a deleted one is gone. The commands are comments: read them "
        "first.",
        ("Client", "Owner", "Last used", "Has", "Commands"),
        rows,
        {2, 3},
    )


def _places(findings: Findings) -> Table:
    ranked = sorted(findings.places, key=lambda place: (-place[1], place[0]))
    rows = [(path, _count(files), _count(revisions)) for path, files, revisions in ranked]
    note = "Files of db.revhx and db.revdx, revisions of db.rev."
    columns = ("Path", "Files", "Revisions")
    table = _table("places", "Depots and directories at their tops", note, columns, rows, {1, 2})
    return table._replace(rows=table.rows[:_PLACES], left_out=max(0, len(rows) - _PLACES))


def _wide_specs(findings: Findings) -> Table:
    rows = [
        (kind_of(one.domain), one.domain.name, one.domain.owner, _count(one.files))
        for one in findings.wide_specs
    ]
    return _table(
        "specs",
        "Branches and labels that span most files",
        "Lines of db.view; an estimate of the files of each line, added up.",
        ("Type", "Name", "Owner", "Spans"),
        rows,
        {3},
    )


def _long_paths(findings: Findings) -> Table:
    rows = [(path, _count(length_bytes)) for path, length_bytes in findings.long_paths]
    note = "Paths of db.revhx. Windows clients fail at 260 characters with their Root before them."
    return _table("paths", "Longest paths", note, ("Path", "Bytes"), rows, {1})


def _groups(findings: Findings) -> Table:
    rows = [
        (name, _count(users), ", ".join(fields))
        for name, users, fields in groups.without_limit(findings.groups)
    ]
    return _table(
        "groups",
        "Groups without MaxScanRows or MaxLockTime",
        "By db.group. A user is held by the highest number of all groups; without any the user "
        "is unlimited.",
        ("Group", "Users", "Lacks"),
        rows,
        {1},
    )


def _unlimited(findings: Findings) -> Table:
    rows = [
        (one.user, one.field, ", ".join(one.limited_by), ", ".join(one.lifted_by))
        for one in findings.unlimited
    ]
    note = "By db.group: one of the user's groups sets a number, another one says unlimited."
    columns = ("User", "Limit", "Set by", "Lifted by")
    return _table("unlimited", "Users whose limit another group lifts", note, columns, rows, set())


def _dead(findings: Findings) -> Table:
    rows = [
        (
            str(one.number),
            findings.protections[one.number - 1].text(),
            "nothing before it to exclude" if one.by is None else f"line {one.by} decides",
        )
        for one in findings.dead
    ]
    return _table(
        "dead",
        "Lines of the protections table that change no answer",
        f"Of {len(findings.protections)} lines in db.protect. Each may be removed, and all "
        "together: no user gains or loses a right.",
        ("Line", "Protection", "Why"),
        rows,
        {0},
    )


def _slow(findings: Findings) -> Table:
    rows = [
        (str(number), findings.protections[number - 1].text(), reason)
        for number, reason in findings.slow
    ]
    return _table(
        "slow",
        "Lines of the protections table that cost most",
        "Wildcards within a path and exclusions are compared with every file that a command "
        "shows. Prefer lines that grant a directory and all below it.",
        ("Line", "Protection", "Why"),
        rows,
        {0},
    )


def _table(
    name: str,
    title: str,
    note: str,
    columns: tuple[str, ...],
    rows: Sequence[Sequence[str]],
    numbers: set[int],
) -> Table:
    cells = [tuple(printable_lines(cell) for cell in row) for row in rows]
    return Table(name, title, note, columns, cells, frozenset(numbers))


def _count(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def day(seconds: int) -> str:
    """Return the local date of seconds since the epoch, `YYYY-MM-DD`; `-` where it has none."""
    if not 0 < seconds <= LATEST_S:
        return "-"
    return time.strftime("%Y-%m-%d", time.localtime(seconds))
