"""The views that are enough for clients of a checkpoint, judged by the policy and checked."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from p4warden.census.verdicts import day_of, event_of
from p4warden.commands.spec_source import opened
from p4warden.core.errors import P4WardenError
from p4warden.judge.engine import evaluate, max_files
from p4warden.rightsize import finder, vendor_map
from p4warden.rightsize.finder import Objection, Question, Sources
from p4warden.rightsize.verdict import objection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.census import Spec
    from p4warden.commands.spec_source import Source, Wanted
    from p4warden.core.records import Facts
    from p4warden.policy.compiled import Policy
    from p4warden.rightsize import Answer


class _Client(NamedTuple):
    """A client to find a view for, with everything that it is judged by."""

    spec: Spec
    groups: tuple[str, ...]
    question: Question


def enough_views(
    wanted: Wanted,
    policy: Policy,
    notes: list[str],
    names: tuple[str, ...] = (),
    most: int | None = None,
) -> list[tuple[Answer, str | None]]:
    """Return an answer and the owner for each client.

    Args:
        wanted: the checkpoint and the journals after it.
        policy: every rule of it allows the proposed views.
        notes: grows by lines about parts of the files that were left out.
        names: clients; without any, all that a rule of the policy objects to.
        most: the most files that a view may span; None for `max_files` of the policy's rules.

    Raises:
        P4WardenError: a client is not in the checkpoint, or a file is damaged.
    """
    day = str(day_of(int(time.time())))
    with opened(wanted) as source, tempfile.TemporaryDirectory(prefix="p4warden-") as folder:
        notes += source.notes
        clients = dict(_clients(source, policy, names, most, day))
        sources = Sources(wanted.checkpoints, wanted.journals, str(Path(folder, "files")))
        answers = list(_answers(sources, clients, policy, source.facts, day, notes))
        moved = vendor_map.moved(answers, sources.files)
    specs = [clients[answer.client].spec for answer in answers]
    return [
        (_checked(answer, spec, moved), spec.owner)
        for answer, spec in zip(answers, specs, strict=True)
    ]


def _clients(
    source: Source, policy: Policy, names: tuple[str, ...], most: int | None, day: str
) -> Iterator[tuple[str, _Client]]:
    missing = set(names)
    for spec in source.specs:
        groups = source.groups.of(spec.owner)
        event = event_of(spec, groups, day)
        if names and spec.name not in names:
            continue
        missing.discard(spec.name)
        facts = source.facts
        if source.counted:
            facts = source.counted.with_span(policy, event, facts)
        if names or evaluate(policy, event, facts).verdict != "allow":
            least = max_files(policy, event, source.facts) if most is None else most
            yield spec.name, _Client(spec, groups, Question(spec.name, least))
    if missing:
        raise P4WardenError(f"the checkpoint has no client {', '.join(sorted(missing))}")


def _answers(
    sources: Sources,
    clients: dict[str, _Client],
    policy: Policy,
    facts: Facts,
    day: str,
    notes: list[str],
) -> Iterator[Answer]:
    def judge(answer: Answer) -> Objection:
        spec, groups, _ = clients[answer.client]
        assert answer.proposal is not None  # noqa: S101 - only proposals are judged
        return objection(policy, spec, groups, day, facts, answer.proposal)

    questions = [client.question for client in clients.values()]
    return finder.answers(sources, questions, judge, notes)


def _checked(answer: Answer, spec: Spec, moved: dict[str, str]) -> Answer:
    """Return an answer without a proposal that its owner cannot use."""
    reason = finder.of_stream(spec.form.value("stream"))
    if not reason and answer.client in moved:
        reason = f"the proposed view would move {moved[answer.client]}"
    return answer._replace(proposal=None, reason=reason) if reason else answer
