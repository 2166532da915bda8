"""Questions to `p4warden-index rightsize`, and its answers."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.index.build import NAME, IndexFileError, program
from p4warden.rightsize import Answer, Proposal, ViewRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO

    Judge = Callable[[Answer], "Objection"]


_COUNTS = (
    "client",
    "needed",
    "unused",
    "elsewhere",
    "files",
    "least_files",
    "unheld",
    "has_own_have",
)


_ELSEWHERE = (
    "the checkpoint may lack its list of files: it is readonly, partitioned, or of an edge server"
)


_NO_FILES = "it has no files that its view maps"


class Question(NamedTuple):
    """A client to find a view for.

    Attributes:
        client: its name.
        max_files: the most files that the view may span; None without a limit.
        min_directories: how many directories below its depot a line names at least.
        synced: the paths that a log tells it synced, as its user wrote them, without revisions.
    """

    client: str
    max_files: int | None
    min_directories: int = 0
    synced: tuple[str, ...] = ()


class Objection(NamedTuple):
    """The objection of a policy to a proposal.

    Attributes:
        directories: those that no line may name, so that another proposal is looked for.
        reason: why no other proposal would do either; empty where one may.
    """

    directories: tuple[str, ...] = ()
    reason: str = ""


class Sources(NamedTuple):
    """Files to read.

    Attributes:
        checkpoints: files, or directories of parallel checkpoints; plain or gzip.
        journals: those after the checkpoint, the oldest first.
        files: a file to be made, for the paths of the files that the clients have.
        since_s: files that are not open, and were neither synced nor submitted since, are not
            needed, in seconds since the epoch; None where all files that a client has are.
        case: `sensitive` or `folded`; None where the order of the tables has to show it.
    """

    checkpoints: Sequence[str]
    journals: Sequence[str]
    files: str
    since_s: int | None = None
    case: str | None = None


def answers(
    sources: Sources, questions: Iterable[Question], judge: Judge, notes: list[str]
) -> Iterator[Answer]:
    """Yield an answer for each client that the checkpoint has.

    Args:
        sources: the files to read.
        questions: one for each client.
        judge: says whether a proposal will do.
        notes: grows by lines about parts of the files that were left out.

    Raises:
        IndexFileError: a file cannot be read, or is damaged or cut off.
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
        told = child.stderr.read().decode("utf-8", "replace").splitlines()
    notes += [line.removeprefix(f"{NAME}: ") for line in told]
    if child.returncode:
        raise IndexFileError("\n".join(notes) or f"{NAME} ended with {child.returncode}")


def of_stream(stream: str | None) -> str:
    """Return the reason why a stream's client gets no proposal; empty for a client of none."""
    return f"its view is made from stream {stream}; narrow the stream's Paths" if stream else ""


def _settled(answer: Answer, judge: Judge, to: IO[bytes], more: IO[bytes]) -> Answer:
    """Return the answer whose proposal the policy has no objection to."""
    while answer.proposal is not None:
        objection = Objection(reason=_ELSEWHERE) if answer.has_own_have else judge(answer)
        _write(to, () if objection.reason else objection.directories)
        if objection.reason:
            return answer._replace(proposal=None, reason=objection.reason)
        if not objection.directories:
            return answer
        answer = _answer(json.loads(more.readline()))
    return answer._replace(reason=_why_none(answer))


def _why_none(answer: Answer) -> str:
    if answer.has_own_have:
        return _ELSEWHERE
    if not answer.needed:
        return "it uses no files that its view maps" if answer.unused else _NO_FILES
    if answer.unheld is not None:
        return (
            f"it has files directly in {answer.unheld}, and no line that may name that directory "
            "keeps them in their places"
        )
    return f"the directories of its files alone span {answer.least_files:,} files"


def _write(to: IO[bytes], document: Any) -> None:
    text = "" if document is None else json.dumps(document)
    to.write(f"{text}\n".encode())
    to.flush()


def _answer(document: dict[str, Any]) -> Answer:
    found = document["proposal"]
    proposal = found and Proposal(
        found["files"], tuple(found["directories"]), _rows(found["view"])
    )
    counts = {name: document[name] for name in _COUNTS}
    return Answer(**counts, view=_rows(document["view"]), proposal=proposal)


def _rows(rows: Iterable[Sequence[str]]) -> tuple[ViewRow, ...]:
    return tuple(ViewRow(*row) for row in rows)
