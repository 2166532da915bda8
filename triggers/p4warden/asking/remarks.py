"""Remarks of the rules about a policy as its author wrote it, from `p4warden-gate remarks`."""

from __future__ import annotations

import functools
import json

from p4warden.asking.gate_program import answer

Remark = tuple[tuple[str | int, ...], str]
"""On the value at the end of a path of keys and list indexes."""


def about(document: object) -> dict[str, list[Remark]]:
    """Return the `mistakes` and the `doubts` in a policy's document, which may have any shape."""
    return _about(json.dumps(document))


@functools.lru_cache(maxsize=1)
def _about(text: str) -> dict[str, list[Remark]]:
    kinds = answer("remarks", text=text.encode())
    return {kind: [(tuple(one["path"]), one["text"]) for one in kinds[kind]] for kind in kinds}
