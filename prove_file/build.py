# Run by `make prove-file` with the Python of the virtual environment.

from __future__ import annotations

import re
import stat
import sys
import zipfile
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "dist" / "p4warden-prove.pyz"
PACKAGES = (
    "attr",
    "attrs",
    "click",
    "jsonschema",
    "jsonschema_specifications",
    "markdown_it",
    "mdurl",
    "p4warden",
    "pygments",
    "referencing",
    "rich",
    "typing_extensions",
    "yaml",
)
"""Their compiled parts are faster versions of what they have in Python, too."""
PROGRAMS = ("p4warden-gate", "p4warden-index", "p4warden-log")
_LICENCE = re.compile(r"(?i)licen[cs]e|copying|notice|authors")
_LEFT_OUT = frozenset({".so", ".pyc", ".pyd"})


def build(target: Path = TARGET) -> Path:
    """Write the file, and return its path."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        file.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            here = Path(__file__).parent
            archive.write(here / "launcher.py", "__main__.py")
            archive.write(here / "persistent_collections.py", "packages/rpds/__init__.py")
            for name in PACKAGES:
                add_package(archive, name)
            for name in PROGRAMS:
                program = Path(sys.executable).with_name(name)
                if program.is_file():
                    archive.write(program, f"bin/{name}")
    target.chmod(target.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return target


def add_package(archive: zipfile.ZipFile, name: str) -> None:
    """Add the files of a package, or a module of one file, and the licences of its project."""
    for licence in licences(name):
        archive.write(licence, f"licences/{name}/{licence.name}")
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{name} is not installed; run make prove-file")
    origin = Path(spec.origin)
    if not spec.submodule_search_locations:
        archive.write(origin, f"packages/{origin.name}")
        return
    for file in sorted(origin.parent.rglob("*")):
        if file.is_file() and file.suffix not in _LEFT_OUT:
            archive.write(file, f"packages/{name}/{file.relative_to(origin.parent)}")


def licences(name: str) -> list[Path]:
    """Return the files with the licences of the project that a package belongs to."""
    if name == "p4warden":
        return [ROOT / "LICENSE"]
    [project] = set(metadata.packages_distributions()[name])
    distribution = metadata.distribution(project)
    files = [file for file in distribution.files or () if _LICENCE.match(file.name)]
    return [Path(str(distribution.locate_file(file))) for file in files]


if __name__ == "__main__":
    sys.stdout.write(f"{build()}\n")
