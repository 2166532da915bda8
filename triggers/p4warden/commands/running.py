from __future__ import annotations

import contextlib
import json
import time
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.live import Live

from p4warden.asking.monitor_file import counters
from p4warden.commands.facts_origin import server_address
from p4warden.commands.options import address_options, home_option, span_ns
from p4warden.commands.runaways import enforce
from p4warden.core.errors import P4WardenError
from p4warden.core.printable import printable
from p4warden.home import gate_counts, public_file, usable
from p4warden.metrics.exposition import render
from p4warden.reports import terminal
from p4warden.server.connection import Address, connected
from p4warden.workbench.running import shown
from p4warden.workbench.running.monitor import processes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import P4

    from p4warden.core.monitor_counters import Counter
    from p4warden.reports.rows import Table
    from p4warden.workbench.running.processes import Process

MODE = 0o644
"""Of the metrics file, which names no person: node_exporter has an account of its own."""


@click.command()
@address_options
@click.option(
    "--monitor-file",
    "counters_file",
    metavar="FILE",
    help="The server's rt.monitorfile, on its own host, for the number that waits for locks.",
)
@click.option(
    "--every", default="2s", show_default=True, type=span_ns, help="Time between two readings."
)
@click.option("--once", is_flag=True, help="Read once; so also where the output is no terminal.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.option("--metrics", metavar="FILE", help="Replace this .prom file, for node_exporter.")
@click.option(
    "--enforce",
    "enforces",
    is_flag=True,
    help="Judge the commands by the rules limit_running_time, and end those that are refused.",
)
@click.option("--dry-run", is_flag=True, help="As --enforce, but end, log and record nothing.")
@click.option(
    "--proof",
    metavar="FILE",
    help="The report of p4warden prove --json with this release of p4d, which --enforce needs "
    "to end a command; default: prove.json in the home folder.",
)
@home_option
def running(  # noqa: PLR0913 - an option each
    *,
    port: str | None,
    user: str | None,
    counters_file: str | None,
    every: int,
    once: bool,
    as_json: bool,
    metrics: str | None,
    enforces: bool,
    dry_run: bool,
    proof: str | None,
    home: str,
) -> int:
    """Show what runs on the server now, oldest first.

    Arguments, clients, programs and hosts are shown to operators and super users only. The age is
    that of the command; a connection keeps its process number over many commands.

    With --enforce or --dry-run, judge the running commands once by the rules limit_running_time of
    the running policy. Exit code: 1 if a command is left because a proof is missing, else 0.
    """
    if enforces or dry_run:
        if as_json or metrics or counters_file:
            raise click.UsageError(
                "--enforce and --dry-run show no table (omit the other options)"
            )
        return enforce(Address(port, user), home, proof, is_dry=dry_run)
    usable.refuse_unwritable(metrics)
    with connected(Address(port, user)) as p4:
        if as_json or metrics:
            _write(*_reading(p4, counters_file), metrics, as_json=as_json)
        elif once or not Console().is_terminal:
            terminal.show(*_shown(p4, counters_file, home), remark="--json has all")
        else:
            _refresh(p4, counters_file, home, every)
    return 0


def _write(
    now: list[Process], numbers: Mapping[str, Counter], path: str | None, *, as_json: bool
) -> None:
    if path is not None:
        public_file.write(path, render(shown.families(now, numbers), {}), MODE)
    if as_json:
        click.echo(json.dumps(shown.document(now, numbers), indent=1))


def _refresh(p4: P4.P4, path: str | None, home: str, every_ns: int) -> None:
    with Live(auto_refresh=False, screen=True) as live:
        while True:
            facts, tables = _shown(p4, path, home)
            live.update(terminal.screen(facts, tables, live.console), refresh=True)
            time.sleep(every_ns / 10**9)


def _shown(p4: P4.P4, path: str | None, home: str) -> tuple[list[str], list[Table]]:
    now, numbers = _reading(p4, path)
    return [*shown.facts(p4.port, now, numbers), *_turns(p4.port, home)], [shown.table(now)]


def _turns(port: str, home: str) -> Iterator[str]:
    """Say how many commands wait for their turn, which the server lists as running.

    Nothing if the home is of another server, or not this account's.
    """
    with contextlib.suppress(P4WardenError):
        counts = gate_counts.counts(home) if server_address(home) == port else None
        for one in (counts or {}).get("at_once", ()):
            rule, waiting = printable(one["rule"]), one["waiting"]
            yield f"{rule}: {one['running']} run, {waiting} more wait for their turn"


def _reading(p4: P4.P4, path: str | None) -> tuple[list[Process], Mapping[str, Counter]]:
    return processes(p4), counters(path) if path else {}
