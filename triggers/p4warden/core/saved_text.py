from __future__ import annotations

import codecs

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class EncodingError(ValueError):
    """The message continues a sentence after the file's name."""


def decoded(content: bytes, errors: str = "strict") -> str:
    """Read UTF-8, with or without the mark that editors of Windows put before it.

    Raises:
        EncodingError: it is another encoding, such as that of a redirection in PowerShell.
    """
    if content.startswith(UTF16_MARKS):
        raise EncodingError("is UTF-16 (save it as UTF-8)")
    try:
        return content.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        raise EncodingError("is not UTF-8 (save it as UTF-8)") from error
