from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from P4 import P4, P4Exception

from p4warden import __version__
from p4warden.prove.experiment_site import HOST, SUPER, USER, ExperimentSite
from p4warden.prove.recording_file import call_of, encoded
from p4warden.prove.records import FAILED, NOT_ASKED, ServerMessage, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from p4warden.prove.records import Call


CLIENT = "prove-ws"
TROUBLES = (
    RuntimeError,
    P4Exception,
    OSError,
    ValueError,
    LookupError,
    TypeError,
    subprocess.SubprocessError,
)
"""Errors, also of an answer in an unforeseen shape, that end only one part of an experiment."""


@dataclass
class Lab:
    """Each command that is run with `step` is reported as a step when it ends."""

    place: ExperimentSite
    report: Callable[[Step], None]
    report_trouble: Callable[[str], None]
    charset: str = ""
    _admin: P4 | None = None

    @property
    def admin(self) -> P4:
        if self._admin is None or not self._admin.connected():
            self._admin = self.connect(SUPER)
        return self._admin

    def connect(
        self,
        user: str = USER,
        client: str = CLIENT,
        prog: str = "prove",
        *,
        port: str = "",
        track: bool = False,
    ) -> P4:
        """A command on this connection raises no exception for an error of the server."""
        p4 = P4(
            track=int(track),
            port=port or self.place.port,
            user=user,
            client=client,
            prog=prog,
            version=__version__,
            host=HOST,
            cwd=str(self.place.work),
            ticket_file=str(self.place.tickets),
        )
        p4.exception_level = P4.RAISE_NONE
        if self.charset:
            p4.charset = self.charset
        p4.connect()
        return p4

    def at(self, place: ExperimentSite, charset: str = "") -> Lab:
        """Return a lab that reports to the same experiment."""
        return Lab(place, self.report, self.report_trouble, charset)

    def step(self, name: str, p4: P4, *command: str, command_input: Any = None) -> Step:
        """Return and report a command as a step; `command_input` is a form, or answers.

        Raises: RuntimeError: the connection is lost, so that the failure is not an answer of the
        server.
        """
        self.forget_calls()
        rows = _run(p4, command, command_input)
        if not p4.connected():
            raise RuntimeError(f"the connection was lost at {name}")
        step = Step(name, self.calls(), _messages(p4), tuple(map(_bytes, rows)))
        self.report(step)
        return step

    def ask(
        self, name: str, *command: str, user: str = USER, prog: str = "prove", client: str = CLIENT
    ) -> None:
        """Report a command on a new connection as a step, and as a part of the experiment."""
        with self.part():
            self.step(name, self.connect(user, client, prog), *command)

    def save(self, name: str, p4: P4, client: str, *view: str, stream: str = "") -> None:
        """Report the saving of a client as a step."""
        form = self.client_form(client, *view, stream=stream)
        self.step(name, p4, "client", "-i", command_input=form)

    def note(self, name: str, *rows: bytes) -> None:
        """Report an observation, with the trigger calls since `forget_calls` ran."""
        self.report(Step(name, self.calls(), (), rows))

    def not_asked(self, reason: str, *names: str) -> None:
        for name in names:
            self.report(Step(name, rows=(NOT_ASKED, reason.encode())))

    @contextlib.contextmanager
    def part(self) -> Iterator[None]:
        """The failure of a part does not end the others."""
        try:
            yield
        except TROUBLES as error:
            self.report_trouble(" ".join(str(error).split())[:300])

    def must(self, *command: str, command_input: Any = None, p4: P4 | None = None) -> list[Any]:
        """Return a p4 command's rows, as the super user by default; RuntimeError if it failed."""
        connection = p4 or self.admin
        rows = _run(connection, command, command_input)
        if connection.errors:
            raise RuntimeError(f"p4 {command[0]} failed: {connection.errors[0]!s:.200}")
        return [row for row in rows if isinstance(row, dict)]

    def install(self, *lines: str) -> None:
        """The super user's next command opens a new connection, which has the new table."""
        form = "Triggers:\n" + "".join(f"\t{line}\n" for line in lines)
        self.must("triggers", "-i", command_input=form)
        self.admin.disconnect()

    def line(self, label: str, kind: str, path: str, *words: str) -> str:
        """Return a trigger line that starts the recorder of trigger calls with its name, `label`.

        Each word of the command is quoted as a whole, as in p4warden's own trigger lines; one in
        `words` that begins with `bare:` is not, and loses this beginning.
        """
        program = [sys.executable, "-I", "-S", str(self.place.recorder), str(self.place.calls)]
        line_words = [word.replace("%", "%%") for word in (*program, label)]
        quoted_words = [_word(word) for word in (*line_words, *words)]
        return f'{label} {kind} {path} "{" ".join(quoted_words)}"'

    def answer(self, label: str, output: bytes = b"", **behaviour: Any) -> None:
        """Prepare the recorder's reaction; `behaviour` is as in `recorder`."""
        file = self.place.calls / f"{label}.answer"
        file.write_text(json.dumps({"output": encoded(output), **behaviour}), "ascii")

    def forget_calls(self) -> None:
        for file in self.place.calls.glob("*.call"):
            file.unlink()

    def calls(self) -> tuple[Call, ...]:
        """In the order of their starts."""
        files = sorted(self.place.calls.glob("*.call"))
        return tuple(call_of(json.loads(file.read_text("ascii"))) for file in files)

    def save_client(self, client: str, *view: str, stream: str = "") -> None:
        (self.place.work / client).mkdir(mode=0o700, exist_ok=True)
        p4 = self.connect(USER, client)
        form = self.client_form(client, *view, stream=stream)
        self.must("client", "-i", command_input=form, p4=p4)
        p4.disconnect()

    def client_form(self, client: str, *view: str, stream: str = "") -> str:
        kind = f"Stream:\t{stream}\n" if stream else ""
        lines = "".join(f"\t{line}\n" for line in view)
        views = f"View:\n{lines}" if view else ""
        root = self.place.work / client
        return f"Client:\t{client}\nOwner:\t{USER}\nRoot:\t{root}\n{kind}{views}"

    def stream(self, path: str, **fields: Any) -> dict[str, Any]:
        return {**self.must("stream", "-o", path)[0], **fields}

    def submit(self, client: str, *names: str) -> None:
        """Add and submit new files; raise RuntimeError if a p4 command fails."""
        p4 = self.connect(USER, client)
        self.must("add", *[self.write(client, name) for name in names], p4=p4)
        self.must("submit", "-d", "prove", p4=p4)
        p4.disconnect()

    def write(self, client: str, name: str) -> str:
        path = self.place.work / client / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("prove\n", "ascii")
        return str(path)

    def clean(self) -> None:
        """Remains of one experiment could disturb the next; refusals by the server are ignored."""
        with contextlib.suppress(RuntimeError, P4Exception):
            self.must("triggers", "-i", command_input="Triggers:\n")
        with contextlib.suppress(RuntimeError, P4Exception):
            self.must("configure", "unset", "triggers.io")
        # A connection may keep the triggers table that it first saw.
        self.admin.disconnect()
        for file in self.place.calls.iterdir():
            file.unlink()


def _word(word: str) -> str:
    return word.removeprefix("bare:") if word.startswith("bare:") else f"%quote%{word}%quote%"


def _run(p4: P4, command: tuple[str, ...], command_input: Any) -> list[Any]:
    if command_input is not None:
        p4.input = command_input
    rows: list[Any] = p4.run(*command)
    return rows


def _messages(p4: P4) -> tuple[ServerMessage, ...]:
    messages = tuple(ServerMessage(m.severity, m.msgid, _bytes(m)) for m in p4.messages)
    if any(message.severity >= FAILED for message in messages):
        return messages
    return (*messages, *(ServerMessage(FAILED, 0, _bytes(text)) for text in p4.errors))


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, dict):
        value = "\n".join(f"{name}: {text}" for name, text in value.items())
    return str(value).encode("utf-8", "surrogateescape")
