"""The fields of a spec that a rule may judge, from its database records.

Numbers are those of DomainOpts, StreamPathType and MapFlag ("P4 Server Schema").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SWITCHES = (
    (0x04, "allwrite", "noallwrite"),
    (0x02, "clobber", "noclobber"),
    (0x20, "compress", "nocompress"),
    (0x08, "locked", "unlocked"),
    (0x01, "modtime", "nomodtime"),
    (0x40, "rmdir", "normdir"),
)
_LINE_ENDS = {0x10: "unix", 0x200: "mac", 0x300: "win", 0x400: "share"}
_LINE_END_BITS = 0x710
_SUBMIT = {0x1000: "revertunchanged", 0x2000: "leaveunchanged"}
_SUBMIT_BITS, _REOPEN = 0x3000, 0x4000
_CLIENT_TYPES = {0x810000: "partitioned-jnl", 0x110000: "partitioned", 0x10000: "readonly"}
_CLIENT_TYPE_BITS = 0x910000
_GRAPH = 2

DOMAIN_TYPES = {"client": 99, "stream": 115, "branch": 98, "label": 108, "depot": 100}
UNLOADED_TYPES = {"client": 67, "label": 76, "stream": 83}
MAP_FLAGS = {0: "", 1: "-", 2: "+", 5: "&"}
PATHS = {0: "share", 1: "isolate", 2: "import", 3: "exclude", 7: "import+", 15: "import&"}
COMPONENTS = {17: "readonly", 18: "writeall", 23: "writeimport+"}
UNCOUNTED = frozenset({1, 7})
"""Types of depots whose files an index lacks: remote and graph."""
DEPOT_TYPES = dict(
    enumerate("local remote spec stream archive unload tangent graph extension trait".split())
)
MEMBER, SUBGROUP = 1, 2
"""Roles in db.group."""


class ViewRow(NamedTuple):
    """A row of db.view, or of a stream in db.template."""

    flag: int  # or path type
    right: str
    depot_path: str


def view(rows: Iterable[ViewRow], words: int) -> list[str]:
    """Return a View, with `words` of 1 only depot paths; rows that no form shows are left out."""
    lines = []
    for row in rows:
        if row.flag in MAP_FLAGS:
            sides = MAP_FLAGS[row.flag] + row.depot_path, row.right
            lines.append(spec_line(*sides[:words]))
    return lines


def stream_paths(rows: Iterable[ViewRow], kinds: Mapping[int, str]) -> list[str]:
    """Return lines of Paths or Components: the rows with a type in `kinds`."""
    return [
        spec_line(kinds[row.flag], *filter(None, (row.right, row.depot_path)))
        for row in rows
        if row.flag in kinds
    ]


def client_options(options: int, contents: int) -> dict[str, list[str]]:
    """Return Options, SubmitOptions, LineEnd and Type, from two columns of db.domain."""
    words = [on if options & bit else off for bit, on, off in _SWITCHES]
    submit = _SUBMIT.get(options & _SUBMIT_BITS, "submitunchanged")
    kind = _CLIENT_TYPES.get(options & _CLIENT_TYPE_BITS, "writeable")
    return {
        "options": [" ".join(words)],
        "submitoptions": [f"{submit}+reopen" if options & _REOPEN else submit],
        "lineend": [_LINE_ENDS.get(options & _LINE_END_BITS, "local")],
        "type": ["graph" if contents == _GRAPH else kind],
    }


def spec_line(*words: str) -> str:
    """Return a line of a form, with quotes around the words that need them."""
    return " ".join(f'"{word}"' if _needs_quotes(word) else word for word in words)


def _needs_quotes(word: str) -> bool:
    return not word or " " in word or "#" in word or "\t" in word
