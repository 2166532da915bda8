"""Tables of an audit report after its first steps, in the order of display."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.path_lengths import percent_over, usual_most
from p4warden.core.plural import amount
from p4warden.core.printable import decoded
from p4warden.workbench.audit import groups
from p4warden.workbench.audit.figures import DAY, LINES, LIST, NUMBER, Column, Figures, Source
from p4warden.workbench.audit.key_bytes import SHORT_BYTES
from p4warden.workbench.audit.log_tables import log_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from p4warden.workbench.audit.clients import AuditedClient
    from p4warden.workbench.audit.figures import Value
    from p4warden.workbench.audit.findings import Findings
    from p4warden.workbench.rightsize import Proposal, SearchResult

    Rows = Sequence[Sequence[Value]]

_PLACES = 100
_KEY_PARTS = 20
_LONG_BYTES = 180
_UNCOUNTED = "not counted"
_LIMIT_BYTES = 100
"""Between 96 and 112, for which the Perforce Performance Lab has numbers (2009)."""
_PATH = Column("path", "Path")
_CLIENT = Column("client", "Client")
_OWNER = Column("owner", "Owner")
_ACCESSED = Column("accessed", "Last used", DAY)
_FILES = Column("files", "Spans", NUMBER)
_HAVE = Column("have", "Has", NUMBER)
_LINE = Column("line", "Line", NUMBER)
_PROTECTION = Column("protection", "Protection")


class _Layout(NamedTuple):
    name: str  # the key in JSON
    title: str  # `{months}` is replaced, by `6 months`
    note: str  # `{lines}`: of the protections table; `{paths}`: a sentence on the usual length
    sources: str  # without `db.`, separated by blanks
    columns: tuple[Column, ...]
    rows: Callable[[Findings], Rows]
    max_rows: int | None = None

    def figures(self, findings: Findings) -> Figures:
        rows = self.rows(findings)
        shown_rows = rows[: self.max_rows]
        return Figures(
            self.name,
            self.title.format(months=amount(findings.months, "month")),
            self._note(findings) if rows or "{paths}" in self.note else "",
            Source(tuple(f"db.{name}" for name in self.sources.split()), findings.time_s),
            self.columns,
            shown_rows,
            len(rows) - len(shown_rows),
        )

    def _note(self, findings: Findings) -> str:
        lines = amount(len(findings.protections), "line")
        return self.note.format(lines=lines, paths=_usual_paths(findings.path_lengths))


def _usual_paths(lengths: Sequence[tuple[int, int]]) -> str:
    usual = usual_most(lengths)
    if usual is None:
        return ""
    text = f" 99 % of all paths keep {usual} bytes: no limit_path_length should be lower."
    over = percent_over(lengths, _LIMIT_BYTES)
    if over > 1:
        text += f" At {_LIMIT_BYTES} bytes it would refuse {over:.0f} % of such files if new."
    return text


def tables(findings: Findings) -> Iterator[Figures]:
    """Yield the tables of an audit report after its first steps."""
    yield from log_tables(findings.log)
    yield from (layout.figures(findings) for layout in _LAYOUTS)


def _expensive(findings: Findings) -> Rows:
    clients = {decoded(client.domain.name): client for client in findings.clients}
    rows = [_expensive_row(clients[answer.client], answer) for answer in findings.sufficient_views]
    return sorted(rows, key=lambda row: (-int(row[3] or 0), row[0]))  # type: ignore[arg-type]


def _expensive_row(client: AuditedClient, answer: SearchResult) -> Sequence[Value]:
    proposal = answer.proposal
    return (
        client.domain.name,
        client.domain.owner,
        client.domain.accessed_s,
        client.files,
        client.have,
        None if answer.has_own_have else answer.needed_count,
        proposal.files if proposal else None,
        _lines(proposal) if proposal else (),
        answer.reason or None,
    )


def _lines(proposal: Proposal) -> tuple[str, ...]:
    return ("LimitView:", *proposal.lines) if proposal.is_limit else proposal.lines


def _unused(findings: Findings) -> Rows:
    return [
        (
            client.domain.name,
            client.domain.owner,
            client.domain.accessed_s,
            client.have,
            findings.unloading.commands(client, is_unloaded=findings.unload_all is not None),
            findings.unloading.objection(client) or None,
        )
        for client in findings.unused_clients
    ]


def _protections(
    findings: Findings, results: Sequence[tuple[int, str | int | None]]
) -> list[tuple[int, str, str | int | None]]:
    lines = findings.protections
    return [(number, lines[number - 1].text(), result) for number, result in results]


_LAYOUTS = (
    _Layout(
        "expensive",
        "Clients with the widest views",
        "Spans: files that p4d looks through for the view, those whose paths begin with a line's "
        "text before its first wildcard. Has: records in db.have. Keeps: files that the client "
        "has synced or open and that its present view maps. "
        "Sufficient: files that the sufficient view spans, which keeps all of these where the "
        "present view maps them; it maps neither files that the client never synced nor new "
        "directories beside its own. A client of a stream gets lines of a LimitView if --facts "
        "says that the server has that field. A view that saves less than a tenth is left out, "
        "unless the present view spans more than --max-files files or maps a whole depot.",
        "domain view revhx revdx have working",
        (
            _CLIENT,
            _OWNER,
            _ACCESSED,
            _FILES,
            _HAVE,
            Column("keeps", "Keeps", NUMBER, "-"),
            Column("proposal_files", "Sufficient", NUMBER, "-"),
            Column("proposal_view", "Sufficient view", LINES),
            Column("reason", ""),
        ),
        _expensive,
    ),
    _Layout(
        "unused",
        "Clients that nobody used for {months}",
        "Counted back from the time of the checkpoint. An unloaded client can be reloaded; a "
        "deleted one cannot be restored. The commands are commented out: check each before use.",
        "domain have working changex depot",
        (
            _CLIENT,
            _OWNER,
            _ACCESSED,
            _HAVE,
            Column("commands", "Commands", LINES),
            Column("reason", ""),
        ),
        _unused,
    ),
    _Layout(
        "groups",
        "Groups of users without MaxScanRows or MaxLockTime",
        "The highest number of all groups of a user applies; without any the user is unlimited. "
        "Users: members whom no group limits. Of the users in no group, the owners of clients are "
        "counted: db.user is not read.",
        "group domain",
        (
            Column("group", "Group", unknown_text="in no group"),
            Column("users", "Users", NUMBER),
            Column("missing_limits", "Limits not set", LIST),
        ),
        lambda findings: groups.groups_without_limit(
            findings.groups, findings.owners_in_no_group if findings.groups else 0
        ),
    ),
    _Layout(
        "unlimited",
        "Users whose limit is removed by another group",
        "One of the user's groups sets a number, another one says unlimited.",
        "group",
        (
            Column("user", "User"),
            Column("limit", "Limit"),
            Column("set_by", "Set by", LIST),
            Column("lifted_by", "Removed by", LIST),
        ),
        lambda findings: findings.unlimited_users,
    ),
    _Layout(
        "specs",
        "Branches, labels and streams that span most files",
        "Sum of the estimated files of each line; for a stream, of each line of its own Paths.",
        "domain view template revhx revdx",
        (Column("type", "Type"), Column("name", "Name"), _OWNER, _FILES),
        lambda findings: findings.wide_specs,
    ),
    _Layout(
        "places",
        "Depots and their first-level directories",
        "The largest first. The files of a directory count for its depot as well; those of "
        "remote and graph depots are not counted.",
        "revhx revdx rev",
        (
            _PATH,
            Column("files", "Files", NUMBER, _UNCOUNTED),
            Column("revisions", "Revisions", NUMBER, _UNCOUNTED),
        ),
        lambda findings: sorted(findings.places, key=lambda place: (-(place[1] or 0), place[0])),
        _PLACES,
    ),
    _Layout(
        "paths",
        "Longest paths",
        "Windows clients fail at paths of 260 characters, including their Root. Paths of "
        f"{_LONG_BYTES} bytes and more, the longest first.{{paths}}",
        "revhx",
        (_PATH, Column("bytes", "Bytes", NUMBER)),
        lambda findings: [path for path in findings.long_paths if path[1] >= _LONG_BYTES],
    ),
    _Layout(
        "keys",
        "Leading parts of paths in the keys of db.rev and db.have",
        "The name of a directory or a client is in the key of each record below it; "
        "docs/rules/limit_path_length.md says what that costs. Bytes: in all these keys, of what "
        "comes after the outer part in this table; of db.rev by samples, from a hundredth of its "
        f"records on. Saved: of these bytes, if no name had more than {SHORT_BYTES}.",
        "rev have domain",
        (
            Column("part", "Part"),
            Column("table", "Table"),
            Column("keys", "Keys", NUMBER),
            Column("bytes", "Bytes", NUMBER),
            Column("saved", "Saved", NUMBER),
        ),
        lambda findings: findings.key_parts,
        _KEY_PARTS,
    ),
    _Layout(
        "dead",
        "Lines of the protections table without effect",
        "Of {lines} in total. Any or all may be removed: no user gains or loses a right.",
        "protect",
        (
            _LINE,
            _PROTECTION,
            Column("decided_by", "Line that decides instead", NUMBER, "none: it excludes nothing"),
        ),
        lambda findings: _protections(findings, findings.dead_lines),
    ),
    _Layout(
        "slow",
        "Slow lines of the protections table",
        "Wildcards within a path and exclusions are compared with every file that a command "
        "shows. Prefer lines that grant a directory and everything below it.",
        "protect",
        (_LINE, _PROTECTION, Column("reason", "Why")),
        lambda findings: _protections(findings, findings.slow_lines),
    ),
)
