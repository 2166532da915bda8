"""The tables of an audit, in the order of display."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.audit import groups
from p4warden.audit.clients import clean_up
from p4warden.audit.figures import DAY, LINES, LIST, NUMBER, Column, Figures, Source
from p4warden.audit.findings import kind_of
from p4warden.audit.log_tables import log_tables
from p4warden.core.printable import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.audit.figures import Value
    from p4warden.audit.findings import Findings

_PLACES = 100
_CLIENT = Column("client", "Client")
_OWNER = Column("owner", "Owner")
_ACCESSED = Column("accessed", "Last used", DAY)
_FILES = Column("files", "Spans", NUMBER)
_HAVE = Column("have", "Has", NUMBER)
_LINE = Column("line", "Line", NUMBER)
_PROTECTION = Column("protection", "Protection")


def tables(findings: Findings) -> Iterator[Figures]:
    """Yield the tables in the order of display."""
    yield _expensive(findings)
    yield _unused(findings)
    yield _groups(findings)
    yield _unlimited(findings)
    yield from log_tables(findings.log)
    yield _wide_specs(findings)
    yield _places(findings)
    yield _long_paths(findings)
    yield _dead(findings)
    yield _slow(findings)


def _source(findings: Findings, *names: str) -> Source:
    return Source(tuple(f"db.{name}" for name in names), findings.time_s)


def _expensive(findings: Findings) -> Figures:
    spanned = {decoded(client.domain.name): client for client in findings.clients}
    rows: list[Sequence[Value]] = []
    for answer in findings.enough:
        client, proposal = spanned[answer.client], answer.proposal
        rows.append(
            (
                client.domain.name,
                client.domain.owner,
                client.domain.accessed_s,
                client.files,
                client.have,
                None if answer.has_own_have else answer.needed,
                proposal.files if proposal else None,
                tuple(row.text() for row in proposal.view) if proposal else (),
                answer.reason or None,
            )
        )
    rows.sort(key=lambda row: (-int(row[3] or 0), row[0]))  # type: ignore[arg-type]
    return Figures(
        "expensive",
        "Clients that span most files",
        "Spans: files in the ranges of the view's lines. Has: files of its list. Keeps: those and "
        "open ones that the view of today maps to their places. Enough: files that a view spans "
        "which keeps all of these where they are.",
        _source(findings, "domain", "view", "revhx", "revdx", "have", "working"),
        (
            _CLIENT,
            _OWNER,
            _ACCESSED,
            _FILES,
            _HAVE,
            Column("keeps", "Keeps", NUMBER, "-"),
            Column("proposal_files", "Enough", NUMBER, "-"),
            Column("proposal_view", "View that is enough", LINES),
            Column("reason", ""),
        ),
        rows,
    )


def _unused(findings: Findings) -> Figures:
    rows = [
        (
            one.domain.name,
            one.domain.owner,
            one.domain.accessed_s,
            one.have,
            clean_up(one) or ("its list of files is elsewhere: ask its owner",),
        )
        for one in findings.unused
    ]
    return Figures(
        "unused",
        f"Clients that nobody used for {findings.months} months",
        "Counted back from the time of the checkpoint. An unloaded client can be reloaded; a "
        "deleted one is gone. The commands are comments: read them first.",
        _source(findings, "domain", "have"),
        (_CLIENT, _OWNER, _ACCESSED, _HAVE, Column("commands", "Commands", LINES)),
        rows,
    )


def _places(findings: Findings) -> Figures:
    ranked = sorted(findings.places, key=lambda place: (-place[1], place[0]))
    columns = (
        Column("path", "Path"),
        Column("files", "Files", NUMBER),
        Column("revisions", "Revisions", NUMBER),
    )
    return Figures(
        "places",
        "Depots and directories at their tops",
        "",
        _source(findings, "revhx", "revdx", "rev"),
        columns,
        ranked[:_PLACES],
        max(0, len(ranked) - _PLACES),
    )


def _wide_specs(findings: Findings) -> Figures:
    rows = [
        (kind_of(one.domain), one.domain.name, one.domain.owner, one.files)
        for one in findings.wide_specs
    ]
    return Figures(
        "specs",
        "Branches, labels and streams that span most files",
        "An estimate of the files of each line, added up; of a stream the lines of its own Paths.",
        _source(findings, "domain", "view", "template", "revhx", "revdx"),
        (Column("type", "Type"), Column("name", "Name"), _OWNER, _FILES),
        rows,
    )


def _long_paths(findings: Findings) -> Figures:
    return Figures(
        "paths",
        "Longest paths",
        "Windows clients fail at 260 characters with their Root before them.",
        _source(findings, "revhx"),
        (Column("path", "Path"), Column("bytes", "Bytes", NUMBER)),
        findings.long_paths,
    )


def _groups(findings: Findings) -> Figures:
    return Figures(
        "groups",
        "Groups without MaxScanRows or MaxLockTime",
        "A user is held by the highest number of all groups; without any the user is unlimited.",
        _source(findings, "group"),
        (
            Column("group", "Group"),
            Column("users", "Users", NUMBER),
            Column("lacks", "Lacks", LIST),
        ),
        groups.without_limit(findings.groups),
    )


def _unlimited(findings: Findings) -> Figures:
    return Figures(
        "unlimited",
        "Users whose limit another group lifts",
        "One of the user's groups sets a number, another one says unlimited.",
        _source(findings, "group"),
        (
            Column("user", "User"),
            Column("limit", "Limit"),
            Column("set_by", "Set by", LIST),
            Column("lifted_by", "Lifted by", LIST),
        ),
        findings.unlimited,
    )


def _dead(findings: Findings) -> Figures:
    rows = [
        (one.number, findings.protections[one.number - 1].text(), one.by) for one in findings.dead
    ]
    return Figures(
        "dead",
        "Lines of the protections table that change no answer",
        f"Of {len(findings.protections)} lines. Each may be removed, and all together: no user "
        "gains or loses a right.",
        _source(findings, "protect"),
        (
            _LINE,
            _PROTECTION,
            Column("decided_by", "The line that decides", NUMBER, "nothing before it to exclude"),
        ),
        rows,
    )


def _slow(findings: Findings) -> Figures:
    rows = [
        (number, findings.protections[number - 1].text(), reason)
        for number, reason in findings.slow
    ]
    return Figures(
        "slow",
        "Lines of the protections table that cost most",
        "Wildcards within a path and exclusions are compared with every file that a command "
        "shows. Prefer lines that grant a directory and all below it.",
        _source(findings, "protect"),
        (_LINE, _PROTECTION, Column("reason", "Why")),
        rows,
    )
