from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from p4warden.core.printable import printable
from p4warden.core.visible import is_visible
from p4warden.policy.problems import Problem
from p4warden.policy.schema_wants import json_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.problems import Path

MAX_LINES = 3
MAX_BYTES = 400
"""Maximum size in bytes of a rule's advice text, without line ends, and escaped as on a server
without unicode mode; a refusal needs room for other text as well."""
MAX_CONTACT_BYTES = 200
"""Maximum size in bytes of a policy's contact, escaped as on a server without unicode mode."""

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def misshapen(value: str, *, several_lines: bool) -> str | None:
    """Return an error in a rule's advice text, with its correction; None if none is found."""
    control = _CONTROL.search(value)
    if control:
        return (
            f"{json_text(value)} contains {_name_of(control[0])}, a control character (remove it)"
        )
    lines = value.strip("\n").split("\n")
    if len(lines) > 1 and not several_lines:
        return f"{json_text(value)} has {len(lines)} lines (write one line)"
    if len(lines) > MAX_LINES:
        return f"{json_text(value)} has {len(lines)} lines (write at most {MAX_LINES})"
    if len(lines) > 1 and "" in lines:
        return f"{json_text(value)} has an empty line (remove it)"
    return _too_long(value)


def problems(path: Path, advice: Any, most_bytes: int = MAX_BYTES) -> Iterator[Problem]:
    """Yield errors in a policy's advice or contact: an invisible character, and too many bytes.

    A text with a control character is skipped, because the schema check reports it.
    """
    if not isinstance(advice, str) or _CONTROL.search(advice):
        return
    hidden = next((c for c in advice if c != "\n" and not is_visible(c)), None)
    if hidden:
        text = f"{json_text(advice)} contains {_name_of(hidden)}, which is invisible (remove it)"
        yield Problem(path, text)
    too_long = _too_long(advice, most_bytes)
    if too_long:
        yield Problem(path, too_long)


def _too_long(value: str, most_bytes: int = MAX_BYTES) -> str | None:
    length = len(printable(value.replace("\n", "")))
    if length <= most_bytes:
        return None
    remark = "" if value.isascii() else ", with \\xf6 for ö as servers without unicode show it"
    return f"the text is {length} bytes long{remark} (write at most {most_bytes})"


def _name_of(character: str) -> str:
    return f"U+{ord(character):04X}"
