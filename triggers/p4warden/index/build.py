from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.core.json_lines import ascii_line
from p4warden.home.installed_program import InstalledProgram

if TYPE_CHECKING:
    import io
    from collections.abc import Callable, Iterator, Sequence

_NOT_WHOLE = 4


class IndexFileError(P4WardenError):
    """A checkpoint, journal or index cannot be used, or `p4warden-index` is missing."""


class NotWholeError(IndexFileError):
    """A file or folder is not a whole checkpoint; the message names the newest that is."""


PROGRAM = InstalledProgram("p4warden-index", IndexFileError)


class BuiltIndex(NamedTuple):
    files: int  # including deleted ones
    revisions: int
    clients: int
    case: str  # `sensitive`, `folded`, or `either` if the records' order fits both
    change: int | None  # last changelist; None if the checkpoint has no counter
    notes: list[str]  # about parts that were left out


def build(
    checkpoints: Sequence[str],
    journals: Sequence[str],
    output: str,
    server_id: str | None,
    progress: Callable[[int, int], None],
) -> BuiltIndex:
    """Build an index, which replaces `output` once it is complete.

    `checkpoints` are a file, plain or gzip, the folder of a parallel one, or its files; the oldest
    journal is the first. Temporary files are made beside `output`. `server_id` is that of the file
    `server.id`, None if unknown. `progress` gets the number of bytes read and their total.

    Raises:
        IndexFileError: a file is damaged or not a whole checkpoint; the old index stays.
    """
    command = [PROGRAM.path(), "build", "--progress", f"--output={output}"]
    command += [f"--server-id={server_id}"] if server_id is not None else []
    command += inputs(checkpoints, journals)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        notes = PROGRAM.problems(child.stderr or (), progress)
        head = child.stdout.read() if child.stdout else b""
    if child.returncode:
        raise failure(child.returncode, "\n".join(notes))
    document = json.loads(head)
    fields = {name: document[name] for name in BuiltIndex._fields if name in document}
    return BuiltIndex(**fields, notes=notes)


def inputs(checkpoints: Sequence[str], journals: Sequence[str]) -> list[str]:
    """Return the last words of a command line of `p4warden-index`."""
    return [*(f"--journal={journal}" for journal in journals), "--", *checkpoints]


class RunningProgram:
    """`p4warden-index`, which prints JSON values, a line each."""

    def __init__(self, child: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        self._child, self._errors = child, errors
        self.questions: io.RawIOBase | None = None
        self.values = self._values()
        """What it prints. Their end raises IndexFileError if the program failed."""

    def _values(self) -> Iterator[Any]:
        yield from map(json.loads, self._child.stdout or ())
        if code := self._child.wait():
            raise failure(code, self._problems())

    def ask(self, question: Any) -> None:
        """Write a line to a program that is `asked`; if it has ended, `values` says why."""
        assert self.questions is not None  # noqa: S101 - it is asked
        with contextlib.suppress(BrokenPipeError):
            self.questions.write(ascii_line(question).encode())

    def notes(self) -> list[str]:
        """Return its lines on standard error so far."""
        return self._problems().splitlines()

    def _problems(self) -> str:
        self._errors.seek(0)
        return PROGRAM.text(self._errors.read())


@contextlib.contextmanager
def running(words: Sequence[str], source: IO[bytes] | None = None) -> Iterator[RunningProgram]:
    """Start `p4warden-index`; `source` is its standard input.

    Raises:
        IndexFileError: the program is missing.
    """
    with (
        # Its lines are appended, wherever this process reads.
        tempfile.TemporaryFile("a+b") as errors,
        subprocess.Popen(
            [PROGRAM.path(), *words],
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=errors,
            close_fds=False,
        ) as child,
    ):
        yield RunningProgram(child, errors)


@contextlib.contextmanager
def asked(words: Sequence[str]) -> Iterator[RunningProgram]:
    """Start `p4warden-index build` with questions; its standard input may be the checkpoint.

    Raises:
        IndexFileError: the program is missing.
    """
    read_end, write_end = os.pipe()
    os.set_inheritable(read_end, True)  # noqa: FBT003 - its only form
    with (
        os.fdopen(read_end) as of_program,
        os.fdopen(write_end, "wb", buffering=0) as questions,
        running(["build", f"--questions=/dev/fd/{read_end}", *words]) as program,
        questions,  # closed before the program is waited for
    ):
        of_program.close()
        program.questions = questions
        yield program


def printed(words: Sequence[str], source: IO[bytes] | None = None) -> Iterator[Any]:
    """Yield what `p4warden-index` prints, a JSON value a line; `source` is its standard input.

    Raises:
        IndexFileError: the program is missing or failed.
    """
    with running(words, source) as program:
        yield from program.values


def failure(code: int, problem: str) -> IndexFileError:
    """Return the error for an exit code and the text on standard error."""
    kind = NotWholeError if code == _NOT_WHOLE else IndexFileError
    return kind(problem or f"{PROGRAM.name} ended with {code}")
