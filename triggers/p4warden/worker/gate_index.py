"""Ask the gate that started this worker about the index in the home folder.

The gate looks up the answer in its own process, so that no further process is started. It takes
the names of the client and the user from the trigger line. Questions and answers are as in
`triggers/gate/src/trigger/index_questions.rs`. Without a gate `home/span_program.py` asks
`p4warden-index`.
"""

from __future__ import annotations

import os

from p4warden.core import light_json, spanned_files
from p4warden.core.errors import P4WardenError
from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from p4warden.core.records import SpannedFiles
    from p4warden.judge.view_question import Question

VARIABLE = "P4WARDEN_INDEX"
"""Name of the environment variable with the file descriptor of the socket to the gate."""

_CHUNK_BYTES = 65536
_REMEDY = "; p4warden doctor checks the installation"


class NoGateAnswerError(P4WardenError):
    """Error: the gate gave no answer about the checkpoint index; the text gives the reason."""


def spans(question: Question) -> SpannedFiles | None:
    """Return the number of files that a view's paths span; if too large, with its widest lines.

    None without an index.

    Raises:
        NoGateAnswerError: the index is damaged, not trusted, or of another server or case
            handling; or the gate gives no valid answer.
    """
    document = _answer("span", question.max_files, question.paths)
    try:
        return spanned_files.from_document(document) if document else None
    except ValueError as error:
        raise NoGateAnswerError(_malformed(str(error))) from error


def used_directories(at_most: int | None) -> tuple[str, ...]:
    """Return the depot directories from which the event's client or user has files.

    Empty without an index.

    Args:
        at_most: the maximum number of files below a directory; directories with more files are
            left out. None for no limit.

    Raises:
        NoGateAnswerError: as for `spans`.
    """
    document = _answer("used", at_most, ())
    match document:
        case {"used": [*directories]} if all(isinstance(one, str) for one in directories):
            return tuple(directories)
    if not document:
        return ()
    raise NoGateAnswerError(_malformed("no list of directories"))


def client_exists() -> bool | None:
    """Return whether the server had the event's client before; None without an index.

    Raises:
        NoGateAnswerError: as for `spans`.
    """
    exists = _answer("exists", None, ()).get("exists")
    return exists if isinstance(exists, bool) else None


def _answer(subject: str, at_most: int | None, paths: tuple[str, ...]) -> dict[str, Any]:
    front = f"{subject} {'-' if at_most is None else at_most} {len(paths)}\n"
    text = front + "".join(f"{path}\n" for path in paths)
    try:
        socket = int(os.environ.get(VARIABLE, ""))
        _write(socket, text.encode("utf-8", "surrogateescape"))
        document = light_json.loads(_line(socket))
    except (OSError, ValueError, OverflowError) as error:
        raise NoGateAnswerError(
            f"the gate gave no answer about the checkpoint index: {error}{_REMEDY}"
        ) from error
    match document:
        case {"problem": str() as problem}:
            raise NoGateAnswerError(problem)
        case dict():
            return document
    raise NoGateAnswerError(_malformed("no JSON object"))


def _malformed(fault: str) -> str:
    return f"the gate's answer about the checkpoint index is malformed ({fault}){_REMEDY}"


def _write(socket: int, text: bytes) -> None:
    rest = memoryview(text)
    while rest:
        rest = rest[os.write(socket, rest) :]


def _line(socket: int) -> bytes:
    """Return the next line from the gate's socket; without line end if the gate has closed it."""
    line = b""
    while not line.endswith(b"\n") and (chunk := os.read(socket, _CHUNK_BYTES)):
        line += chunk
    return line
