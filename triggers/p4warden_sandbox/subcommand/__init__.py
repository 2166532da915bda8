from __future__ import annotations

import json
import shlex
import shutil
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import checked_policy, named_policy
from p4warden.commands.refresh import facts_into
from p4warden.core.errors import P4WardenError
from p4warden.home import active_policy
from p4warden.server import table_form
from p4warden.server.connection import Address, connected
from p4warden_sandbox import Sandbox as SandboxServer
from p4warden_sandbox import Settings, choice_from_words, like, listing, settings_from_report
from p4warden_sandbox.subcommand import banner, p4_program

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy


@click.command(short_help="run a temporary server for experiments with p4warden")
@click.option(
    "--policy", metavar="POLICY", type=named_policy, help="Install this policy on the server."
)
@click.option("--unicode", is_flag=True, help="A unicode server.")
@click.option("--case-insensitive", is_flag=True, help="A case-insensitive server.")
@click.option(
    "--like", "release", metavar="RELEASE", help="Behave like this release, such as 2019.1."
)
@click.option(
    "--variant",
    "variants",
    metavar="NAME=VALUE",
    multiple=True,
    help="Use this variant of p4d's behaviour; repeatable.",
)
@click.option(
    "--like-report",
    "report",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Behave like the server of this JSON report by p4warden prove.",
)
@click.option("--list-variants", is_flag=True, help="Print the variants and end.")
@click.option(
    "--root", type=click.Path(path_type=Path), help="The server's directory; default: a new one."
)
def sandbox(  # noqa: PLR0913 - one for each option
    policy: str | None,
    release: str | None,
    variants: tuple[str, ...],
    report: Path | None,
    *,
    unicode: bool,
    case_insensitive: bool,
    list_variants: bool,
    root: Path | None,
) -> None:
    """Run a small Perforce server for this host only, until Ctrl-C or SIGTERM.

    Prints the settings that its super user's tools need, and further instructions on standard
    error. Everything is kept in memory; do not use this server for real work.
    """
    if list_variants:
        click.echo(listing())
        return
    compiled_policy = checked_policy(policy) if policy else None
    if release and report:
        raise click.UsageError("use --like or --like-report, not both")
    settings = _reported(report) if report else like(release) if release else Settings()
    settings = settings._replace(
        root=root,
        unicode=unicode,
        case_sensitive=not case_insensitive,
        variants={**settings.variants, **choice_from_words(variants)},
    ).settled()
    stop_event = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stop_event.set())
    with SandboxServer(settings) as running:
        if compiled_policy:
            _install(compiled_policy, running)
        click.echo(f"P4PORT={running.port}")
        click.echo(f"P4USER={running.super_user}")
        click.echo(f"P4TICKETS={running.tickets_file}")
        click.echo("export P4PORT P4USER P4TICKETS")
        if shutil.which("p4") is None:
            folder = p4_program.write(running.root / "bin")
            click.echo(f"export PATH={shlex.quote(str(folder))}:$PATH")
        for line in banner.lines(running):
            click.echo(line, err=True)
        if compiled_policy:
            click.echo(f"Decisions: p4warden report --home {_home(running)}", err=True)
        stop_event.wait()


def _reported(file: Path) -> Settings:
    try:
        variant_report = settings_from_report(json.loads(file.read_text("utf-8")))
    except OSError as error:
        raise P4WardenError(f"{file}: cannot be read: {error.strerror}") from error
    except (ValueError, P4WardenError) as error:
        raise P4WardenError(f"{file}: {error}") from error
    if variant_report.unsupported_facts:
        click.echo(f"No variant imitates {', '.join(variant_report.unsupported_facts)}.", err=True)
    return variant_report.settings


def _home(running: SandboxServer) -> str:
    return str(running.root / "home")


def _install(policy: Policy, running: SandboxServer) -> None:
    home = _home(running)
    active_policy.replace(home, policy)
    with connected(Address(running.port, running.super_user, str(running.tickets_file))) as p4:
        facts_into(home, p4)
        plan = table_form.plan_for(p4, policy, table_form.installation(p4, home))
        table_form.write_form(p4, plan.after)
