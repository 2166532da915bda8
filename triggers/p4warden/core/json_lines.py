from __future__ import annotations

import json
from typing import Any

from p4warden.core.printable import decoded


def ascii_line(document: Any) -> str:
    r"""Return a line of JSON in ASCII, in which no character controls a terminal.

    Surrogate escapes stand for bytes that are not UTF-8 and become `\xNN`.
    """
    return json.dumps(_decoded(document)) + "\n"


def object_in(line: str | bytes) -> dict[str, Any] | None:
    """Return the JSON object that a line is; None for any other line, such as one cut short."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _decoded(value: Any) -> Any:
    if isinstance(value, str):
        return decoded(value)
    if isinstance(value, dict):
        return {name: _decoded(entry) for name, entry in value.items()}
    return [*map(_decoded, value)] if isinstance(value, list | tuple) else value
