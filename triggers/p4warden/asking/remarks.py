"""Remarks of the rules about a policy as its author wrote it, from `p4warden-gate remarks`."""

from __future__ import annotations

import functools
import json
from typing import Any, NamedTuple

from p4warden.asking.gate_program import answer


class Remark(NamedTuple):
    """A remark on the value at the end of a path of keys and list indexes."""

    path: tuple[str | int, ...]
    text: str


class Remarks(NamedTuple):
    problems: tuple[Remark, ...]
    doubts: tuple[Remark, ...]


def about(document: object) -> Remarks:
    """Return the remarks about a policy's document, which may have any shape."""
    return _about(json.dumps(document))


@functools.lru_cache(maxsize=1)
def _about(text: str) -> Remarks:
    remarks = answer("remarks", text=text.encode())
    return Remarks(_read(remarks["mistakes"]), _read(remarks["doubts"]))


def _read(remarks: list[dict[str, Any]]) -> tuple[Remark, ...]:
    return tuple(Remark(tuple(remark["path"]), remark["text"]) for remark in remarks)
