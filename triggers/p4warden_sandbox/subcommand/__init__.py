from __future__ import annotations

import json
import shlex
import shutil
import signal
import threading
from pathlib import Path

import click

from p4warden.core.errors import P4WardenError
from p4warden_sandbox import Sandbox as SandboxServer
from p4warden_sandbox import Settings, choice_from_words, like, listing, settings_from_report
from p4warden_sandbox.subcommand import banner, p4_program


@click.command(short_help="run a temporary server for experiments with p4warden")
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
def sandbox(
    release: str | None,
    variants: tuple[str, ...],
    report: Path | None,
    *,
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
    if release and report:
        raise click.UsageError("use --like or --like-report, not both")
    settings = _reported(report) if report else like(release) if release else Settings()
    settings = settings._replace(
        root=root,
        variants={**settings.variants, **choice_from_words(variants)},
    ).settled()
    stop_event = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stop_event.set())
    with SandboxServer(settings) as running:
        click.echo(f"P4PORT={running.port}")
        click.echo(f"P4USER={running.super_user}")
        click.echo(f"P4TICKETS={running.tickets_file}")
        click.echo("export P4PORT P4USER P4TICKETS")
        if shutil.which("p4") is None:
            folder = p4_program.write(running.root / "bin")
            click.echo(f"export PATH={shlex.quote(str(folder))}:$PATH")
        for line in banner.lines(running):
            click.echo(line, err=True)
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
