from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from p4warden.core.errors import P4WardenError, os_errors_as


def read_object(file: str) -> dict[str, Any]:
    """Read a JSON object from a file; `-` is standard input.

    Raises:
        P4WardenError: the file cannot be read, or has other content.
    """
    try:
        document = json.loads(_read(file))
    except (ValueError, RecursionError) as error:
        raise P4WardenError(f"{display_name(file)}: invalid JSON: {error}") from error
    if not isinstance(document, dict):
        raise P4WardenError(f"{display_name(file)}: not a JSON object")
    return document


def display_name(file: str) -> str:
    """Return the name of an event's file for messages: `standard input` for `-`."""
    return "standard input" if file == "-" else file


def _read(file: str) -> bytes:
    with os_errors_as(P4WardenError, f"{display_name(file)}: cannot be read"):
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
