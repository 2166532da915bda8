"""Other versions of the one file, with another version number, gate or module."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden import __version__
from p4warden.asking import gate_program

if TYPE_CHECKING:
    from collections.abc import Mapping

_INIT = "packages/p4warden/__init__.py"


def gate(version: str) -> bytes:
    """Return the bytes of the gate program, with its version number replaced by `version`."""
    content = Path(gate_program.find()).read_bytes()
    own = f"{gate_program.NAME} {__version__}\n".encode()
    assert own in content
    return content.replace(own, f"{gate_program.NAME} {version}\n".encode())


def write(
    one_file: Path,
    target: Path,
    version: str,
    program: bytes = b"",
    instead: Mapping[str, bytes] | None = None,
) -> Path:
    """Write the one file as a version; return its path.

    `program` is its gate; `instead` has contents of files of p4warden's package by their paths.
    """
    changed = {f"packages/p4warden/{name}": content for name, content in (instead or {}).items()}
    changed[_INIT] = f'"""A copy."""\n\n__version__ = "{version}"\n'.encode()
    with zipfile.ZipFile(one_file) as source, zipfile.ZipFile(target, "w") as archive:
        for entry in source.infolist():
            if entry.filename.endswith(f"/{gate_program.NAME}"):
                archive.writestr(entry, program or gate(version), zipfile.ZIP_STORED)
            else:
                content = changed.get(entry.filename) or source.read(entry)
                archive.writestr(entry, content, zipfile.ZIP_STORED)
    return target
