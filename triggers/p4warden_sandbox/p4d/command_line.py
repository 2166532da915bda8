# P4 Server Administration Guide, "P4 Server (p4d) reference"; `-xn`, `-xne` and `-xnn` are used by
# Perforce API source client/serverhelper.cc, CreateLocalServer.

from __future__ import annotations

import getopt
import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from p4warden.core.errors import P4WardenError

_LETTERS = "r:p:J:L:v:qfitC:Vx:u:c:"
_DEFAULT_PORT = "1666"
_SETUPS = frozenset({"i", "n", "ne", "nn"})


class CommandLine(NamedTuple):
    """`log` is an absolute path; `setup` is the value of `-x`, such as `i` for Unicode mode.

    `change` is that of `-cset NAME=VALUE`, or of `-cunset NAME` with the value None.
    """

    root: Path
    log: Path | None = None
    port: str = _DEFAULT_PORT
    on_stdin: bool = False
    quiet: bool = False
    version: bool = False
    case_insensitive: bool = False
    setup: str = ""
    user: str = ""
    configurables: tuple[tuple[str, str], ...] = ()
    change: tuple[str, str | None] | None = None


def read(arguments: list[str], environment: dict[str, str]) -> CommandLine:
    """Parse p4d's command line; -J, -f and -t have no effect; raise P4WardenError for others."""
    try:
        pairs, rest = getopt.getopt(arguments, _LETTERS)
    except getopt.GetoptError as error:
        raise P4WardenError(f"p4d of the sandbox: {error}; it takes -{_LETTERS}") from None
    if rest:
        raise P4WardenError(f"p4d of the sandbox: {rest[0]!r} is no option")
    values = dict(pairs)
    root = Path(values.get("-r") or environment.get("P4ROOT") or os.curdir).absolute()
    return CommandLine(
        root=root,
        log=root / values["-L"] if values.get("-L") else None,
        port=values.get("-p") or environment.get("P4PORT") or _DEFAULT_PORT,
        on_stdin="-i" in values,
        quiet="-q" in values,
        version="-V" in values,
        case_insensitive=values.get("-C") == "1",
        setup=_setup(values.get("-x")),
        user=_user(values),
        configurables=tuple(_pair(value) for option, value in pairs if option == "-v"),
        change=_change(values.get("-c")),
    )


def _setup(setup: str | None) -> str:
    if setup is None or setup in _SETUPS:
        return setup or ""
    raise P4WardenError(f"p4d of the sandbox: it does not do -x{setup}")


def _change(text: str | None) -> tuple[str, str | None] | None:
    """Read `set NAME=VALUE` or `unset NAME`."""
    action, _, name = (text or "").partition(" ")
    if text is None:
        return None
    if action == "unset" and name:
        return name, None
    if action == "set" and "=" in name:
        return _pair(name)
    raise P4WardenError(f"p4d of the sandbox: it does not do -c{text}")


def _user(values: dict[str, str]) -> str:
    """Percent-decoded with `-xne`; empty without -u."""
    user = values.get("-u", "")
    return unquote(user) if values.get("-x") == "ne" else user


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value
