from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from p4warden.prove.records import Call, Recording, ServerMessage, Step

if TYPE_CHECKING:
    from collections.abc import Iterable


def step_row(step: Step) -> dict[str, Any]:
    """Return a step as an object for JSON, with all bytes in base64."""
    return {
        "step": step.name,
        "calls": [_call_row(call) for call in step.calls],
        "said": [
            {"severity": s.severity, "number": s.number, "text": encoded(s.text)}
            for s in step.messages
        ],
        "rows": [encoded(row) for row in step.rows],
    }


def recording(rows: Iterable[Any], trouble: str | None = None) -> Recording:
    """Return a recording from rows of `step_row`; raise ValueError for a row of another shape."""
    try:
        steps = [_step(row) for row in rows]
    except (KeyError, TypeError, AttributeError, binascii.Error) as error:
        raise ValueError(f"it holds no step of an experiment: {error!r:.80}") from error
    return Recording({step.name: step for step in steps}, trouble)


def call_of(row: dict[str, Any]) -> Call:
    """Convert the JSON object of a recorded trigger call."""
    form = row.get("form")
    return Call(
        str(row["label"]),
        tuple(map(_decoded, row["words"])),
        _decoded(row["stdin"]),
        None if form is None else _decoded(form),
        row.get("mode"),
    )


def encoded(content: bytes) -> str:
    """Return bytes as base64 text."""
    return base64.b64encode(content).decode("ascii")


def _call_row(call: Call) -> dict[str, Any]:
    form = {} if call.form is None else {"form": encoded(call.form), "mode": call.mode}
    words = [encoded(word) for word in call.words]
    return {"label": call.label, "words": words, "stdin": encoded(call.stdin), **form}


def _step(row: dict[str, Any]) -> Step:
    messages = (
        ServerMessage(s["severity"], s["number"], _decoded(s["text"])) for s in row["said"]
    )
    calls = tuple(map(call_of, row["calls"]))
    return Step(str(row["step"]), calls, tuple(messages), tuple(map(_decoded, row["rows"])))


def _decoded(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
