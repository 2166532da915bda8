"""Write lines of JSON for records: UTF-8, the same bytes as `gate/src/event/json.rs` writes.

A line holds nothing that a terminal acts on: JSON escapes the control characters of ASCII, and
DEL, the control characters of C1, separators of lines and changes of direction are escaped here.
"""

from __future__ import annotations

from p4warden.core.light_json import dumps
from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_ACTED_ON = (*range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))
_ESCAPES = {code: f"\\u{code:04x}" for code in _ACTED_ON}


def line(document: Mapping[str, Any]) -> bytes:
    """Return a document as a line of JSON, with its end.

    Args:
        document: plain values; texts without surrogates, which `core/printable.py` has replaced.
    """
    text = dumps(document, ensure_ascii=False).translate(_ESCAPES)
    return text.encode("utf-8", "replace") + b"\n"
