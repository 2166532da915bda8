"""The differences between the answers of two builds that are intended, by name.

A function gets the event, the old and the new line, and tells whether the name explains them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def _reads_a_range(event: bytes, _old: bytes, _new: bytes) -> bool:
    """A revision range bounds what a command reads, for both rules on arguments."""
    args = _document(event).get("args", ())
    return any(mark in word for word in args for mark in ("@>", "@<", "@=", ",", "#"))


def _adds_to_its_parent(event: bytes, _old: bytes, new: bytes) -> bool:
    """A stream's imports add to those that it inherits, which no facts of an event name."""
    return _document(event).get("type") == "stream" and _document(new)["verdict"] == "unknown"


def _document(line: bytes) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(line or b"{}")
    return document


NAMED: dict[str, Callable[[bytes, bytes, bytes], bool]] = {
    "reads a range": _reads_a_range,
    "adds to its parent": _adds_to_its_parent,
}
