from __future__ import annotations

import re
import shlex


def pasteable(text: str) -> str:
    """Quote a text as one shell word in ASCII, for commands that people paste.

    Text other than printable ASCII is written as `$'...'` with octal codes, as bash, ksh and zsh
    read it (POSIX.1-2024, "Dollar-Single-Quotes").
    """
    if text.isascii() and text.isprintable():
        return shlex.quote(text)
    codes = text.encode("utf-8", "surrogateescape")
    letters = (chr(code) if _is_plain(code) else f"\\{code:03o}" for code in codes)
    return f"$'{''.join(letters)}'"


def recorded(text: str) -> str:
    r"""Restore a name from the decision log: each `\x80` to `\xff` becomes a surrogate escape."""
    return re.sub(r"\\x([89a-f][0-9a-f])", lambda code: chr(0xDC00 + int(code[1], 16)), text)


def _is_plain(code: int) -> bool:
    return chr(code).isascii() and chr(code).isprintable() and chr(code) not in "'\\"
