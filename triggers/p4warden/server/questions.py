# All commands that p4warden sends to a server. Some errors are answers as well: a server without a
# protections table has no other way to say so. Numbers and texts are those of Perforce's C++ API
# (msgs/msgdm.cc), in `error_advice`'s notation. `p4 serverid` is not asked, because it is an error
# (msgs/msgserver.cc 569) on most small servers.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import P4

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Row = dict[str, Any]

_DM = 6 << 10
_NO_SUCH_CHANGE = _DM | 26  # N unknown.
_NO_SUCH_SPEC = _DM | 34  # client 'NAME' doesn't exist.
_SPEC_NOT_DEFINED = _DM | 417  # Spec TYPE not defined.
_PROTECTS_EMPTY = _DM | 456  # Protections table is empty. (Everyone is a super user then.)
_NO_SUCH_CONFIGURABLE = _DM | 546  # No such configuration variable 'NAME'.


class Question(NamedTuple):
    """`fields` are none where rows are text, or not read; `empty_answers` are error numbers."""

    command: str
    fields: tuple[str, ...] = ()
    empty_answers: frozenset[int] = frozenset()


QUESTIONS = (
    Question(
        "info",
        (
            "caseHandling",
            "unicode",
            "serverDate",
            "serverRoot",
            "serverServices",
            "serverVersion",
            "ServerID",
            "serverID",
        ),
    ),
    Question("protects -m", ("permMax",), frozenset({_PROTECTS_EMPTY})),
    Question(
        "configure show",
        ("ServerName", "Type", "Name", "Value"),
        frozenset({_NO_SUCH_CONFIGURABLE}),
    ),
    Question("configure help"),
    Question("servers", ("ServerID", "Services", "Address", "ExternalAddress")),
    Question("depots", ("name", "type", "depth")),
    Question("dirs", ("dir",)),
    Question("users", ("User", "Type", "Email")),
    Question(
        "groups",
        (
            "group",
            "user",
            "isUser",
            "isSubGroup",
            "maxScanRows",
            "maxLockTime",
            "maxOpenFiles",
            "maxMemory",
        ),
    ),
    Question(
        "monitor",
        ("id", "status", "user", "time", "command", "args", "client", "host", "prog"),
    ),
    Question("property -l", ("name", "sequence", "value", "appliesToType", "appliesTo")),
    Question("protect -o"),
    Question("clients", ("client", "Access")),
    Question("streams", ("Stream", "Access", "Type")),
    Question("branches", ("branch", "Access")),
    Question("labels", ("label", "Access")),
    Question("user -o", ("FullName", "Email")),
    Question("client -o"),
    Question("client -i"),
    Question("client -d", (), frozenset({_NO_SUCH_SPEC})),
    Question("spec -o", ("Fields",), frozenset({_SPEC_NOT_DEFINED})),
    Question("stream -o"),
    Question("branch -o"),
    Question("label -o"),
    Question("depot -o"),
    Question("triggers -o"),
    Question("triggers -i"),
    Question("have", ("depotFile", "clientFile")),
    Question("opened", ("depotFile", "clientFile", "action"), frozenset({_NO_SUCH_CHANGE})),
    Question("files", ("depotFile", "action", "rev", "time"), frozenset({_NO_SUCH_CHANGE})),
    Question("changes", ("change", "time")),
    Question("filelog"),
    Question("fstat"),
    Question("print"),
    Question("sizes"),
    Question("sync"),
)
"""The rows of the last five, which are only timed or tried, are not read."""

_BY_COMMAND = {question.command: question for question in QUESTIONS}


def ask(p4: P4.P4, command: str, *arguments: str | bytes, **settings: Any) -> list[Any]:
    """Return a listed command's rows, or raise P4Exception; KeyError for an unlisted one."""
    question = _question(command, arguments[:1])
    try:
        rows = p4.run(command, *arguments, **settings)
    except P4.P4Exception:
        errors = {message.msgid for message in p4.messages if message.severity >= P4.P4.E_FAILED}
        if not errors or errors - question.empty_answers:
            raise
        return []
    return [_listed_fields(row, question) for row in rows]


def visit_rows(
    p4: P4.P4, visit: Callable[[Row], object], command: str, *arguments: str | bytes
) -> int:
    """Pass a listed command's rows on one by one, as there may be a million; return their number.

    Raises:
        Exception: that of `visit`, after which no further row is passed on.
    """
    handler = _Visitor(visit)
    with p4.using_handler(handler):
        ask(p4, command, *arguments)
    if handler.problem:
        raise handler.problem
    return handler.count


class _Visitor(P4.OutputHandler):
    def __init__(self, visit: Callable[[Row], object]) -> None:
        super().__init__()
        self._visit = visit
        self.count = 0
        self.problem: Exception | None = None

    def outputStat(self, h: Row) -> int:  # noqa: N802 - P4Python's name
        """P4Python would swallow an exception, so it is raised after the command has ended."""
        self.count += 1
        try:
            self._visit(h)
        except Exception as problem:  # noqa: BLE001 - P4Python would swallow it
            self.problem = self.problem or problem
            return self.HANDLED | self.CANCEL
        return self.HANDLED


def setting(p4: P4.P4, configurable: str) -> str | None:
    """Return the value in effect of a configurable: of several, the first (p4 help configure)."""
    rows = ask(p4, "configure", "show", configurable, encoding="raw")
    values = [text_of(row.get("Value", b"")) for row in rows if isinstance(row, dict)]
    return values[0] if values else None


def server_id(info: Mapping[str, Any]) -> Any:
    """Return the id in the answer to `p4 info`, as text or bytes; None without one.

    The API's message has the tag `ServerID` (msgs/msgserver.cc 598); that of `p4 serverid`, whose
    tag is `serverID`, is accepted too.
    """
    return info.get("ServerID") or info.get("serverID") or None


def _question(command: str, first_argument: tuple[str | bytes, ...]) -> Question:
    words = (command, *(word for word in first_argument if isinstance(word, str)))
    return _BY_COMMAND.get(" ".join(words)) or _BY_COMMAND[command]


def _listed_fields(row: Any, question: Question) -> Any:
    if not isinstance(row, dict) or not question.fields:
        return row
    return {name: row[name] for name in question.fields if name in row}


def text_of(value: bytes) -> str:
    """Return bytes of a server as text; those that are not UTF-8 become surrogate escapes."""
    return value.decode("utf-8", "surrogateescape")
