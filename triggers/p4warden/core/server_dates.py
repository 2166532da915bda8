from __future__ import annotations

import datetime
import re

_SERVER_DATE = re.compile(r"(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) ([+-]\d{4})( .*)?", re.ASCII)


def server_time_s(text: str) -> float | None:
    """Parse the `serverDate` of `p4 info`, `2026/11/28 08:30:00 +0000 UTC`; None if it is none."""
    match = _SERVER_DATE.fullmatch(text)
    if match is None:
        return None
    try:
        date = datetime.datetime.strptime(f"{match[1]} {match[2]}", "%Y/%m/%d %H:%M:%S %z")
    except ValueError:
        return None
    return date.timestamp()
