"""Wheels of p4warden's dependencies, each known by its SHA-256."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
FOLDER = HERE.parent / "build" / "wheels"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
_PLATFORMS = ("manylinux2014", "manylinux_2_28")
_LEFT_OUT = frozenset({".so", ".pyd", ".pyc"})


def p4python(python: str, processor: str) -> Path:
    """Return the wheel of P4Python for a Python and a processor; download it if it is not here."""
    tag = f"cp{python.replace('.', '')}"
    pattern = f"p4python-*-{tag}-{tag}-*_{processor}.whl"
    [wheel] = _wheels("p4python.txt", pattern, 1, python, processor)
    return wheel


def packages() -> list[Path]:
    """Return the wheels of the packages that every host gets; download what is not here."""
    count = len(_hashes("packages.txt"))
    return _wheels("packages.txt", "*.whl", count, "3.11", "x86_64")


def _wheels(pinned: str, pattern: str, count: int, python: str, processor: str) -> list[Path]:
    """Return the `count` wheels of this pattern that a file of requirements pins."""
    hashes = _hashes(pinned)
    for attempt in ("from the folder", "downloaded"):
        found = [file for file in sorted(FOLDER.glob(pattern)) if _sha256(file) in hashes]
        if len(found) == count:
            return found
        if attempt == "from the folder":
            _download(pinned, python, processor)
    raise SystemExit(f"one_file/{pinned}: of {count} wheels {pattern} {len(found)} could be had")


def _download(pinned: str, python: str, processor: str) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--require-hashes", "--no-deps", "--only-binary=:all:", f"--dest={FOLDER}"]
    command += [f"--python-version={python}", f"--requirement={HERE / pinned}"]
    command += [f"--platform={platform}_{processor}" for platform in _PLATFORMS]
    if subprocess.run(command, check=False).returncode:
        raise SystemExit(f"one_file/{pinned}: pip cannot download it for {python}, {processor}")


def _hashes(pinned: str) -> set[str]:
    return set(re.findall(r"--hash=sha256:([0-9a-f]{64})", (HERE / pinned).read_text("utf-8")))


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def contents(wheel: Path, left_out: frozenset[str] = _LEFT_OUT) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of each file of a wheel, without compiled parts.

    RECORD is left out, because it lists these as well.
    """
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        if not any(".dist-info/licenses/" in name for name in names):
            raise SystemExit(f"{wheel.name} brings no text of its licence")
        for name in names:
            path = Path(name)
            if not name.endswith("/") and path.suffix not in left_out and path.name != "RECORD":
                yield name, archive.read(name)
