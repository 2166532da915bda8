"""Collect the data of an audit, except p4d's logs, from checkpoints, journals and their index."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.patterns import fold
from p4warden.core.plural import amount
from p4warden.core.printable import decoded
from p4warden.index import contents
from p4warden.policy.asked_gain import gain_of_depth
from p4warden.workbench.audit import clients, groups, key_bytes, protections, small_tables
from p4warden.workbench.audit.small_tables import UNLOADED_CLIENT
from p4warden.workbench.census.spec_form import UNCOUNTED
from p4warden.workbench.rightsize import finder, stream_clients, vendor_map
from p4warden.workbench.rightsize.finder import Objection, Question
from p4warden.workbench.rightsize.verdict import is_too_wide, worth_offering

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.policy.rule_gain import RuleGain
    from p4warden.workbench.audit.clients import AuditedClient, Unloading
    from p4warden.workbench.audit.groups import Group, UnlimitedUser
    from p4warden.workbench.audit.key_bytes import Part
    from p4warden.workbench.audit.log_tables import LoggedCommands
    from p4warden.workbench.audit.protections import DeadLine, Protection
    from p4warden.workbench.audit.small_tables import Domain
    from p4warden.workbench.checkpoint.reading import TemporaryIndex
    from p4warden.workbench.checkpoint.small_tables import SmallTables
    from p4warden.workbench.rightsize import SearchResult

RIGHTSIZED = 50
"""Most clients, the widest first, for which a narrower view is computed."""
MIN_DIRECTORIES = 1
"""Below its depot, in each line of a narrower view."""
_WIDE_SPECS = 20


class WideSpec(NamedTuple):
    type: str
    name: str
    owner: str
    files: int  # estimates of all its lines, added up


class Findings(NamedTuple):
    time_s: int | None  # last time in the files, in seconds since the epoch
    files: int
    revisions: int
    months: int
    clients: Sequence[AuditedClient]  # loaded ones, the widest view first
    unloaded_count: int
    sufficient_views: Sequence[SearchResult]  # for the first `RIGHTSIZED` clients
    unused_clients: Sequence[AuditedClient]  # for `months` months
    unloadable_clients: Sequence[AuditedClient]  # of these
    unloading: Unloading
    unload_all: str | None  # unloads `unloadable_clients`, and no other
    places: Sequence[tuple[str, int | None, int | None]]  # files, revisions
    long_paths: Sequence[tuple[str, int]]  # bytes
    path_lengths: Sequence[tuple[int, int]]  # bytes, sampled files; shortest first
    key_parts: Sequence[Part]
    wide_specs: Sequence[WideSpec]
    groups: Sequence[Group]
    unlimited_users: Sequence[UnlimitedUser]
    users_without_limit: dict[str, int]
    owners_in_no_group: int  # of clients; db.user, which has password digests, is not read
    protections: Sequence[Protection]
    dead_lines: Sequence[DeadLine]
    slow_lines: Sequence[tuple[int, str]]
    is_sensitive: bool  # names that differ only in case are two
    gain: RuleGain | None  # of a rule that demands `MIN_DIRECTORIES` in each view line
    notes: Sequence[str]  # about parts that were left out
    log: LoggedCommands | None = None


def gather(
    small: SmallTables,
    built: TemporaryIndex,
    max_files: int,
    months: int,
    *,
    has_limit_view: bool,
) -> Findings:
    """Collect the data of an audit from a checkpoint's small tables and its index.

    `months` have 30 days; `has_limit_view`: client forms are known to have the field LimitView.

    Raises:
        IndexFileError: a file cannot be read or is damaged.
    """
    index = built.file
    head = contents.head(index)
    is_sensitive = head["case"] != "folded"
    folded = functools.partial(fold, case_sensitive=is_sensitive)
    domains = small_tables.domains(small)
    specs = clients.audited_clients(domains, contents.clients(index))
    its_groups, table = small_tables.groups(small), small_tables.protections(small)
    unused = clients.unused_clients(specs, head["time_s"] or 0, months)
    unload = clients.Unloading(
        small_tables.has_unload_depot(small),
        frozenset(map(folded, small_tables.clients_with_open_files(small))),
        {folded(name): changes for name, changes in small_tables.shelves(small).items()},
        folded,
    )
    owners_of_clients = (one.owner for one in domains if one.type == "client")
    owners = groups.in_no_group(its_groups, owners_of_clients, folded)
    unloaded = [client for client in unused if not unload.objection(client)]
    notes = [*built.program.notes(), *_unread(small), *_unknown_limits(its_groups)]
    questions = [
        Question(one.domain.name, max_files, MIN_DIRECTORIES) for one in specs[:RIGHTSIZED]
    ]
    streams = {decoded(domain.name): domain.stream for domain in domains if domain.stream}

    def judge(answer: SearchResult) -> Objection:
        assert answer.proposal is not None  # noqa: S101 - only proposals are judged
        has_stream = answer.client in streams
        return Objection(stream_clients.unlisted(answer.proposal) if has_stream else ())

    answers = [
        stream_clients.limited(
            answer, {"stream": [streams.get(answer.client, "")]}, has_limit_view=has_limit_view
        )
        for answer in finder.answers(built.program, questions, judge)
    ]
    answers = [
        worth_offering(answer, is_refused=is_too_wide(answer, max_files, MIN_DIRECTORIES))
        for answer in vendor_map.checked(answers, built.files)
    ]
    return Findings(
        head["time_s"],
        head["files"],
        head["revisions"],
        months,
        specs,
        sum(one.type == UNLOADED_CLIENT for one in domains),
        answers,
        unused,
        unloaded,
        unload,
        clients.unload_all(unloaded, domains) if unload.has_depot else None,
        contents.places(index, UNCOUNTED),
        small.longest_paths,
        contents.path_lengths(index),
        key_bytes.parts(contents.leading_parts(index), specs),
        _wide_specs(small, index, domains),
        its_groups,
        list(groups.unlimited_users(its_groups)),
        groups.users_without_limit(its_groups, owners),
        owners,
        table,
        list(protections.dead(table, case_sensitive=is_sensitive)),
        list(protections.slow(table)),
        is_sensitive,
        gain_of_depth(index, MIN_DIRECTORIES),
        notes,
    )


def _unread(small: SmallTables) -> Iterator[str]:
    for table, count in small.unread_counts().items():
        if table not in small_tables.TABLES:
            continue
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


def _wide_specs(small: SmallTables, index: str, domains: Sequence[Domain]) -> list[WideSpec]:
    by_name = {one.name: one for one in domains if one.type in ("branch", "label", "stream")}
    lines = list(small_tables.view_paths(small))
    spans = dict.fromkeys(by_name, 0)
    for (name, _), count in zip(
        lines, contents.counts(index, [path for _, path in lines]), strict=True
    ):
        spans[name] += count
    specs = [
        WideSpec(one.type, name, one.owner, spans[name])
        for name, one in by_name.items()
        if spans[name]
    ]
    return sorted(specs, key=lambda one: (-one.files, one.name))[:_WIDE_SPECS]
