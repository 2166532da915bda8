r"""Lines of JSON; `line` gives the same bytes as `triggers/gate/src/event/json.rs`.

They have no character that controls a terminal: JSON itself escapes the control characters of
ASCII, `line` also DEL, C1, line separators and marks of text direction, `ascii_line` all that is
not printable ASCII. A byte that is not UTF-8 becomes `\xNN`; for `line` its callers replace them.
"""

from __future__ import annotations

from p4warden.core.light_json import dumps
from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.printable import decoded

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_ACTED_ON = (*range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))
_ESCAPES = {code: f"\\u{code:04x}" for code in _ACTED_ON}


def line(document: Mapping[str, Any]) -> bytes:
    """Return a line of JSON in UTF-8; texts must not contain surrogates (`core/printable.py`)."""
    text = dumps(document, ensure_ascii=False).translate(_ESCAPES)
    return text.encode("utf-8", "replace") + b"\n"


def ascii_line(document: Any) -> str:
    """Return a line of JSON in ASCII; surrogate escapes stand for bytes that are not UTF-8."""
    return dumps(_decoded(document)) + "\n"


def _decoded(value: Any) -> Any:
    if isinstance(value, str):
        return decoded(value)
    if isinstance(value, dict):
        return {name: _decoded(entry) for name, entry in value.items()}
    return [*map(_decoded, value)] if isinstance(value, list | tuple) else value
