r"""Text from users for display and logs, with the escapes of `triggers/gate/src/base/text.rs`.

`\xNN` is a byte that is not UTF-8 or a character below U+0100, `\uNNNN` and `\UNNNNNNNN` others.
"""

from __future__ import annotations

MAX_ITEM_CHARACTERS = 160
CUT = "... (cut)"


def printable(text: str) -> str:
    """Return a text in printable ASCII, with escapes for all else."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isascii() and c.isprintable() else _escape(c) for c in text)


def printable_lines(text: str) -> str:
    """Return a text in printable ASCII, with its line ends unchanged."""
    return "\n".join(map(printable, text.split("\n")))


def cut(item: str) -> str:
    """Return an item of a refusal in printable ASCII, cut to a length that a dialog can show."""
    return shortened(printable(item[: MAX_ITEM_CHARACTERS + 1]))


def decoded(text: str) -> str:
    r"""Return a text with each byte that is not UTF-8, a surrogate escape in Python, as `\x..`."""
    return text if text.isascii() else "".join(map(_decoded, text))


def short(name: str) -> str:
    r"""Return a name for a decision record: non-UTF-8 bytes as `\x..`, cut to a maximal length."""
    return shortened(decoded(name[: MAX_ITEM_CHARACTERS + 1]))


def shortened(text: str) -> str:
    """Cut a text to `MAX_ITEM_CHARACTERS` and append `CUT`; a shorter one stays."""
    return text if len(text) <= MAX_ITEM_CHARACTERS else f"{text[:MAX_ITEM_CHARACTERS]}{CUT}"


def _decoded(character: str) -> str:
    return _escape(character) if "\udc80" <= character <= "\udcff" else character


def _escape(character: str) -> str:
    code = ord(character)
    if "\udc80" <= character <= "\udcff":
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:  # noqa: PLR2004 - two hex digits hold it
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004 - four do
