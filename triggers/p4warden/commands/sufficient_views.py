from __future__ import annotations

import contextlib
import functools
import tempfile
from typing import TYPE_CHECKING, NamedTuple

from p4warden.asking.form_text import value
from p4warden.commands.file_counts import temporary_index
from p4warden.commands.part_of_server import PartRequest, write_part
from p4warden.core.errors import P4WardenError
from p4warden.core.patterns import fold
from p4warden.core.printable import decoded
from p4warden.workbench.census.judging import judged
from p4warden.workbench.checkpoint.reading import Sources
from p4warden.workbench.checkpoint.small_tables import SmallTables
from p4warden.workbench.logs.reader import records
from p4warden.workbench.rightsize import finder, stream_clients, vendor_map
from p4warden.workbench.rightsize.finder import Client, Objection, Question
from p4warden.workbench.rightsize.synced_paths import synced
from p4warden.workbench.rightsize.verdict import objection, worth_offering

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.asking.judge import Judge
    from p4warden.commands.part_of_server import PartOfServer
    from p4warden.commands.spec_source import Selection, Source
    from p4warden.policy.compiled import Policy
    from p4warden.workbench.checkpoint.reading import KeptFiles, TemporaryIndex
    from p4warden.workbench.rightsize import SearchResult
    from p4warden.workbench.rightsize.finder import RecentUse


def sufficient_views(
    source: Source,
    selection: Selection,
    policy: Policy,
    notes: list[str],
    most: int | None = None,
    recent_use: RecentUse | None = None,
) -> list[tuple[SearchResult, str | None]]:
    """Search for a narrower, sufficient view for each client; return each answer and the owner.

    Args:
        source: the clients of `selection`; of a checkpoint, with an index that keeps their files.
        selection: its `clients` are the only ones; without any, all that the policy does not
            allow.
        policy: the policy; every rule of it must allow the proposed views.
        notes: receives lines about the commands sent to a server.
        most: the largest number of files that a view may span; None for `max_files` of the
            policy's rules.
        recent_use: the limit to files used recently; None to keep all files that a client has or
            has open.

    Raises:
        P4WardenError: a named client does not exist, or specs or files cannot be read.
    """
    with (
        source.judging(policy, "marks", "all") as judge,
        contextlib.ExitStack() as stack,
    ):
        names = selection.clients
        clients = dict(_clients(source, judge, names, most))
        folded = functools.partial(fold, case_sensitive=source.facts.case_sensitive)
        found_names = set(map(folded, clients))
        missing_names = {name for name in map(decoded, names) if folded(name) not in found_names}
        if missing_names:
            raise P4WardenError(_missing(sorted(missing_names), source, selection))
        built, part = source.built, None
        if built is None:
            request = PartRequest(clients, judge, recent_use)
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="p4warden-"))
            part = write_part(folder, selection, source, request, notes)
            built = stack.enter_context(_index_of(part, selection.kept))
        questions = _questions(clients, recent_use)
        proposals = _ProposalJudge(clients, judge, part)
        answers = list(finder.answers(built.program, questions, proposals.judge))
        answers = [part.without_counts(answer) for answer in answers] if part else answers
        answers = [_for_stream(answer, clients, source) for answer in answers]
        answers = vendor_map.checked(answers, built.files)
        answers = [_worth_offering(answer, clients[answer.client]) for answer in answers]
    return [(answer, clients[answer.client].spec.owner) for answer in answers]


def _missing(names: Sequence[str], source: Source, selection: Selection) -> str:
    if not selection.checkpoints:
        return f"the server has no client {', '.join(names)}"
    problem = f"the checkpoint has no client {', '.join(names)}"
    all_names = [decoded(spec.name) for spec in source.specs()]
    others = [name for name in all_names if name.lower() in {one.lower() for one in names}]
    return f"{problem}; it has {', '.join(others)}" if others else problem


@contextlib.contextmanager
def _index_of(part: PartOfServer, kept: KeptFiles | None) -> Iterator[TemporaryIndex]:
    assert kept is not None  # noqa: S101 - its clients' files are asked for
    kept = kept._replace(case=part.case)
    with (
        contextlib.closing(SmallTables(())) as no_tables,
        temporary_index(Sources([part.file]), no_tables, kept) as built,
    ):
        yield built


def _clients(
    source: Source, judge: Judge, names: tuple[str, ...], most: int | None
) -> Iterator[tuple[str, Client]]:
    folded = functools.partial(fold, case_sensitive=source.facts.case_sensitive)
    wanted = {folded(name) for name in names}
    specs = (
        spec
        for spec in source.specs()
        if spec.type == "client" and (not wanted or folded(spec.name) in wanted)
    )
    for spec, answer in judged(judge, specs, source.event):
        is_refused = answer["verdict"] != "allow"
        if names or is_refused:
            question = Question(spec.name, answer["max_files"] if most is None else most)
            groups = source.groups.of(spec.owner)
            yield decoded(spec.name), Client(spec, groups, question, is_refused)


def _questions(clients: dict[str, Client], recent_use: RecentUse | None) -> list[Question]:
    questions = [client.question for client in clients.values()]
    if recent_use is None or not recent_use.logs:
        return questions
    names = {name.lower() for name in clients}
    paths = synced(records(recent_use.logs), names, recent_use.since_s)
    return [
        question._replace(synced=paths.get(decoded(question.client).lower(), ()))
        for question in questions
    ]


class _ProposalJudge(NamedTuple):
    clients: dict[str, Client]
    asked: Judge
    part: PartOfServer | None

    def judge(self, answer: SearchResult) -> Objection:
        """Return the `Objection` to a proposed client view; an empty one allows it.

        It names the view's directories that may have files missing in the checkpoint; if there are
        none, it is the policy's objection.
        """
        assert answer.proposal is not None  # noqa: S101 - only proposals are judged
        client = self.clients[answer.client]
        spec, groups = client.spec, client.groups
        uncounted_directories = self.part.uncounted(answer.proposal) if self.part else ()
        if uncounted_directories:
            return Objection(uncounted_directories)
        proposal = answer.proposal
        if value(spec.fields, "stream"):
            proposal = proposal._replace(is_limit=True)
            if unlisted_paths := stream_clients.unlisted(proposal):
                return Objection(unlisted_paths)
        return objection(self.asked, spec, groups, proposal)


def _worth_offering(answer: SearchResult, client: Client) -> SearchResult:
    most = client.question.max_files
    is_over = most is not None and answer.files is not None and answer.files > most
    return worth_offering(answer, is_refused=client.is_refused or is_over)


def _for_stream(answer: SearchResult, clients: dict[str, Client], source: Source) -> SearchResult:
    fields = clients[answer.client].spec.fields
    return stream_clients.limited(answer, fields, has_limit_view=source.facts.limit_view)
