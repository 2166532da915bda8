"""A small substitute for the `p4` program, for users of the sandbox on hosts without `p4`.

It is made with P4Python. Of p4's global options it supports -c, -d, -p and -u. It edits forms with
P4EDITOR, else EDITOR, else vi.
"""

from __future__ import annotations

import getpass
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import click
from P4 import P4, P4Exception

_SETTINGS = {"-c": "client", "-d": "cwd", "-p": "port", "-u": "user"}
_FORMS = frozenset(
    "branch change client depot group label protect server stream triggers user".split()
)


def main(words: list[str]) -> int:
    """Run one command line of the substitute `p4`, by default as P4USER on P4PORT.

    Returns the exit code.
    """
    p4 = P4(tagged=False, prog="p4", exception_level=P4.RAISE_ERRORS)
    words = _set(p4, words)
    if not words:
        click.echo("usage: p4 [-c client] [-d dir] [-p port] [-u user] command [arguments]")
        return 1
    if "-i" in words:
        p4.input = sys.stdin.read()
    try:
        with p4.connect():
            _run(p4, *words)
            sys.stdout.flush()
    except P4Exception as error:
        click.echo("\n".join(p4.errors) or str(error), err=True)
        return 1
    except BrokenPipeError:
        # Its reader has seen enough; without this Python would complain again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def write(folder: Path) -> Path:
    """Write the substitute for `p4` into a new folder; return the folder."""
    folder.mkdir(mode=0o700)
    program = folder / "p4"
    # Not as a module: importing its package, which is p4warden's, takes most of a start.
    words = shlex.join([sys.executable, str(Path(__file__).resolve())])
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    program.chmod(0o700)
    return folder


def _set(p4: P4, words: list[str]) -> list[str]:
    while words and words[0][:2] in _SETTINGS:
        option, value = words[0][:2], words[0][2:]
        rest = words[1:] if value else words[2:]
        setattr(p4, _SETTINGS[option], value or "".join(words[1:2]))
        words = rest
    return words


def _run(p4: P4, command: str, *words: str) -> None:
    user = next((word for word in words if not word.startswith("-")), p4.user)
    # For `p4 login`, prompt only if it is for the own account: a super user needs no password for
    # `p4 login USER`.
    if command == "login" and "-s" not in words and user == p4.user:
        p4.input = getpass.getpass("Enter password: ")
    if command in ("passwd", "password"):
        p4.input = _passwords(is_own=user == p4.user)
    if command in _FORMS and not any(word.startswith(("-o", "-i", "-d")) for word in words):
        _edit(p4, command, *words)
        return
    for text in p4.run(command, *words):
        click.echo(text, nl=not text.endswith("\n"))


def _passwords(*, is_own: bool) -> list[str]:
    """Ask on the terminal for the input of `p4 passwd`: the old password, the new one twice.

    The old password is requested only for the user's own account, and may be empty.
    """
    old = getpass.getpass("Enter old password (empty where there is none): ") if is_own else ""
    new = [getpass.getpass(f"{prompt} new password: ") for prompt in ("Enter", "Re-enter")]
    return [old, *new] if old else new


def _edit(p4: P4, command: str, *words: str) -> None:
    before = "".join(p4.run(command, "-o", *words))
    with tempfile.NamedTemporaryFile("w+", suffix=".txt", encoding="utf-8") as file:
        file.write(before)
        file.flush()
        editor = os.environ.get("P4EDITOR") or os.environ.get("EDITOR") or "vi"
        try:
            subprocess.run([*shlex.split(editor), file.name], check=False)
        except FileNotFoundError as error:
            text = f"{error.filename}: no such program; set P4EDITOR to your editor"
            raise P4Exception(text) from error
        after = Path(file.name).read_text("utf-8")
    if after == before:
        click.echo(f"Specification of {command} was not changed.")
        return
    p4.input = after
    click.echo("".join(p4.run(command, "-i")))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
