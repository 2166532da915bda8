"""Decide which characters of a text are shown unchanged, and escape the others.

Characters beyond ASCII are shown on pages, and in messages of a server in unicode mode. Always
escaped are invisible characters and those that move their neighbours: control and format
characters, blanks other than the space, line ends, fillers, surrogates and private use. The table
does not depend on the Unicode version of Python or Rust; `triggers/gate/src/base/visible.rs` has
the same table, and `tests/cases/visible_characters.json` has test cases for both.
"""

from __future__ import annotations

from p4warden.core.printable import CUT, MAX_ITEM_CHARACTERS, printable

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
    """Tell whether a message of p4warden may show a non-ASCII character unchanged."""
    code = ord(character)
    return not any(first <= code <= last for first, last in _HIDDEN)


def visible_text(text: str, *, unicode: bool) -> str:
    """Escape a text for a refusal; a server in unicode mode shows visible characters unchanged.

    On other servers, and if the mode is unknown, all text is printable ASCII.
    """
    if text.isascii() or not unicode:
        return printable(text)
    return "".join(c if is_visible(c) else printable(c) for c in text)


def is_unchanged(text: str, *, unicode: bool) -> bool:
    """Tell whether a refusal shows a text unchanged, so that a user can copy it."""
    return visible_text(text, unicode=unicode) == text


def shown_lines(text: str) -> str:
    """Escape invisible characters of a text for a page, mail or terminal; line ends stay.

    Visible characters stay unchanged, so that lines of a view can be copied.
    """
    return "\n".join(visible_text(line, unicode=True) for line in text.split("\n"))


def visible_excerpt(text: str, *, unicode: bool, most_bytes: int = MAX_ITEM_CHARACTERS) -> str:
    """Escape a text for a refusal, then cut it to a number of bytes in UTF-8 as `cut_to` does."""
    return cut_to(visible_text(text[: most_bytes + 1], unicode=unicode), most_bytes)


def cut_to(text: str, most_bytes: int) -> str:
    """Cut a text to a number of bytes in UTF-8, then append `CUT`; a shorter text stays."""
    start = text.encode()[:most_bytes].decode("utf-8", "ignore")
    return text if start == text else f"{start}{CUT}"
