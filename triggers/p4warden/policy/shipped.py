"""The policies that p4warden brings, known by their names."""

from __future__ import annotations

import re
from pathlib import Path

_NAME = re.compile("[a-z-]+")
_VERSION = Path(__file__).resolve().parents[3]
_FOLDERS = (_VERSION / "share" / "p4warden" / "policies", _VERSION / "policies")
"""Of an installed version, and of a clone."""


def file_of(policy: str) -> str:
    """Return the file that a policy's path or name means; a file of that path comes first.

    Raises:
        ValueError: it looks like a name, but no file and no shipped policy has it.
    """
    if not _NAME.fullmatch(policy) or Path(policy).is_file():
        return policy
    shipped = _files()
    if policy not in shipped:
        raise ValueError(
            f"there is no file {policy}, and no shipped policy of this name: {', '.join(shipped)}"
        )
    return str(shipped[policy])


def _files() -> dict[str, Path]:
    paths = (path for folder in _FOLDERS for path in sorted(folder.glob("*.yaml")))
    return {path.stem: path for path in paths if not path.stem.endswith(".cases")}
