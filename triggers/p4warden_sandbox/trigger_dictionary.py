# With triggers.io=1 the server sends trigger variables as a dictionary to stdin, and the trigger
# answers by one on stdout; the exit code is ignored (P4 Server Administration Guide,
# "Communication between a trigger and the server"). The guide does not state the format. Inferred
# from published scripts: lines are `name:value`; an answer has `action:pass` or `action:fail`, and
# optionally `message:` with a percent-encoded text; and a trigger must answer even to allow an
# event. Whether values on stdin are encoded too is not known.

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote_to_bytes

from p4warden_sandbox.wire import to_bytes, to_text

if TYPE_CHECKING:
    from collections.abc import Mapping

# They require a lookup of host names (the same section of the guide).
_OMITTED_VARIABLES = frozenset({"clienthost", "peerhost"})
_ENCODED = str.maketrans({"%": "%25", "\n": "%0A", "\r": "%0D"})


class TriggerAnswer(NamedTuple):
    is_pass: bool
    message: str


def dictionary(
    variables: Mapping[str, str], notation: str = "colon", values: str = "encoded"
) -> bytes:
    """Return lines for stdin; `notation` and `values` are of the variants `dictionary-...`."""
    colon = ": " if notation == "colon-blank" else ":"
    encoded = _ENCODED if values == "encoded" else {}
    lines = [
        f"{name}{colon}{value.translate(encoded)}\n"
        for name, value in variables.items()
        if name not in _OMITTED_VARIABLES
    ]
    return to_bytes("".join(lines))


def read_answer(output: str) -> TriggerAnswer | None:
    """Return None if a trigger's dictionary on its standard output is invalid."""
    lines = [line.partition(":") for line in output.split("\n") if line]
    answer = {name: value.strip() for name, _, value in lines}
    action = answer.get("action")
    if action not in {"pass", "fail"} or not all(colon for _, colon, _ in lines):
        return None
    return TriggerAnswer(
        action == "pass", to_text(unquote_to_bytes(to_bytes(answer.get("message", ""))))
    )
