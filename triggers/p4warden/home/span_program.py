"""Started without the module `subprocess`, whose import costs a form trigger more time."""

from __future__ import annotations

import os
import sys

from p4warden.core import light_json, spanned_files
from p4warden.core.errors import P4WardenError
from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.home import trusted_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO, TypeVar

    from p4warden.core.records import SpannedFiles
    from p4warden.judge.view_question import Question, UsedQuestion

    Result = TypeVar("Result")

NAME = "p4warden-index"
FILE_NAME = trusted_files.INDEX
DELTA_NAME = trusted_files.INDEX_DELTA
index_path = trusted_files.index_path


class NoIndexAnswerError(P4WardenError):
    """Error: the checkpoint index gives no answer; the text gives the reason."""


def spanned_in_home(home: str, question: Question) -> SpannedFiles | None:
    """Return the number of files that a view spans, by a home's index; None without an index.

    Later changes from journals (`p4warden index --update`) are included if their file can be
    trusted.

    Raises:
        NoIndexAnswerError: the program is missing or gives no answer, for example because the
            index is damaged, not trusted, or of another server or case handling.
    """
    delta = _delta(home)
    more = [f"--delta={_path(delta)}"] if delta else []
    try:
        return _with_index(home, lambda index: _spanned(index, question, more))
    finally:
        if delta:
            delta.close()


def used_in_home(home: str, question: UsedQuestion) -> tuple[str, ...]:
    """Return the directories in which a client or its user has files, by a home's index."""
    return _with_index(home, lambda index: used_in_file(index, question)) or ()


def spanned_in_file(index: str, question: Question) -> SpannedFiles:
    """Return the number of files that a view spans, by an index file and its delta file."""
    return _spanned(index, question, [])


def used_in_file(index: str, question: UsedQuestion) -> tuple[str, ...]:
    """Return the directories in which a client or its user has files, by an index file."""
    limit = [] if question.max_files is None else [f"--at-most={question.max_files}"]
    match _document(index, ["used", *limit, *_options(question)], b""):
        case {"used": [*directories]} if all(isinstance(one, str) for one in directories):
            return tuple(directories)
    raise NoIndexAnswerError(_malformed(index, "no list of directories"))


def _with_index(home: str, ask: Callable[[str], Result]) -> Result | None:
    """Call `ask` with the path of a home's checkpoint index; return its result.

    None without an index. The path stays valid even if the index is replaced in the meantime.
    """
    if not trusted_files.has(home, FILE_NAME):
        return None
    try:
        file = trusted_files.open_file(home, FILE_NAME)
    except trusted_files.HomeError as error:
        raise NoIndexAnswerError(str(error)) from error
    try:
        return ask(_path(file))
    except NoIndexAnswerError as error:
        raise NoIndexAnswerError(str(error).replace(_path(file), f"{home}/{FILE_NAME}")) from error
    finally:
        file.close()


def _delta(home: str) -> BinaryIO | None:
    try:
        return trusted_files.open_file(home, DELTA_NAME)
    except trusted_files.HomeError:
        return None


def _path(file: BinaryIO) -> str:
    os.set_inheritable(file.fileno(), True)  # noqa: FBT003 - as the system names it
    return f"/dev/fd/{file.fileno()}"


def _spanned(index: str, question: Question, more: list[str]) -> SpannedFiles:
    words = ["span", f"--at-most={question.max_files}", *_options(question), *more]
    text = "".join(f"{path}\n" for path in question.paths).encode("utf-8", "surrogateescape")
    try:
        return spanned_files.from_document(_document(index, words, text))
    except ValueError as error:
        raise NoIndexAnswerError(_malformed(index, str(error))) from error


def _options(question: Question | UsedQuestion) -> list[str]:
    case = "sensitive" if question.case_sensitive else "folded"
    words = [] if question.server_id is None else [f"--server-id={question.server_id}"]
    names = {"client": question.client, "user": question.user}
    # Leave out a client or user name that is not UTF-8, as options of p4warden-index must be; no
    # directories are then looked up for it.
    words += [f"--{kind}={name}" for kind, name in names.items() if name and _is_utf8(name)]
    return [f"--case={case}", *words]


def _document(index: str, words: list[str], text: bytes) -> object:
    try:
        return light_json.loads(_program_output([*words, "--", index], text))
    except ValueError as error:
        raise NoIndexAnswerError(_malformed(index, f"no JSON: {error}")) from error


def _malformed(index: str, fault: str) -> str:
    return (
        f"{index}: {NAME} gave a malformed answer ({fault}); is it the same version as p4warden?"
    )


def _is_utf8(name: str) -> bool:
    return "\0" not in name and not any("\ud800" <= letter <= "\udfff" for letter in name)


def _program_output(words: list[str], text: bytes) -> bytes:
    program = f"{sys.executable.rpartition('/')[0]}/{NAME}"
    question, answer = os.pipe(), os.pipe()
    actions = [
        (os.POSIX_SPAWN_DUP2, question[0], 0),
        (os.POSIX_SPAWN_DUP2, answer[1], 1),
        (os.POSIX_SPAWN_DUP2, answer[1], 2),
    ]
    try:
        child = os.posix_spawn(program, [program, *words], {}, file_actions=actions)
    except OSError as error:
        _close(*question, *answer)
        raise NoIndexAnswerError(f"{program}: cannot be started: {error.strerror}") from error
    _close(question[0], answer[1])
    _write(question[1], text)
    output = _read(answer[0])
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        line = output.decode("utf-8", "replace").strip().partition("\n")[0]
        raise NoIndexAnswerError(line.removeprefix(f"{NAME}: ") or f"{NAME} ended with {status}")
    return output


def _write(pipe: int, text: bytes) -> None:
    try:
        while text:
            text = text[os.write(pipe, text) :]
    except BrokenPipeError:
        pass  # p4warden-index ended early; its own error message explains more than this error
    finally:
        os.close(pipe)


def _read(pipe: int) -> bytes:
    with os.fdopen(pipe, "rb") as file:
        return file.read()


def _close(*pipes: int) -> None:
    for pipe in pipes:
        os.close(pipe)
