from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_COMMANDS = frozenset({"user-sync", "user-update", "user-flush"})
# Its value may be a separate word (p4 help sync).
_WITH_VALUE = "-m"
# Revisions to which `p4 sync` removes files from the client.
_GONE = ("#none", "#0")


def synced(
    records: Iterable[dict[str, Any]], clients: Collection[str], since_s: float
) -> dict[str, tuple[str, ...]]:
    """Return the paths that clients synced since a time, without revisions, by client.

    A sync without a path counts as the whole view; one to no revision is left out. `records` are
    those of `p4warden-log read`, names of clients are in lower case, `since_s` is since the epoch.
    """
    paths_by_client: dict[str, set[str]] = {}
    for record in records:
        client = str(record.get("client", ""))
        is_sync = record.get("command") in _COMMANDS and record.get("start", 0) >= since_s
        if is_sync and client.lower() in clients:
            paths = _paths(client, record.get("args") or [])
            paths_by_client.setdefault(client.lower(), set()).update(paths)
    return {client: tuple(sorted(paths)) for client, paths in paths_by_client.items()}


def _paths(client: str, words: list[str]) -> Iterable[str]:
    whole_client = f"//{client}/..."
    files = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if not word.startswith("-") and before != _WITH_VALUE
    ]
    for word in files or [whole_client]:
        if not word.endswith(_GONE):
            yield re.split("[#@]", word, maxsplit=1)[0] or whole_client
