"""Which parts of the file this host needs, and whether the file has them."""

from __future__ import annotations

import os
import platform
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zipfile import ZipFile

_INSTALLED = {
    "packages": "packages",
    "share": "share/p4warden",
    "licences": "share/p4warden/licences",
}
_TEMPORARY = {
    "packages": "packages",
    "sandbox": "packages",
    "demo": "demo",
    "share/policies": "share/p4warden/policies",
}


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
        host = f"{_python()}-{machine}"
        prefix = "p4python/"
        known = {name.split("/")[1] for name in archive.namelist() if name.startswith(prefix)}
        if host not in known:
            raise RefusedError(
                f"it has no parts for {host}, this host's Python and processor; "
                f"it has {', '.join(sorted(known))}"
            )
        self._of_host = {f"bin/{machine}": "bin", f"{prefix}{host}": self.packages}

    def installed_places(self) -> dict[str, str]:
        """Return the folders of the archive that an installation has, each with its place."""
        return _INSTALLED | self._of_host

    def temporary_places(self) -> dict[str, str]:
        """Return the folders of the archive that a run without an installation has."""
        return _TEMPORARY | self._of_host


def _python() -> str:
    tag = {"cpython": "cp"}.get(sys.implementation.name, sys.implementation.name)
    return f"{tag}{sys.version_info.major}{sys.version_info.minor}{sys.abiflags}"
