from __future__ import annotations

import csv
import io
import re
from urllib.parse import quote_from_bytes

from p4warden_sandbox.wire import to_bytes

_BLANK = re.compile(r"[ \t\n\v\f\r]")


def joined(arguments: list[str], way: str) -> str:
    """Return `%args%`; `way` is a value of the variant `args`."""
    return " ".join(arguments if way == "plain" else [_in_quotes(a, way) for a in arguments])


def _in_quotes(argument: str, way: str) -> str:
    if way == "doubled":
        argument = argument.replace('"', '""')
    return f'"{argument}"' if not argument or _BLANK.search(argument) else argument


def quoted(arguments: list[str], way: str) -> str:
    """Return `%argsQuoted%`; `way` is a value of the variant `args-quoted`.

    With `comma`, only `%` and `,` are encoded, as trigger scripts decode only those two (release
    notes 2014.2 introduce the variable; that blanks are not encoded is inferred).
    """
    if way == "csv":
        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow(arguments)
        return text.getvalue()
    if way == "percent":
        return ",".join(quote_from_bytes(to_bytes(a), safe="") for a in arguments)
    return ",".join(a.replace("%", "%25").replace(",", "%2C") for a in arguments)
