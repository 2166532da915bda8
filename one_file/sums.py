"""The sums of a release, and their signature."""

from __future__ import annotations

import hashlib
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAMESPACE = "p4warden-release"


def write(files: Sequence[Path]) -> Path:
    """Write SHA256SUMS beside the files of a release, and return its path."""
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    target = files[0].with_name("SHA256SUMS")
    target.write_text("".join(lines), "utf-8")
    return target


def sign(file: Path, key: str) -> bool:
    """Write the signature of SHA256SUMS beside it; without a key remove one, and return False."""
    signature = file.with_name(f"{file.name}.sig")
    signature.unlink(missing_ok=True)
    if not key:
        return False
    command = ["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, str(file)]
    if subprocess.run(command, check=False).returncode:
        raise SystemExit(f"ssh-keygen cannot sign with {key}")
    return True
