"""Command line of `p4warden`: finds subcommands, and turns errors into exit codes.

0: success. 1: findings, or an expected failure. 2: the command line is wrong; also a failure of
`deploy plan`, and an undecided `prove`. 3: a bug in p4warden, with the path of its report. 130:
interrupted.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import pkgutil
import re
import shlex
import sys
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden import __version__
from p4warden.asking import gate_program
from p4warden.core.errors import P4WardenError, WrongAccountError
from p4warden.core.subcommands import GROUPS, SUBCOMMANDS
from p4warden.home import own_program

if TYPE_CHECKING:
    from types import ModuleType

_OF_THE_HOST = frozenset(
    {
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EFBIG,
        errno.EIO,
        errno.EMFILE,
        errno.ENFILE,
    }
)
"""Errors that the host gives for reasons outside p4warden, such as a full disk."""

_UNKNOWN = re.compile(r"No such (?P<kind>command|option):? (?P<name>.+?)\.?", re.DOTALL)
"""A message of click, whose releases add different proposals, or none."""

*_, _OTHERS = GROUPS


class Subcommands(click.Group):
    """Click group that imports only the module of the subcommand in use, found by its name.

    A package p4warden_NAME beside p4warden brings a subcommand NAME in its module `subcommand`.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the subcommands of `p4warden`."""
        return [*SUBCOMMANDS, *_brought_along()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a subcommand of `p4warden` by name; None if there is none."""
        name = cmd_name.replace("-", "_")
        if cmd_name in SUBCOMMANDS:
            module = _imported(f"p4warden.commands.{name}")
        elif cmd_name in _brought_along():
            module = _imported(f"p4warden_{name}.subcommand")
        else:
            return None
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands for `p4warden --help`; import only those of others."""
        texts = {
            name: command.short_help or ""
            for name in _brought_along()
            if (command := self.get_command(ctx, name))
        }
        width = max(map(len, SUBCOMMANDS | texts))
        for title, commands in {**GROUPS, _OTHERS: GROUPS[_OTHERS] | texts}.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in commands.items()])


def _imported(module: str) -> ModuleType:
    """P4Python is compiled for one Python, and the host's may have been upgraded since."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != "P4":
            raise
        python = f"Python {sys.version_info.major}.{sys.version_info.minor} ({sys.executable})"
        raise P4WardenError(
            f"P4Python is missing for {python}; {gate_program.install_again()}"
        ) from error


def _brought_along() -> list[str]:
    prefix = "p4warden_"
    return [
        m.name.removeprefix(prefix) for m in pkgutil.iter_modules() if m.name.startswith(prefix)
    ]


@click.group(cls=Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="p4warden")
def p4warden() -> None:
    """Keep a Perforce server fast: refuse the few uses that slow it for everyone."""


def main() -> None:
    """Run the `p4warden` command with the process's arguments, and exit with its exit code.

    Characters that the encoding of the output lacks are printed as escapes, and nothing where the
    caller has closed the output.
    """
    with Path(os.devnull).open("w") as nowhere:
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        sys.exit(run(sys.argv[1:]))


def run(arguments: list[str], command: click.Command = p4warden) -> int:
    """Run a `p4warden` command line; return its exit code. Errors are printed, never raised."""
    try:
        result = command.main(arguments, prog_name="p4warden", standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        return 130
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        click.echo(_misuse(error), err=True)
        return error.exit_code
    except P4WardenError as error:
        text = own_program.named_in(error.printed_text())
        click.echo(text + _as_account(error, arguments), err=True)
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the one wall
        return _unexpected(error)
    return result if isinstance(result, int) else 0


def _misuse(error: click.ClickException) -> str:
    """Return a wrong command line's error as one line; click itself writes four."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else "p4warden"
    text = " ".join(error.format_message().split()).rstrip(".")
    if context and (unknown := _UNKNOWN.fullmatch(error.message)):
        kind, name = unknown["kind"], unknown["name"].strip("'\"")
        text = f"No such {kind} {name!r}{_meant(name, _words(context, kind))}"
    return f"p4warden: {text}; for help: {path} --help"


def _words(context: click.Context, kind: str) -> list[str]:
    if kind == "command" and isinstance(context.command, click.Group):
        return context.command.list_commands(context)
    return [word for one in context.command.get_params(context) for word in one.opts]


def _meant(name: str, words: list[str]) -> str:
    from p4warden.policy.suggested_words import suggested  # noqa: PLC0415 - for a mistyped name only

    meant = suggested(name, words)
    return f" (did you mean {meant}?)" if meant else ""


def _as_account(error: P4WardenError, arguments: list[str]) -> str:
    """Return `: ` and the command line as the account that an error asks for, or nothing."""
    if not isinstance(error, WrongAccountError):
        return ""
    program = ["runuser", "-u"] if os.geteuid() == 0 else ["sudo", "-u"]
    words = [*program, error.account, "--", *own_program.words(), *arguments]
    return f": {shlex.join(words)}"


def _unexpected(error: Exception) -> int:
    """Print an error that no command expects; return 1 if the host is its cause, else 3."""
    if isinstance(error, OSError) and error.errno in _OF_THE_HOST:
        click.echo(f"p4warden: {error.filename or 'a file'}: {error.strerror}", err=True)
        return 1
    click.echo(_report(error), err=True)
    return 3


def _report(error: Exception) -> str:
    """Write an internal error's traceback to a file, if possible; return a message about both."""
    summary = f"p4warden: internal error ({error!r:.100})"
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix="p4warden-defect-",
            suffix=".txt",
            delete=False,
            encoding="utf-8",
            errors="backslashreplace",  # a path in the error may not be UTF-8
        ) as file:
            file.write(f"p4warden {__version__}, Python {sys.version}\n")
            file.writelines(traceback.format_exception(error))
    except OSError as problem:
        return f"{summary}; its report could not be written: {problem.strerror}"
    return f"{summary}; please report it with {file.name}"
