"""The messages between server and trigger under triggers.io=1.

Variables arrive as a dictionary on stdin and the answer is a dictionary on stdout; the exit code
is ignored (P4 Server Administration Guide, "Communication between a trigger and the server"). The
guide gives no spelling. That lines are `name:value`, that an answer is `action:pass` or
`action:fail` with a percent-encoded `message`, and that a trigger must answer even to allow an
event, is inferred from published scripts; whether values on stdin are encoded too is not known, so
only characters that would break a line are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote_to_bytes

from p4warden_sandbox.wire import to_bytes, to_text

if TYPE_CHECKING:
    from collections.abc import Mapping

# Variables left out of the dictionary, because they require a lookup of host names (same page of
# the guide).
_LEFT_OUT = frozenset({"clienthost", "peerhost"})
_ENCODED = str.maketrans({"%": "%25", "\n": "%0A", "\r": "%0D"})


class Answer(NamedTuple):
    """A trigger's answer in a dictionary: whether the event passes, and a message to the user."""

    passes: bool
    message: str


def dictionary(variables: Mapping[str, str]) -> bytes:
    """Return the variables in the format of a trigger's stdin."""
    lines = [
        f"{name}:{value.translate(_ENCODED)}\n"
        for name, value in variables.items()
        if name not in _LEFT_OUT
    ]
    return to_bytes("".join(lines))


def read_answer(output: str) -> Answer | None:
    """Return the answer in a trigger's output; None if it is invalid."""
    lines = [line.partition(":") for line in output.split("\n") if line]
    answer = {name: value.strip() for name, _, value in lines}
    action = answer.get("action")
    if action not in {"pass", "fail"} or not all(colon for _, colon, _ in lines):
        return None
    return Answer(action == "pass", to_text(unquote_to_bytes(to_bytes(answer.get("message", "")))))
