# The requests that a client understands, and its answers, are those of the Perforce API source
# client/clientservice.cc (clientCheckFile, clientSendFile, clientOpenFile, clientDeleteFile,
# clientChmodFile). The names of the server's own messages in these exchanges are not published;
# any name works.

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NOT_IN_SANDBOX
from p4warden_sandbox.wire import Message, to_bytes, to_text

if TYPE_CHECKING:
    from p4warden_sandbox.reply import Reply

# Codes of file types in messages to a client (client/clientservice.cc, LookupType).
TYPES = {
    "text": "0",
    "binary": "1",
    "xtext": "2",
    "xbinary": "3",
    "symlink": "4",
    "unicode": "8",
    "utf8": "14",
    "utf16": "18",
}
_TEXTUAL = frozenset({"text", "xtext", "unicode", "utf8"})
_CHUNK_BYTES = 65_536


def check_type(name: str) -> None:
    """Raise CommandError unless the sandbox supports a Perforce file type."""
    if name not in TYPES:
        raise CommandError(NOT_IN_SANDBOX, what=f"files of type {name}")


def is_text(kind: str) -> bool:
    """Tell whether the sandbox's `p4 print` sends files of this Perforce file type as text."""
    return kind in _TEXTUAL


class ClientFiles:
    def __init__(self, reply: Reply) -> None:
        self._reply = reply

    def type(self, path: str) -> str | None:
        """None if the client cannot add the file and says so; `text` if it is missing."""
        request = Message.of("client-CheckFile", {"path": path, "confirm": "dm-OpenFile"})
        answers = self._reply.exchange([request])
        return next((answer.text("type") for answer in answers), None)

    def read(self, path: str, kind: str, *, for_submit: bool = True) -> bytes | None:
        """Get a file; None if the client cannot read it. After a submit it is read-only there."""
        request = {
            "path": path,
            "type": TYPES[kind],
            "handle": "submit",
            "open": "lbr-Open",
            "write": "lbr-Write",
            "confirm": "dm-SubmitFile",
            "decline": "dm-SubmitDecline",
            **({"perms": "ro"} if for_submit else {}),
        }
        answers = self._reply.exchange([Message.of("client-SendFile", request)])
        if not answers or answers[-1].func != "dm-SubmitFile":
            return None
        write_answers = [answer for answer in answers if answer.func == "lbr-Write"]
        return b"".join(to_bytes(answer.text("data")) for answer in write_answers)

    def write(self, path: str, kind: str, content: bytes, *, writable: bool = False) -> bool:
        """Return whether that succeeded; the client tells the user about a failure."""
        handle = {"handle": "sync"}
        perms = {"perms": "rw"} if writable else {}
        opening = {**handle, "path": path, "type": TYPES[kind], **perms}
        chunks = range(0, len(content), _CHUNK_BYTES)
        requests = [
            Message.of("client-OpenFile", opening),
            *(_write(handle, content[at : at + _CHUNK_BYTES]) for at in chunks),
            Message.of("client-CloseFile", {**handle, "commit": ""}),
        ]
        return self._went_well(requests)

    def delete(self, path: str) -> bool:
        request = {"path": path, "type": TYPES["binary"], "handle": "sync"}
        return self._went_well([Message.of("client-DeleteFile", request)])

    def make_writable(self, path: str, kind: str) -> None:
        request = {"path": path, "type": TYPES[kind], "perms": "rw"}
        self._reply.exchange([Message.of("client-ChmodFile", request)])

    def _went_well(self, requests: list[Message]) -> bool:
        request = {"handle": "sync", "confirm": "dm-Written", "decline": "dm-NotWritten"}
        answers = self._reply.exchange([*requests, Message.of("client-Ack", request)])
        return [answer.func for answer in answers] == ["dm-Written"]


def _write(handle: dict[str, str], content: bytes) -> Message:
    return Message.of("client-WriteFile", {**handle, "data": to_text(content)})
