"""Which characters are shown unchanged; the others are escaped.

Beyond ASCII these are invisible characters and those that move their neighbours. The table does
not depend on a Unicode version; `triggers/gate/src/base/visible.rs` has the same one.
"""

from __future__ import annotations

from p4warden.core.printable import printable

_HIDDEN = (
    (0x00, 0x1F),
    (0x7F, 0xA0),
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xD800, 0xF8FF),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0x10FFFF),
)


def is_visible(character: str) -> bool:
    """Tell whether a non-ASCII character may be shown unchanged."""
    code = ord(character)
    return not any(first <= code <= last for first, last in _HIDDEN)


def visible_text(text: str, *, unicode: bool) -> str:
    """Escape a text for a refusal; all is printable ASCII unless the server is in unicode mode."""
    if text.isascii() or not unicode:
        return printable(text)
    return "".join(c if is_visible(c) else printable(c) for c in text)


def shown_lines(text: str) -> str:
    """Escape invisible characters for a page, mail or terminal; view lines can be copied."""
    return "\n".join(visible_text(line, unicode=True) for line in text.split("\n"))
