"""`p4warden-gate judge` as a process: a JSON line in, a JSON line out, in order."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import tempfile
from collections import deque
from typing import IO, TYPE_CHECKING, Any, NoReturn

from p4warden.asking.gate_program import NAME, GateError, find_answering, refuse_gone, unstarted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Document = Mapping[str, Any]

CHUNK_BYTES = 1 << 16


class EventError(ValueError):
    """Error: a text or JSON value is not an event; the message gives the reason."""


class Judge:
    """Judges events and answers questions by one policy; rates carry over between events.

    If the process dies on a document, its answer is `unknown`, and a new process, without the
    rates, gets the later ones.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._process: _Process | None = None

    def ask(self, document: Document) -> dict[str, Any]:
        return next(self.answers((document,)))

    def verdict_on(self, event: Document) -> dict[str, Any]:
        """As `verdicts_on`, for one event."""
        return next(self.verdicts_on((event,)))

    def verdicts_on(self, events: Iterable[Document]) -> Iterator[dict[str, Any]]:
        """Ask for the verdict on each event.

        Raises:
            EventError: the gate cannot read an event.
            GateError: as in `answers`.
        """
        for answer in self.answers(events):
            if "error" in answer:
                raise EventError(answer["error"])
            yield answer

    def question(self, document: Document) -> dict[str, Any]:
        """Return the answer to a document with `ask`.

        Raises:
            GateError: the gate has none, for the reason in the text.
        """
        answer = self.ask(document)
        reason = answer.get("error", answer.get("detail"))
        if reason is not None:
            raise GateError(reason)
        return answer

    def answers(self, documents: Iterable[Document]) -> Iterator[dict[str, Any]]:
        """Yield an answer to each document, in order; later documents are read meanwhile.

        Raises:
            GateError: the gate cannot be started, or refuses a file that `judging` names.
        """
        yield from map(json.loads, self.replies(map(_line, documents)))

    def replies(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """As `answers`, with JSON lines that are not blank; replies lack the line end."""
        later, unanswered = iter(lines), deque[bytes]()
        resent = deque[bytes]()
        while True:
            process = self._started()
            try:
                for line in _chain(resent, later):
                    unanswered.append(line)
                    for answer in process.send(line):
                        unanswered.popleft()
                        yield answer
                while unanswered:
                    for answer in process.receive():
                        unanswered.popleft()
                        yield answer
            except _DiedError as death:
                self.close()
                yield _unknown(unanswered.popleft(), str(death))
                resent.extend(unanswered)
                unanswered.clear()
                continue
            finally:
                if unanswered:
                    self.close()  # the caller takes no further answers
            return

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None

    def process_id(self) -> int | None:
        """Return None before the first question, and after the process died on the last one."""
        return self._process.number if self._process else None

    def _started(self) -> _Process:
        if self._process is None:
            self._process = _Process(self._words)
        return self._process


def judging(
    policy: str | None = None,
    facts: str | None = None,
    baseline: str | None = None,
    index: str | None = None,
    flags: Sequence[str] = (),
) -> contextlib.closing[Judge]:
    """Return a context with a judge, whose process ends with it.

    Args:
        policy: the path of a `policy.json`; without one, no rule judges events.
        facts: the path of a `facts.json`.
        baseline: the path of a `baseline.json`.
        index: the path of a checkpoint index.
        flags: names of further parts of an answer, without dashes, such as `texts`.
    """
    files = {"policy": policy, "facts": facts, "baseline": baseline, "index": index}
    given = [f"--{name}={path}" for name, path in files.items() if path is not None]
    return contextlib.closing(
        Judge([find_answering(), "judge", *given, *map("--{}".format, flags)])
    )


class _DiedError(Exception):
    """The process ended; the text says why."""


class _Process:
    def __init__(self, words: Sequence[str]) -> None:
        # Read only when the process has ended, so a file, which cannot fill up as a pipe does.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        try:
            self._child = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
            )
        except OSError as error:
            self._errors.close()
            raise unstarted(error) from error
        assert self._child.stdin and self._child.stdout  # noqa: S101, PT018 - for mypy
        self._input, self._output = self._child.stdin.fileno(), self._child.stdout.fileno()
        os.set_blocking(self._input, False)
        self._received, self.number = b"", self._child.pid
        self._has_answered = False
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)
        self._selector.register(self._input, selectors.EVENT_WRITE)

    def send(self, line: bytes) -> list[bytes]:
        """Write a line; if the pipe is full, return the answers that come meanwhile."""
        left, answers = memoryview(line), list[bytes]()
        while left := left[self._written(left) :]:
            if any(key.fd == self._output for key, _ in self._selector.select()):
                answers += self.receive()
        return answers

    def receive(self) -> list[bytes]:
        """Return answers, after waiting for output."""
        chunk = os.read(self._output, CHUNK_BYTES)
        if not chunk:
            self._fail()
        self._has_answered = True
        *answers, self._received = (self._received + chunk).split(b"\n")
        return answers

    def close(self) -> None:
        with self._child:
            self._child.kill()
        self._selector.close()
        self._errors.close()

    def _written(self, left: memoryview) -> int:
        try:
            return os.write(self._input, left)
        except (BlockingIOError, BrokenPipeError):
            return 0

    def _fail(self) -> NoReturn:
        code = self._child.wait()
        if not self._has_answered:
            refuse_gone()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").splitlines()
        reason = lines[-1] if lines else "the gate's judge ended before its answer"
        # A code of its own means that it refused to start, for example with this policy.
        raise (_DiedError if code < 0 else GateError)(reason.removeprefix(f"{NAME}: "))


def _line(document: Document) -> bytes:
    return json.dumps(document).encode() + b"\n"


def _chain(resent: deque[bytes], later: Iterator[bytes]) -> Iterator[bytes]:
    while resent:
        yield resent.popleft()
    yield from later


def _unknown(line: bytes, reason: str) -> bytes:
    absent = ("rule", "value", "summary", "fix", "delay_s", "retry_after_s", "exemption", "form")
    detail = f"p4warden failed on this event: {reason}"
    answer = {"id": _identity(line), "verdict": "unknown", "detail": detail}
    lists: dict[str, list[Any]] = {"findings": [], "would": [], "unknown": []}
    return json.dumps(answer | dict.fromkeys(absent) | lists).encode()


def _identity(line: bytes) -> Any:
    try:
        return json.loads(line).get("id")
    except (ValueError, AttributeError, RecursionError):
        return None
