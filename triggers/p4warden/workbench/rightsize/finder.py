from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.workbench.rightsize import Proposal, SearchResult, ViewRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from p4warden.core.specs import Spec
    from p4warden.index.build import RunningProgram

    Judge = Callable[[SearchResult], "Objection"]


_KEYS = {
    "client": "client",
    "needed_count": "needed",
    "unused_count": "unused",
    "moved_count": "moved",
    "outside_count": "outside",
    "files": "files",
    "least_files": "least_files",
    "unmappable_directory": "unmappable",
    "has_own_have": "has_own_have",
}
"""Key in the answer of p4warden-index, by field of `SearchResult`."""


_ELSEWHERE = (
    "the checkpoint may not contain its list of files: it is readonly, partitioned, or of an edge "
    "server"
)


_NO_FILES = "it has no files in its view"


class Question(NamedTuple):
    client: str
    max_files: int | None  # None without a limit
    min_directories: int = 0  # below its depot, in each view line
    synced: tuple[str, ...] = ()  # paths in p4d's log, as written, without revisions


class RecentUse(NamedTuple):
    """By which a narrower view may lack files."""

    since_s: int  # of a sync or submit, since the epoch
    logs: tuple[str, ...]  # of p4d, with the syncs


class Client(NamedTuple):
    spec: Spec
    groups: tuple[str, ...]
    question: Question
    is_refused: bool  # as it is, by a rule of the policy


class Objection(NamedTuple):
    directories: tuple[str, ...] = ()  # that no view line may name; another view is then searched
    reason: str = ""  # why no other view can succeed


def answers(
    program: RunningProgram, questions: Iterable[Question], judge: Judge
) -> Iterator[SearchResult]:
    """Yield the result for each requested client in the checkpoint.

    Raises:
        IndexFileError: the program failed.
    """
    for question in questions:
        program.ask(question._asdict())
    program.ask(None)
    for document in program.values:
        yield _settled(_answer(document), judge, program)


def _settled(answer: SearchResult, judge: Judge, program: RunningProgram) -> SearchResult:
    """Send objections to the program, until the policy accepts a view or none can succeed."""
    while answer.proposal is not None:
        objection = Objection(reason=_ELSEWHERE) if answer.has_own_have else judge(answer)
        program.ask(() if objection.reason else objection.directories)
        if objection.reason:
            return answer._replace(proposal=None, reason=objection.reason)
        if not objection.directories:
            return answer
        answer = _answer(next(program.values))
    return answer._replace(reason=_failure_reason(answer))


def _failure_reason(answer: SearchResult) -> str:
    if answer.has_own_have:
        return _ELSEWHERE
    if not answer.needed_count:
        return "it used no files in its view" if answer.unused_count else _NO_FILES
    if answer.unmappable_directory is not None:
        return (
            f"it has files directly in {answer.unmappable_directory}, and no allowed line for "
            "that directory keeps them in their places"
        )
    return f"the directories of its files alone span {answer.least_files:,} files"


def _answer(document: dict[str, Any]) -> SearchResult:
    fields = document["proposal"]
    proposal = fields and Proposal(
        fields["files"], tuple(fields["directories"]), _rows(fields["view"])
    )
    values = {field: document[key] for field, key in _KEYS.items()}
    return SearchResult(**values, view=_rows(document["view"]), proposal=proposal)


def _rows(rows: Iterable[Sequence[str]]) -> tuple[ViewRow, ...]:
    return tuple(ViewRow(*row) for row in rows)
