"""The files of p4warden's one file, by their paths in it."""

from __future__ import annotations

import configparser
import platform
import re
import zlib
from typing import TYPE_CHECKING

from one_file import programs, wheels
from one_file.stripped import stripped

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ROOT = programs.ROOT
_FOLDERS = {
    "one_file/launcher": "launcher",
    "triggers/p4warden": "packages/p4warden",
    "triggers/p4warden_sandbox": "sandbox/p4warden_sandbox",
    "policies": "share/policies",
    "docs": "share/docs",
    "deploy": "share/deploy",
    "demo": "demo",
}
_GENERATORS = ROOT / "docs" / "pages"
_PAGES = ("CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md")
_STARTER = b"from p4warden.cli import main\n\nmain()\n"


def version(root: Path = ROOT) -> str:
    """Return the version of p4warden in a tree."""
    text = (root / "triggers" / "p4warden" / "__init__.py").read_text("utf-8")
    [found] = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return str(found)


def target() -> Path:
    """Return the path of the one file that is built in this tree."""
    return ROOT / "dist" / f"p4warden-{version()}.pyz"


def of_every_host() -> dict[str, bytes]:
    """Return the files that do not depend on the host."""
    files: dict[str, bytes] = {}
    for folder, place in _FOLDERS.items():
        files |= _folder(ROOT / folder, place)
    files["__main__.py"] = files.pop("launcher/__main__.py")
    files |= {f"share/{name}": (ROOT / name).read_bytes() for name in _PAGES}
    files["share/built-with"] = _built_with()
    files["packages/__main__.py"] = _STARTER
    files["packages/rpds.py"] = (ROOT / "one_file" / "persistent_collections.py").read_bytes()
    for wheel in wheels.packages():
        files |= {f"packages/{name}": content for name, content in wheels.contents(wheel)}
    return files | _own_metadata()


def _folder(folder: Path, place: str) -> dict[str, bytes]:
    return {
        f"{place}/{file.relative_to(folder)}": file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and file.suffix != ".pyc" and not file.is_relative_to(_GENERATORS)
    }


def _built_with() -> bytes:
    """Return what a second build needs to be equal."""
    lines = [programs.asked("rustc", "--version"), f"Python {platform.python_version()}"]
    return "".join(f"{line}\n" for line in [*lines, f"zlib {zlib.ZLIB_RUNTIME_VERSION}"]).encode()


def _own_metadata() -> dict[str, bytes]:
    """Return the description of p4warden that scanners of installed packages read."""
    described = configparser.RawConfigParser()
    described.read(ROOT / "setup.cfg", "utf-8")
    options = described["options"]
    lines = ["Metadata-Version: 2.4", "Name: p4warden", f"Version: {version()}"]
    lines += [f"Summary: {described['metadata']['description']}"]
    lines += ["License-Expression: MIT", "License-File: LICENSE"]
    lines += [f"Requires-Python: {options['python_requires']}"]
    lines += [f"Requires-Dist: {one}" for one in options["install_requires"].split("\n") if one]
    folder = f"packages/p4warden-{version()}.dist-info"
    licence = (ROOT / "LICENSE").read_bytes()
    metadata = ("\n".join(lines) + "\n").encode()
    return {f"{folder}/METADATA": metadata, f"{folder}/licenses/LICENSE": licence}


def of_processor(processor: str, folder: Path, pythons: Iterable[str]) -> dict[str, bytes]:
    """Return the files for a processor: programs from a folder, and P4Python for these Pythons."""
    files = {f"bin/{processor}/{name}": (folder / name).read_bytes() for name in programs.NAMES}
    for python in pythons:
        place = f"p4python/cp{python.replace('.', '')}-{processor}"
        for name, content in wheels.contents(wheels.p4python(python, processor), frozenset()):
            is_library = name.endswith(".so")
            files[f"{place}/{name}"] = stripped(content, processor) if is_library else content
    return files
