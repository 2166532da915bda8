from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.json_lines import ascii_line
from p4warden.index.build import PROGRAM, failure, inputs
from p4warden.workbench.rightsize import Proposal, SearchResult, ViewRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO

    from p4warden.core.specs import Spec

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


class Sources(NamedTuple):
    """What `p4warden-index rightsize` reads, and its options."""

    checkpoints: Sequence[str]  # or the folder of a parallel checkpoint
    journals: Sequence[str]  # oldest first
    files: str  # to be written, with the paths of the clients' files
    since_s: int | None = None  # since the epoch; files not used since are not needed
    case: str | None = None  # None: by the order of the checkpoint's tables


def answers(
    sources: Sources, questions: Iterable[Question], judge: Judge, notes: list[str]
) -> Iterator[SearchResult]:
    """Yield the result for each requested client in the checkpoint.

    `notes` receives the lines that the program writes to standard error.

    Raises:
        IndexFileError: a file cannot be read, or is damaged or cut off, or the program is missing.
    """
    command = [PROGRAM.path(), "rightsize", f"--files={sources.files}"]
    command += [f"--since={sources.since_s}"] if sources.since_s is not None else []
    command += [f"--case={sources.case}"] if sources.case else []
    command += inputs(sources.checkpoints, sources.journals)
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdin is not None  # noqa: S101 - as asked for above
        assert child.stdout is not None  # noqa: S101
        assert child.stderr is not None  # noqa: S101
        for question in questions:
            _write(child.stdin, question._asdict())
        _write(child.stdin, None)
        for line in child.stdout:
            yield _settled(_answer(json.loads(line)), judge, child.stdin, child.stdout)
        problems = PROGRAM.text(child.stderr.read())
    notes += problems.splitlines()
    if child.returncode:
        raise failure(child.returncode, "\n".join(notes))


def _settled(answer: SearchResult, judge: Judge, to: IO[bytes], more: IO[bytes]) -> SearchResult:
    """Send objections to the program, until the policy accepts a view or none can succeed."""
    while answer.proposal is not None:
        objection = Objection(reason=_ELSEWHERE) if answer.has_own_have else judge(answer)
        _write(to, () if objection.reason else objection.directories)
        if objection.reason:
            return answer._replace(proposal=None, reason=objection.reason)
        if not objection.directories:
            return answer
        answer = _answer(json.loads(more.readline()))
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


def _write(to: IO[bytes], document: Any) -> None:
    to.write(b"\n" if document is None else ascii_line(document).encode())
    to.flush()


def _answer(document: dict[str, Any]) -> SearchResult:
    fields = document["proposal"]
    proposal = fields and Proposal(
        fields["files"], tuple(fields["directories"]), _rows(fields["view"])
    )
    values = {field: document[key] for field, key in _KEYS.items()}
    return SearchResult(**values, view=_rows(document["view"]), proposal=proposal)


def _rows(rows: Iterable[Sequence[str]]) -> tuple[ViewRow, ...]:
    return tuple(ViewRow(*row) for row in rows)
