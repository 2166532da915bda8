"""`p4warden pulse`: measure how long the server takes for five small commands."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import address_options, refuse_other_folder, span_ns
from p4warden.commands.pulse.report import file_options, log_path, report
from p4warden.home import usable
from p4warden.reports.rows import lapse
from p4warden.server.connection import Address
from p4warden.workbench.pulse import measurements
from p4warden.workbench.pulse.rounds import next_ns
from p4warden.workbench.pulse.timed_commands import (
    Arguments,
    Clocks,
    measure,
    refuse_unknown_client,
)
from p4warden.workbench.running.monitor import load

if TYPE_CHECKING:
    from p4warden.workbench.pulse.measurements import Measurement

_CLOCKS = Clocks(time.time, time.monotonic_ns)


def _one_file(path: str) -> str:
    """Refuse wildcards, with which each round could print and sync many files."""
    is_wild = any(word in path for word in ("...", "*", "%%"))
    if is_wild or not path.startswith("//") or path.endswith("/"):
        raise click.BadParameter(f"{path!r} is not a depot path of one file (//depot/dir/file)")
    return path


def _directories(path: str) -> str:
    if "..." in path or not path.startswith("//"):
        raise click.BadParameter(f"{path!r} is not a depot path without '...' (//depot/*)")
    return path


@click.group(commands=[report], invoke_without_command=True)
@click.option("--path", type=_one_file, metavar="TEXT", help="The depot path of one small file.")
@click.option(
    "--dirs",
    type=_directories,
    metavar="TEXT",
    help="Argument of dirs; default: the file's directory and its siblings.",
)
@click.option("-c", "--client", metavar="NAME", help="A client that maps the file.")
@click.option(
    "--every", default="5m", show_default=True, type=span_ns, help="Time between two rounds."
)
@click.option("--once", is_flag=True, help="Measure once and show the result.")
@address_options
@file_options
@click.pass_context
def pulse(  # noqa: PLR0913 - an option each
    context: click.Context,
    *,
    port: str | None,
    user: str | None,
    path: str | None,
    dirs: str | None,
    client: str | None,
    every: int,
    home: str,
    log_file: str | None,
    once: bool,
) -> None:
    """Measure info, print, fstat, dirs and sync -f of one small file, again and again.

    Each time is appended to pulse.jsonl in the home folder, or to another file if this runs on a
    host nearer to the users. An unreachable server is recorded as well. The client must exist,
    with a root that this account can write; this command creates no client. Its file is synced
    anew each time. p4warden pulse report shows the figures.
    """
    if context.invoked_subcommand is not None:
        return
    if path is None or client is None:
        raise click.UsageError("specify a small file with --path and a client with --client")
    if log_file is None:
        refuse_other_folder(home)
        usable.refuse_unusable(home)
    usable.refuse_unwritable(log_file)
    arguments = Arguments(path, dirs or _sibling_directories(path), client)
    refuse_unknown_client(Address(port, user), client)
    log, start_ns = log_path(home, log_file), time.monotonic_ns()
    while True:
        round_of = measure(Address(port, user), arguments, _CLOCKS)
        count = load(Address(port, user), time.time())
        measurements.append(log, [*round_of, *([count] if count else [])])
        _show(round_of, failures_only=not once)
        if once:
            context.exit(int(any(beat.error for beat in round_of)))
        now_ns = time.monotonic_ns()
        time.sleep((next_ns(start_ns, every, now_ns) - now_ns) / 10**9)


def _sibling_directories(path: str) -> str:
    folder = path.rpartition("/")[0]
    above = folder.rpartition("/")[0]
    return f"{folder if above == '/' else above}/*"


def _show(round_of: list[Measurement], *, failures_only: bool) -> None:
    for beat in round_of:
        if beat.error:
            click.echo(f"p4warden: {beat.command}: {beat.error}", err=True)
        elif not failures_only:
            click.echo(f"{beat.command:<10}{lapse(beat.lapse_ns):>12}")
