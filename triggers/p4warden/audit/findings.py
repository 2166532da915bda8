"""Collect the data of an audit, except p4d's logs, from checkpoints, journals and their index."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.audit import clients, groups, protections, small_tables
from p4warden.audit.small_tables import BRANCH, CLIENT, LABEL, STREAM, UNLOADED_CLIENT
from p4warden.core.plural import amount
from p4warden.core.printable import decoded
from p4warden.index import contents
from p4warden.rightsize import finder, vendor_map
from p4warden.rightsize.finder import Objection, Question, Sources
from p4warden.rightsize.saving import worth_offering

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.audit.clients import AuditedClient
    from p4warden.audit.groups import UnlimitedUser
    from p4warden.audit.log_tables import LoggedCommands
    from p4warden.audit.protections import DeadLine, Protection
    from p4warden.audit.small_tables import Domain, Group, SmallTables
    from p4warden.rightsize import SearchResult

RIGHTSIZED = 50
"""Maximum number of clients, the widest first, for which an audit computes a narrower view."""
_MIN_DIRECTORIES = 1
"""Minimum number of directories below its depot that each line of a narrower view suggested by an
audit must name."""
_WIDE_SPECS = 20


class WideSpec(NamedTuple):
    """A branch, label or stream, with the estimated files that each line spans, added up."""

    domain: Domain
    files: int


class Findings(NamedTuple):
    """The results of an audit of a checkpoint, its journals and p4d's logs.

    Attributes:
        time_s: the last time in the checkpoint and its journals, in seconds since the epoch; None
            if they have none.
        files, revisions: the numbers of files and revisions on the server.
        clients: the loaded clients with their file counts, the widest view first.
        unloaded_count: the number of unloaded clients, which have neither views nor have records.
        sufficient_views: the results of searching narrower, sufficient views for the first
            `RIGHTSIZED` of these clients.
        unused_clients: clients not used for `months` months.
        places: depots and their top directories, each with its numbers of files and revisions.
        long_paths: the longest depot paths, with their lengths in bytes.
        wide_specs: at most 20 branches, labels and streams, those that span the most files.
        log: the commands of p4d's logs; None if no log was given.
        notes: lines about parts of the audit that were left out.
    """

    time_s: int | None
    files: int
    revisions: int
    months: int
    clients: Sequence[AuditedClient]
    unloaded_count: int
    sufficient_views: Sequence[SearchResult]
    unused_clients: Sequence[AuditedClient]
    places: Sequence[tuple[str, int, int]]
    long_paths: Sequence[tuple[str, int]]
    wide_specs: Sequence[WideSpec]
    groups: Sequence[Group]
    unlimited_users: Sequence[UnlimitedUser]
    users_without_limit: dict[str, int]
    protections: Sequence[Protection]
    dead_lines: Sequence[DeadLine]
    slow_lines: Sequence[tuple[int, str]]
    notes: Sequence[str]
    log: LoggedCommands | None = None


def gather(sources: Sources, index: str, max_files: int, months: int) -> Findings:
    """Collect the data of an audit from checkpoints and journals, and the index built from them.

    Args:
        sources: the checkpoint and journal files to read.
        index: the path of the index built from them.
        max_files: the largest number of files that a proposed client view may span.
        months: months of 30 days after which a client counts as unused.

    Raises:
        IndexFileError: a file cannot be read or is damaged.
    """
    head = contents.head(index)
    folds = head["case"] == "folded"
    small = small_tables.read(sources.checkpoints, sources.journals)
    domains = small.domains()
    specs = clients.audited_clients(domains, contents.clients(index))
    its_groups, table = small.groups(), small.protections()
    notes = [*_unread(small), *_unknown_limits(its_groups)]
    questions = [
        Question(one.domain.name, max_files, _MIN_DIRECTORIES) for one in specs[:RIGHTSIZED]
    ]
    streams = {decoded(domain.name): domain.stream for domain in domains if domain.stream}

    def judge(answer: SearchResult) -> Objection:
        return Objection(reason=finder.of_stream(streams.get(answer.client)))

    answers = _checked(list(finder.answers(sources, questions, judge, notes)), sources.files)
    answers = [worth_offering(answer, max_files, _MIN_DIRECTORIES) for answer in answers]
    return Findings(
        head["time_s"],
        head["files"],
        head["revisions"],
        months,
        specs,
        sum(one.kind == UNLOADED_CLIENT for one in domains),
        answers,
        clients.unused_clients(specs, head["time_s"] or 0, months),
        contents.places(index),
        contents.longest_paths(sources.checkpoints, sources.journals),
        _wide_specs(small, index, [one for one in domains if one.kind in (BRANCH, LABEL, STREAM)]),
        its_groups,
        list(groups.unlimited_users(its_groups)),
        groups.users_without_limit(its_groups),
        table,
        list(protections.dead(table, case_sensitive=not folds)),
        list(protections.slow(table)),
        notes,
    )


def _unread(small: SmallTables) -> Iterator[str]:
    for table, count in small.unreadable_counts.items():
        loss = "; the protections table is not judged" if table == "protect" else ""
        records = amount(count, f"record of db.{table} has", f"records of db.{table} have")
        verb = "was" if count == 1 else "were"
        yield f"{records} an unknown format and {verb} left out{loss}"


def _unknown_limits(its_groups: Sequence[Group]) -> Iterator[str]:
    for field, count in groups.unknown_limits(its_groups).items():
        yield (
            f"{field} of {amount(count, 'group')} is unknown: the server's release does not store "
            "it in this place, or the records of a group disagree"
        )


def _checked(answers: list[SearchResult], files: str) -> list[SearchResult]:
    """Replace by a reason each proposed view that, by P4Python's map, would move a needed file."""
    changes = vendor_map.moved_files(answers, files)
    return [
        answer._replace(proposal=None, reason=f"the proposed view would move {one.needed_path}")
        if (one := changes.get(answer.client)) and one.needed_path is not None
        else answer
        for answer in answers
    ]


def _wide_specs(small: SmallTables, index: str, domains: Sequence[Domain]) -> list[WideSpec]:
    by_name = {domain.name: domain for domain in domains}
    lines = list(small.view_paths(by_name))
    spans = dict.fromkeys(by_name, 0)
    for (name, _), count in zip(
        lines, contents.counts(index, [path for _, path in lines]), strict=True
    ):
        spans[name] += count
    specs = [WideSpec(by_name[name], count) for name, count in spans.items() if count]
    return sorted(specs, key=lambda one: (-one.files, one.domain.name))[:_WIDE_SPECS]


def kind_of(domain: Domain) -> str:
    """Return a db.domain record's spec type: client, branch, label or stream; otherwise `spec`."""
    return {CLIENT: "client", BRANCH: "branch", LABEL: "label", STREAM: "stream"}.get(
        domain.kind, "spec"
    )
