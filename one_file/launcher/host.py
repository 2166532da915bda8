"""Which parts of the file this host needs, and whether the file has them."""

from __future__ import annotations

import os
import platform
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zipfile import ZipFile

_PARTS_OF_EACH = {
    "packages": "packages",
    "share": "share/p4warden",
    "licences": "share/p4warden/licences",
}
_PARTS_TO_TRY = {"sandbox": "packages", "demo": "demo"}


class RefusedError(Exception):
    """Error: the file cannot do this here; the text is one line."""


def base_python() -> str:
    """Return the host's Python that runs this, not the one of a virtual environment."""
    return os.path.abspath(getattr(sys, "_base_executable", None) or sys.executable)


class Version:
    """The version of p4warden in an archive, for this host's Python and processor.

    Raises:
        RefusedError: the archive has nothing for this host.
    """

    def __init__(self, archive: ZipFile) -> None:
        self.archive = archive
        self.packages = (
            f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
        )
        machine = platform.machine()
        self._programs = f"bin/{machine}"
        self._p4python = f"p4python/{_python()}-{machine}"
        available = sorted(
            {name.split("/")[1] for name in archive.namelist() if name.startswith("p4python/")}
        )
        if self._p4python.split("/")[1] not in available:
            raise RefusedError(
                f"it has no parts for {_python()}-{machine}, this host's Python and processor; "
                f"it has {', '.join(available)}"
            )

    def installed_places(self) -> dict[str, str]:
        """Return the folders of the archive that an installation has, each with its place."""
        return {**_PARTS_OF_EACH, self._programs: "bin", self._p4python: self.packages}

    def temporary_places(self) -> dict[str, str]:
        """Return the folders of the archive that a run without an installation has."""
        return {**self.installed_places(), **_PARTS_TO_TRY}


def _python() -> str:
    tag = {"cpython": "cp"}.get(sys.implementation.name, sys.implementation.name)
    return f"{tag}{sys.version_info.major}{sys.version_info.minor}{sys.abiflags}"
