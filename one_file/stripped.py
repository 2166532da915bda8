"""P4Python's library without its symbols for debuggers, nine tenths of its size."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from one_file import programs


def stripped(library: bytes, processor: str) -> bytes:
    """Return a library without symbols that are not needed to load it."""
    program, environment = _program(processor)
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "before"), Path(folder, "after")
        before.write_bytes(library)
        subprocess.run([program, "--strip-all", before, after], env=environment, check=True)
        return after.read_bytes()


def _program(processor: str) -> tuple[str, dict[str, str]]:
    """Return rustup's objcopy, which knows every processor, or the one of Debian's binutils."""
    libraries = programs.sysroot() / "lib"
    for of_rust in libraries.glob("rustlib/*/bin/rust-objcopy"):
        return str(of_rust), {**os.environ, "LD_LIBRARY_PATH": str(libraries)}
    names = [f"{processor}-linux-gnu-objcopy"]
    if processor == platform.machine():
        names.append("objcopy")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise SystemExit(
            f"nothing strips a library for {processor}; install {names[0]} "
            f"(Debian: binutils-{processor.replace('_', '-')}-linux-gnu)"
        )
    return found, dict(os.environ)
