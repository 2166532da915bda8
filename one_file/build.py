"""Build p4warden's one file.

build.py PROGRAMS: for this kind of machine, with the programs of that folder (make file).
build.py: for all kinds, with programs that cargo builds (make release).
"""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from one_file import archive, contents, licences, programs, wheels

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def build(
    target: Path, folders: Mapping[str, Path], pythons: Iterable[str] = wheels.PYTHONS
) -> None:
    """Write the file for some processors, with the programs of a folder for each.

    Its time is that of the variable SOURCE_DATE_EPOCH, else the present.
    """
    files = contents.of_every_host() | licences.of_programs(folders)
    for processor, folder in folders.items():
        files |= contents.of_processor(processor, folder, pythons)
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or time.time()
    archive.write(target, files, time.gmtime(int(epoch)))


def main(arguments: list[str]) -> None:
    """Build the file in the folder `dist`, and print its path."""
    if arguments:
        folders = {platform.machine(): Path(arguments[0])}
    else:
        folders = {processor: programs.build(processor) for processor in programs.PROCESSORS}
    target = contents.target()
    build(target, folders)
    sys.stdout.write(f"{target.relative_to(contents.ROOT)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
