"""Write an archive that is the same, byte for byte, for the same files."""

from __future__ import annotations

import stat
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import time
    from collections.abc import Mapping
    from pathlib import Path

_START = b"#!/usr/bin/env python3\n# coding: incomplete--download-this-file-again\n"
"""If the end of the archive is missing, Python reads these lines, and shows the second one."""
_UNIX = 3
_PROGRAM_STARTS = (b"#!", b"\x7fELF")
_PROGRAM, _FILE = stat.S_IFREG | 0o755, stat.S_IFREG | 0o644


def write(target: Path, files: Mapping[str, bytes], time: time.struct_time) -> None:
    """Write an archive that Python runs, of files by their paths, all with this time in UTC."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        file.write(_START)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(files):
                archive.writestr(_entry(name, files[name], time), files[name], compresslevel=9)
    target.chmod(0o755)


def _entry(name: str, content: bytes, time: time.struct_time) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, time[:6])
    entry.create_system, entry.compress_type = _UNIX, zipfile.ZIP_DEFLATED
    entry.external_attr = (_PROGRAM if content.startswith(_PROGRAM_STARTS) else _FILE) << 16
    return entry
