"""The files of p4warden's one file, by their paths in it."""

from __future__ import annotations

import configparser
import re
from pathlib import Path
from typing import TYPE_CHECKING

from one_file import wheels
from one_file.stripped import stripped

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("p4warden-gate", "p4warden-index", "p4warden-log")
_FOLDERS = {
    "one_file/launcher": "launcher",
    "triggers/p4warden": "packages/p4warden",
    "triggers/p4warden_sandbox": "sandbox/p4warden_sandbox",
    "policies": "share/policies",
    "docs": "share/docs",
    "deploy": "share/deploy",
    "demo": "demo",
}
_STARTER = b"from p4warden.cli import main\n\nmain()\n"


def version() -> str:
    """Return p4warden's version."""
    text = (ROOT / "triggers" / "p4warden" / "__init__.py").read_text("utf-8")
    [found] = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return str(found)


def of_every_host() -> dict[str, bytes]:
    """Return the files that do not depend on the host."""
    files: dict[str, bytes] = {}
    for folder, place in _FOLDERS.items():
        files |= _folder(ROOT / folder, place)
    files["__main__.py"] = files.pop("launcher/__main__.py")
    files["packages/__main__.py"] = _STARTER
    files["packages/rpds/__init__.py"] = (
        Path(__file__).with_name("persistent_collections.py").read_bytes()
    )
    for wheel in wheels.packages():
        files |= {f"packages/{name}": content for name, content in wheels.contents(wheel)}
    return files | _own_metadata()


def _folder(folder: Path, place: str) -> dict[str, bytes]:
    return {
        f"{place}/{file.relative_to(folder)}": file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    }


def _own_metadata() -> dict[str, bytes]:
    """Return the description of p4warden that scanners of installed packages read."""
    described = configparser.RawConfigParser()
    described.read(ROOT / "setup.cfg", "utf-8")
    needed = described["options"]["install_requires"].split("\n")
    lines = ["Metadata-Version: 2.4", "Name: p4warden", f"Version: {version()}"]
    lines += [
        f"Summary: {described['metadata']['description']}",
        "License-Expression: MIT",
        "License-File: LICENSE",
    ]
    lines += [f"Requires-Python: {described['options']['python_requires']}"]
    lines += [f"Requires-Dist: {one}" for one in needed if one]
    folder = f"packages/p4warden-{version()}.dist-info"
    licence = (ROOT / "LICENSE").read_bytes()
    return {
        f"{folder}/METADATA": ("\n".join(lines) + "\n").encode(),
        f"{folder}/licenses/LICENSE": licence,
    }


def of_processor(processor: str, programs: Path, pythons: Iterable[str]) -> dict[str, bytes]:
    """Return the files for a processor: programs from a folder, and P4Python for these Pythons."""
    files = {f"bin/{processor}/{name}": (programs / name).read_bytes() for name in PROGRAMS}
    for python in pythons:
        place = f"p4python/cp{python.replace('.', '')}-{processor}"
        for name, content in wheels.contents(wheels.p4python(python, processor), frozenset()):
            is_library = name.endswith(".so")
            files[f"{place}/{name}"] = stripped(content, processor) if is_library else content
    return files
