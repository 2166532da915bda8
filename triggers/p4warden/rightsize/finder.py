"""Run the program `p4warden-index rightsize`, and judge the views that it proposes."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.json_lines import ascii_line
from p4warden.index.build import NAME, failure, program
from p4warden.rightsize import Proposal, SearchResult, ViewRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO

    Judge = Callable[[SearchResult], "Objection"]


_KEYS = {
    "client": "client",
    "needed_count": "needed",
    "unused_count": "unused",
    "elsewhere_count": "elsewhere",
    "files": "files",
    "least_files": "least_files",
    "unmappable_directory": "unmappable",
    "has_own_have": "has_own_have",
}
"""By field of `SearchResult`: the key of its value in the answer of p4warden-index."""


_ELSEWHERE = (
    "the checkpoint may not contain its list of files: it is readonly, partitioned, or of an edge "
    "server"
)


_NO_FILES = "it has no files in its view"


class Question(NamedTuple):
    """A client for which a narrower view is wanted, and the limits of that view.

    Attributes:
        client: the client's name.
        max_files: the maximum number of files that the view may span; None without a limit.
        min_directories: the minimum number of directories below its depot that a view line must
            name.
        synced: the client's synced paths in p4d's log, as the user wrote them, without
            revisions.
    """

    client: str
    max_files: int | None
    min_directories: int = 0
    synced: tuple[str, ...] = ()


class Objection(NamedTuple):
    """The objection of a policy to a proposed client view.

    Attributes:
        directories: depot directories that no view line may name, so that another view is
            searched.
        reason: the reason why no other view can succeed; empty if one may.
    """

    directories: tuple[str, ...] = ()
    reason: str = ""


class Sources(NamedTuple):
    """The files from which `p4warden-index rightsize` derives views, and its options.

    Attributes:
        checkpoints: a file, plain or gzip, the folder of a parallel checkpoint, or its files.
        journals: the journals after the checkpoint, the oldest first.
        files: the path of a file to be written with the paths of the clients' files.
        since_s: a time in seconds since the epoch: files that are not open, and were neither
            synced nor submitted since, are not needed; None if all files of a client are needed.
        case: `sensitive` or `folded`; None to derive it from the order of the checkpoint's tables.
    """

    checkpoints: Sequence[str]
    journals: Sequence[str]
    files: str
    since_s: int | None = None
    case: str | None = None


def answers(
    sources: Sources, questions: Iterable[Question], judge: Judge, notes: list[str]
) -> Iterator[SearchResult]:
    """Yield the result of searching a narrower view for each requested client in the checkpoint.

    Args:
        sources: the checkpoint and journal files to read.
        questions: one question for each client.
        judge: returns the policy's objection to a proposed view.
        notes: receives the lines that the program writes to standard error.

    Raises:
        IndexFileError: a file cannot be read, or is damaged or cut off, or the program is missing.
    """
    command = [program(), "rightsize", f"--files={sources.files}"]
    command += [f"--journal={journal}" for journal in sources.journals]
    command += [f"--since={sources.since_s}"] if sources.since_s is not None else []
    command += [f"--case={sources.case}"] if sources.case else []
    with subprocess.Popen(
        [*command, "--", *sources.checkpoints],
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
        lines = child.stderr.read().decode("utf-8", "replace").splitlines()
    notes += [line.removeprefix(f"{NAME}: ") for line in lines]
    if child.returncode:
        raise failure(child.returncode, "\n".join(notes))


def of_stream(stream: str | None) -> str:
    """Return why a stream's client gets no proposed view; empty for a client without stream."""
    return f"its view comes from stream {stream}; narrow the stream's Paths" if stream else ""


def _settled(answer: SearchResult, judge: Judge, to: IO[bytes], more: IO[bytes]) -> SearchResult:
    """Have a policy judge each view that `p4warden-index rightsize` proposes for a client.

    The policy's objection is sent to the program, which then proposes another view, until the
    policy accepts one, there is none left, or none can succeed.

    Returns:
        The answer with the accepted view, or the last one with the reason for having none.
    """
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
