from __future__ import annotations

import os
import shlex
from pathlib import Path

_SCRIPT = "share/p4warden/deploy/install.sh"
_WITHOUT_PREFIX = "install p4warden again, so that {path} is there and starts"


def way_back(path: str, home: str, owner: str) -> str:
    """Return a shell command that restores a program, or without PREFIX words that ask for it.

    It returns to the previous version that deploy/install.sh kept, or else installs again.
    """
    place = Path(path)
    if place.parent.name != "bin" or place.parent.parent.name != "current":
        return _WITHOUT_PREFIX.format(path=path)
    prefix = place.parent.parent.parent
    options = ["--prefix", str(prefix), "--home", home, "--owner", owner]
    if _has_previous(prefix):
        return shlex.join(["sh", f"{prefix}/previous/{_SCRIPT}", "--rollback", *options])
    kept = sorted(prefix.glob(f"versions/*/{_SCRIPT}"))
    script = str(kept[-1]) if kept else "install.sh"
    return f"{shlex.join(['sh', script, *options])} --wheels WHEELS"


def _has_previous(prefix: Path) -> bool:
    previous, current = prefix / "previous", prefix / "current"
    if not (previous / "complete").exists() or not (previous / _SCRIPT).exists():
        return False
    return not current.is_symlink() or os.readlink(previous) != os.readlink(current)  # noqa: PTH115
