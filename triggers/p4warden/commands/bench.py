from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click
import P4

from p4warden.commands.deploy.termination_signals import interrupt_on_termination
from p4warden.commands.options import address_options, named_policy
from p4warden.core.errors import P4WardenError
from p4warden.prove.administration import run_p4warden
from p4warden.prove.experiment_site import SUPER
from p4warden.prove.second_server import user_form
from p4warden.prove.server import PATIENCE, listening, program_path, throw_away
from p4warden.reports import terminal
from p4warden.server.connection import Address, connected
from p4warden.workbench.benchmarks import shown
from p4warden.workbench.benchmarks.bench_server import Bench, prepared, require_test_server
from p4warden.workbench.benchmarks.papers import SIZES
from p4warden.workbench.benchmarks.run import BENCHMARKS, run
from p4warden.workbench.benchmarks.timings import rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.workbench.benchmarks.timings import Summary

_SANDBOX = "SANDBOX"
_LIMIT_S = 300


@click.command()
@click.option("--p4d", "program", metavar="FILE", help="A p4d to start in a temporary folder.")
@address_options
@click.option(
    "--size",
    type=click.Choice(list(SIZES)),
    default="small",
    show_default=True,
    help="The numbers.",
)
@click.option(
    "--only",
    type=click.Choice(list(BENCHMARKS)),
    multiple=True,
    help="One of the benchmarks; several with several options.",
)
@click.option(
    "--with",
    "policy",
    metavar="POLICY",
    type=named_policy,
    help="Run without p4warden, then with this policy, and show the ratio.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def bench(  # noqa: PLR0913 - an option each
    *,
    program: str | None,
    port: str | None,
    user: str | None,
    size: str,
    only: tuple[str, ...],
    policy: str | None,
    as_json: bool,
) -> None:
    """Run the papers' benchmarks on a test server, with the waits of a bystander beside them.

    Either on a p4d that this command starts and removes (--p4d), or on an empty server that its
    administrator marked with p4 key (--port; the command to mark it is shown). All files are in a
    depot p4warden-bench and in some whose names begin so, all obliterated at the end. With 14
    clients of one user no licence is needed.
    """
    if (program is None) == (port is None):
        raise click.UsageError("specify either a p4d with --p4d, or a test server with --port")
    names = only or tuple(BENCHMARKS)
    with interrupt_on_termination(), _server(program, Address(port, user)) as address:
        facts = list(_facts(address, size))
        runs = dict(_runs(address, size, names, policy))
    if as_json:
        found = {name: [one._asdict() for one in summaries] for name, summaries in runs.items()}
        click.echo(json.dumps({"facts": facts} | found, indent=1))
        return
    tables = shown.tables("without p4warden", runs["without"])
    if policy is not None:
        tables += shown.tables("with the policy", runs["with"], runs["without"])
    terminal.show(facts, tables, "--json has all")


def _runs(
    address: Address, size: str, names: tuple[str, ...], policy: str | None
) -> Iterator[tuple[str, Sequence[Summary]]]:
    with tempfile.TemporaryDirectory(prefix="p4warden-bench-") as folder:
        bench = Bench(address, Path(folder), SIZES[size])
        with prepared(bench):
            yield "without", list(run(bench, names, _announce))
            if policy is not None:
                with _installed(address, policy):
                    yield "with", list(run(bench._replace(run="with"), names, _announce))


def _announce(name: str) -> None:
    click.echo(f"{name} ...", err=True)


@contextlib.contextmanager
def _server(program: str | None, address: Address) -> Iterator[Address]:
    if program is None:
        with connected(address) as p4:
            require_test_server(p4)
        yield address
        return
    path = program_path(program)
    with throw_away(path) as site, listening(site, PATIENCE):
        own = Address(site.port, SUPER, str(site.tickets))
        with connected(own) as p4:
            _create_user(p4, site.passwords[SUPER])
        yield own


def _create_user(p4: P4.P4, password: str) -> None:
    # A server that is secure by default takes no command before the first password is set.
    with p4.at_exception_level(P4.P4.RAISE_NONE):
        p4.input = user_form(SUPER)
        p4.run("user", "-i", "-f")
    p4.input = [password, password]
    p4.run("password")
    p4.password = password
    p4.run_login()


def _facts(address: Address, size: str) -> Iterator[str]:
    with connected(address) as p4:
        version = rows(p4, "info", "-s")[0].get("serverVersion", "an unknown release")
    numbers = SIZES[size]
    yield f"{version}, size {size}: {numbers.tree_files:,} files, {numbers.submits} submits"
    if _SANDBOX in version:
        yield "This is p4warden's sandbox, not a p4d: its times say nothing about one."


@contextlib.contextmanager
def _installed(address: Address, policy: str) -> Iterator[None]:
    """Install p4warden with a policy on the server of this host for the block."""
    with tempfile.TemporaryDirectory(prefix="p4warden-bench-") as folder:
        settings = {
            "P4PORT": address.port,
            "P4USER": address.user,
            "P4TICKETS": address.ticket_file,
            "P4WARDEN_HOME": str(Path(folder, "home")),
        }
        given = {name: value for name, value in settings.items() if value}
        _administer(given, "deploy", "put", "--yes", policy)
        try:
            yield
        finally:
            _administer(given, "deploy", "uninstall", "--yes")


def _administer(settings: dict[str, str], *words: str) -> None:
    process = run_p4warden(words, settings, _LIMIT_S)
    if process.returncode:
        text = process.stdout.decode("utf-8", "replace").strip()
        raise P4WardenError(f"p4warden {' '.join(words)} failed: {text}")
