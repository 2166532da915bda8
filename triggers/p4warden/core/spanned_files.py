"""Read the numbers of files that a view spans from a JSON document.

The program `p4warden-index span` writes it; a line of JSON with an event may contain it as well.

Shape: `{"files": N, "wide": [{"line": N, "files": N, "narrower": [[PATH, N], ...]}, ...]}`; `wide`
and `narrower` may be missing, and unknown keys are ignored.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.records import SpannedFiles, WideLine

if TYPE_CHECKING:
    from typing import Any


def from_document(document: Any) -> SpannedFiles:
    """Convert a JSON document to the numbers of files that a view spans.

    Raises:
        ValueError: a part is missing or has a wrong value.
    """
    match document:
        case {"files": int() as files, **rest} if files >= 0:
            wide = rest.get("wide", [])
            if isinstance(wide, list):
                return SpannedFiles(files, tuple(map(_line, wide)))
    raise ValueError("no number of files")


def _line(document: Any) -> WideLine:
    match document:
        case {"line": int() as line, "files": int() as files, **rest} if line >= 0:
            narrower: Any = rest.get("narrower") or []
            if isinstance(narrower, list):
                return WideLine(line, files, tuple(map(_directory, narrower)))
    raise ValueError("a part of wide without line and files")


def _directory(pair: Any) -> tuple[str, int]:
    match pair:
        case [str() as path, int() as files]:
            return path, files
    raise ValueError("a part of narrower without path and files")
