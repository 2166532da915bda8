"""The `p4warden` command: one line per subcommand, and the wall where errors become exit codes.

0: done. 1: findings, or an expected failure in one line. 2: the command line is wrong. 3: a defect
of ours, with the report's place. 130: interrupted.
"""

from __future__ import annotations

import sys
import tempfile
import traceback

import click

from p4warden import __version__
from p4warden.commands import activate, check, deploy, evaluate, refresh, sandbox
from p4warden.errors import P4WardenError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="p4warden")
def p4warden() -> None:
    """Keep a Perforce server fast: refuse the few uses that slow it for everyone."""


p4warden.add_command(check.check)
p4warden.add_command(activate.activate)
p4warden.add_command(evaluate.evaluate)
p4warden.add_command(refresh.refresh)
p4warden.add_command(deploy.deploy)
p4warden.add_command(sandbox.sandbox)


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line; return the exit code and print no traceback, ever."""
    try:
        result = p4warden.main(arguments, prog_name="p4warden", standalone_mode=False)
    except click.exceptions.Abort:
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except P4WardenError as error:
        click.echo(f"p4warden: {error}", err=True)
        return 1
    except Exception as error:  # noqa: BLE001 - the one wall
        click.echo(_report(error), err=True)
        return 3
    return result if isinstance(result, int) else 0


def _report(error: Exception) -> str:
    """Write a defect's traceback to a file of its own; return the line that names it."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="p4warden-defect-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        file.write(f"p4warden {__version__}, Python {sys.version}\n")
        file.writelines(traceback.format_exception(error))
    return f"p4warden: a defect of p4warden itself ({error!r:.100}); please report {file.name}"
