"""Build p4warden's one file for all hosts, twice, and describe it for those who download it.

make release runs it with the Python of the virtual environment.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from one_file import contents, emulated, programs, sums, wheels

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORK = contents.ROOT / "build" / "release"
_TREES = ("one", "another/place")
"""Folders with names of different lengths, to find paths that get into the file."""


def main(key: str) -> None:
    """Build the release in `dist`, signed with a private key if one is named."""
    refuse_unready()
    files = [_built(_WORK / name) for name in _TREES]
    refuse_difference(*(file.read_bytes() for file in files))
    refuse_places(files[0], [_WORK, contents.ROOT, programs.cargo_home(), programs.sysroot()])
    target = contents.target()
    target.parent.mkdir(exist_ok=True)
    shutil.copy(files[0], target)
    _say(f"{target.name}: {target.stat().st_size / 10**6:.1f} MB; two builds are equal")
    for processor in programs.PROCESSORS:
        _say(f"{processor}: {emulated.answers(target, processor)}")
    summed = sums.write([target])
    _say(f"signed with {key}" if sums.sign(summed, key) else "not signed: make release KEY=FILE")
    shutil.rmtree(_WORK)


def refuse_unready(root: Path = contents.ROOT) -> None:
    """Check that what would be released is committed and has a date.

    Raises:
        SystemExit: it is not, or has none.
    """
    if _git(root, "status", "--porcelain"):
        raise SystemExit("there are changes that are not committed; commit or undo them")
    heading = rf"^## {re.escape(contents.version(root))}, [0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}$"
    if not re.search(heading, (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE):
        raise SystemExit(f"CHANGELOG.md has no date for {contents.version(root)}")


def _built(tree: Path) -> Path:
    """Build the file in a copy of the last commit, with crates and a cargo folder of its own."""
    shutil.rmtree(tree, ignore_errors=True)
    with tarfile.open(fileobj=io.BytesIO(_archived())) as archive:
        archive.extractall(tree, filter="data")
    gate = tree / programs.WORKSPACE.relative_to(contents.ROOT)
    vendor = ["cargo", "vendor", "--locked", "--versioned-dirs", str(tree / "vendor")]
    (tree / ".cargo").mkdir()
    (tree / ".cargo" / "config.toml").write_text(_output(vendor, gate, dict(os.environ)))
    (tree / "build").mkdir()
    (tree / "build" / "wheels").symlink_to(wheels.FOLDER)
    environment = {**os.environ, "CARGO_HOME": str(tree / "cargo"), "CARGO_NET_OFFLINE": "true"}
    environment["SOURCE_DATE_EPOCH"] = _git(contents.ROOT, "log", "-1", "--format=%ct")
    return tree / _output([sys.executable, "one_file/build.py"], tree, environment).strip()


def _output(command: list[str], folder: Path, environment: Mapping[str, str]) -> str:
    """Return what a command prints; its errors are shown if it fails, and end this program."""
    process = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if process.returncode:
        raise SystemExit(process.stderr)
    return process.stdout


def _archived() -> bytes:
    command = ["git", "archive", "--format=tar", "HEAD"]
    return subprocess.run(command, cwd=contents.ROOT, capture_output=True, check=True).stdout


def _git(root: Path, *words: str) -> str:
    command = ["git", "-C", str(root), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def refuse_difference(one: bytes, other: bytes) -> None:
    """Check that two builds are equal.

    Raises:
        SystemExit: they are not; it names the files that differ.
    """
    if one == other:
        return
    with zipfile.ZipFile(io.BytesIO(one)) as first, zipfile.ZipFile(io.BytesIO(other)) as second:
        sums_of = [{entry.filename: entry.CRC for entry in a.infolist()} for a in (first, second)]
    names = sorted(name for name, _crc in sums_of[0].items() ^ sums_of[1].items())
    raise SystemExit(f"two builds differ: {', '.join(dict.fromkeys(names)) or 'in their frame'}")


def refuse_places(file: Path, places: list[Path]) -> None:
    """Check that no file of an archive contains the path of a folder of this machine.

    Raises:
        SystemExit: one does.
    """
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            found = [place for place in places if str(place).encode() in content]
            if found:
                raise SystemExit(f"{name} contains the path {found[0]} of this machine")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
