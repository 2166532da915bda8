"""Values of the trigger variables `%args%` and `%argsQuoted%`, in each format that p4d may use."""

from __future__ import annotations

import csv
import io
import re
from urllib.parse import quote_from_bytes

from p4warden_sandbox.wire import to_bytes

_BLANK = re.compile(r"[ \t\n\v\f\r]")


def joined(arguments: list[str], way: str) -> str:
    """Return `%args%`: a command's arguments joined by blanks.

    `way` is a value of the sandbox variant `args`, which determines the quoting.
    """
    return " ".join(arguments if way == "plain" else [_in_quotes(a, way) for a in arguments])


def _in_quotes(argument: str, way: str) -> str:
    if way == "doubled":
        argument = argument.replace('"', '""')
    return f'"{argument}"' if not argument or _BLANK.search(argument) else argument


def quoted(arguments: list[str], way: str) -> str:
    """Return `%argsQuoted%`: a command's arguments, encoded and joined by commas.

    `way` is a value of the sandbox variant `args-quoted`, which determines the encoding. With
    `comma`, only `%` and `,` are encoded, as trigger scripts decode only those two (release notes
    2014.2 introduce the variable; that blanks are not encoded is inferred).
    """
    if way == "csv":
        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow(arguments)
        return text.getvalue()
    if way == "percent":
        return ",".join(quote_from_bytes(to_bytes(a), safe="") for a in arguments)
    return ",".join(a.replace("%", "%25").replace(",", "%2C") for a in arguments)
