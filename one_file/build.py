"""Build p4warden's one file for this kind of machine, with the programs of a folder.

make file runs it with the Python of the virtual environment.
"""

from __future__ import annotations

import platform
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from one_file import archive, contents, wheels

if TYPE_CHECKING:
    from collections.abc import Iterable

_DIST = contents.ROOT / "dist"


def build(target: Path, programs: Path, pythons: Iterable[str] = wheels.PYTHONS) -> None:
    """Write the file for this kind of machine."""
    files = contents.of_every_host()
    files |= contents.of_processor(platform.machine(), programs, pythons)
    archive.write(target, files, time.gmtime())


if __name__ == "__main__":
    file = _DIST / f"p4warden-{contents.version()}.pyz"
    build(file, Path(sys.argv[1]))
    sys.stdout.write(f"{file}\n")
