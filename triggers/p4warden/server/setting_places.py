# A variable of Perforce has the value of the first of these that sets it: the nearest P4CONFIG
# file, the environment, the P4ENVIRO file (P4 CLI Reference, P4CONFIG; seen with P4Python 2026.1).

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core.printable import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_BYTES = 1 << 20


def place_of(variable: str) -> str:
    """Return a variable's name with the file that sets it, if one does."""
    _, place = next(_places(variable), ("", " (it is not set, so this is the default)"))
    return f"{variable}{place}"


def bad_setting(cause: str) -> str:
    """Return the words for settings that P4Python does not accept."""
    value, place = next(_places("P4CHARSET"), ("", ""))
    if "charset" in cause and value:
        return (
            f"P4CHARSET={cut(value)}{place}: Perforce has no such character set; remove it, or "
            "set it to utf8, or to none for a server that is not in unicode mode"
        )
    return f"P4Python does not accept the settings that p4 set shows: {' '.join(cause.split())}"


def _places(variable: str) -> Iterator[tuple[str, str]]:
    """Yield the values of a variable with the words for their places, the one in effect first."""
    enviro = Path(os.environ.get("P4ENVIRO") or os.path.expanduser("~/.p4enviro"))  # noqa: PTH111
    config = os.environ.get("P4CONFIG") or _value(enviro, "P4CONFIG")
    here = Path(os.environ.get("PWD") or "/proc/self/cwd").resolve()
    files = [folder / config for folder in (here, *here.parents)] if config else []
    for file in files:
        if value := _value(file, variable):
            yield value, f" in {file}"
    if variable in os.environ:
        yield os.environ[variable], ""
    if value := _value(enviro, variable):
        yield value, f" in {enviro}"


def _value(file: Path, variable: str) -> str:
    """Return the value that a file of settings gives a variable; "" without one."""
    try:
        with file.open(encoding="utf-8", errors="surrogateescape") as stream:
            lines = stream.read(_MOST_BYTES).splitlines()
    except (OSError, ValueError):
        return ""
    values = (line.partition("=") for line in lines)
    return next((value.strip() for name, _, value in values if name.strip() == variable), "")
