"""`p4warden sandbox`: a throw-away server to try p4warden on."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden import gate, table, trigger_lines
from p4warden.commands.activate import compile_into
from p4warden.commands.options import checked_policy
from p4warden.commands.refresh import facts_into
from p4warden.sandbox import Sandbox, Settings
from p4warden.server import triggers
from p4warden.server.connection import Address, connected

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy

_STOP = (signal.SIGINT, signal.SIGTERM)


@click.command()
@click.option("--policy", metavar="POLICY", help="Install this YAML policy into it.")
@click.option("--unicode", is_flag=True, help="A unicode server.")
@click.option("--case-insensitive", is_flag=True, help="A server that takes A for a.")
@click.option("--root", type=click.Path(path_type=Path), help="Its folder; default: a new one.")
def sandbox(
    policy: str | None, *, unicode: bool, case_insensitive: bool, root: Path | None
) -> None:
    """Run a small Perforce server on this host alone, until Ctrl-C or SIGTERM.

    Prints the settings that its super user's tools need. It keeps everything in memory and is no
    server for work.
    """
    checked = checked_policy(policy) if policy else None
    settings = Settings(root=root, unicode=unicode, case_sensitive=not case_insensitive)
    # Blocked before any thread starts, the signals wait for sigwait below.
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP)
    with Sandbox(settings) as running:
        if checked:
            _install(checked, running)
        click.echo(f"P4PORT={running.port}")
        click.echo(f"P4USER={running.super_user}")
        click.echo(f"P4TICKETS={running.tickets_file}")
        signal.sigwait(_STOP)


def _install(policy: Policy, running: Sandbox) -> None:
    folder = str(running.root / "home")
    compile_into(folder, policy)
    with connected(Address(running.port, running.super_user, str(running.tickets_file))) as p4:
        facts_into(folder, p4)
        place = trigger_lines.Installation(gate.form_program(), gate.find(), folder)
        wanted = trigger_lines.wanted(policy, place)
        triggers.write_form(p4, table.merge(triggers.read_form(p4), wanted).after)
