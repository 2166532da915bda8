"""The licences of what others wrote and is linked into the programs, taken from its packages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from one_file import programs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NAME = re.compile(r"(?i)licen[cs]e|copying|copyright|notice|unlicense")
_BLANK_OWNER = b"Copyright (c) <year> <copyright holders>"
_OWNER_OF_MUSL = b"Copyright (c) 2005-2020 Rich Felker, et al. (musl libc, part of the programs)"


def of_programs(processors: Iterable[str]) -> dict[str, bytes]:
    """Return the licences of the crates in the programs, and of Rust's standard library."""
    folders = _folders()
    linked = {crate for processor in processors for crate in _linked(programs.target(processor))}
    found: dict[str, bytes] = {}
    for name, version in sorted(linked):
        found |= of_crate(name, version, folders[name, version])
    return found | of_the_standard_library(programs.sysroot() / "share" / "doc")


def of_crate(name: str, version: str, folder: Path) -> dict[str, bytes]:
    """Return the licences in a crate's folder.

    Raises:
        SystemExit: there is none.
    """
    texts = _texts(folder)
    if not texts:
        raise SystemExit(f"the crate {name} {version} brings no text of its licence")
    return {f"licences/crates/{name}-{version}/{path}": text for path, text in texts}


def _linked(triple: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the version of each crate of others that the programs need."""
    options = ["--workspace", "--edges=normal", "--prefix=none", "--format={p}", "--no-dedupe"]
    tree = programs.asked("cargo", "tree", "--locked", f"--target={triple}", *options)
    for name, version, *place in map(str.split, filter(None, tree.splitlines())):
        is_own = bool(place) and place[0].startswith("(/")
        if not is_own:
            yield name, version.removeprefix("v")


def _folders() -> dict[tuple[str, str], Path]:
    """Return the folder of each known crate, by its name and version."""
    known = json.loads(programs.asked("cargo", "metadata", "--locked", "--format-version=1"))
    crates = known["packages"]
    return {(one["name"], one["version"]): Path(one["manifest_path"]).parent for one in crates}


def _texts(folder: Path) -> list[tuple[str, bytes]]:
    """Return the name and the content of each licence in a crate, or in a folder of licences."""
    found = [path for path in sorted(folder.iterdir()) if _NAME.match(path.name)]
    files = [file for path in found for file in (path.iterdir() if path.is_dir() else [path])]
    return [(file.name, file.read_bytes()) for file in files]


def of_the_standard_library(documents: Path) -> dict[str, bytes]:
    """Return the licences of Rust's standard library and of musl from a toolchain's documents.

    Raises:
        SystemExit: there is none.
    """
    found = [*documents.glob("rust/COPYRIGHT-library.html"), *documents.glob("rustc*/copyright")]
    if not found:
        raise SystemExit(f"{documents} has no licence of Rust's standard library")
    texts = {f"licences/rust-standard-library/{found[0].name}": found[0].read_bytes()}
    for licence in documents.glob("rust/licenses/MIT.txt"):
        text = licence.read_bytes().replace(_BLANK_OWNER, _OWNER_OF_MUSL)
        texts["licences/musl/COPYRIGHT"] = text
    return texts
