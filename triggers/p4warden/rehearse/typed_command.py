from __future__ import annotations

import shlex
from typing import Any

from p4warden.asking.judge import EventError

# Letters of p4's global options that have a value, in the same word or in the next (P4 Command
# Reference, global options).
_WITH_VALUE = frozenset("bcCdEFHlLpPQruvxzZ")
_FIELDS = {"u": "user", "c": "client", "d": "clientcwd"}


def event_of(line: str) -> dict[str, Any]:
    """Return the command event of a typed line such as `p4 -u ann files -m1 //depot/...`.

    Raises:
        EventError: the line cannot be split into words, or has no command.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise EventError(f"{line!r}: {error}") from error
    rest = iter(words[1:] if words and words[0].rpartition("/")[2] in ("p4", "p4.exe") else words)
    event: dict[str, Any] = {"event": "command"}
    for word in rest:
        if not word.startswith("-") or len(word) == 1:
            return {**event, "command": word, "args": list(rest)}
        field = _FIELDS.get(word[1])
        value = (word[2:] or next(rest, None)) if word[1] in _WITH_VALUE else None
        if field and value:
            event[field] = value
    raise EventError(f"{line!r} contains no command (write it as typed: p4 files //depot/...)")
