from __future__ import annotations

import contextlib
from pathlib import Path

import click

from p4warden.commands import facts_origin
from p4warden.commands.log_progress import progress
from p4warden.commands.options import home_option
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.history.undone import undone_on_failure
from p4warden.home import active_policy, usable
from p4warden.home.trusted_files import INDEX
from p4warden.index import contents
from p4warden.index.build import BuiltIndex, build
from p4warden.workbench.census.spec_form import DEPOT_TYPES

_KINDS = {"sensitive": "case-sensitive", "folded": "case-insensitive", "either": "case unknown"}
_SEVERAL = ("--checkpoint", "--journal")


class SeveralFiles(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse `--journal A B` as `--journal A --journal B`, and `--checkpoint` likewise."""
        spread: list[str] = []
        last = None
        for word in args:
            if word.startswith("-"):
                last = None
            elif last in _SEVERAL and spread[-1] != last:
                spread.append(str(last))
            last = word if word in _SEVERAL else last
            spread.append(word)
        return super().parse_args(ctx, spread)


@click.command(cls=SeveralFiles)
@click.option(
    "--checkpoint",
    "checkpoints",
    multiple=True,
    metavar="FILE...",
    help="A checkpoint, plain or gzip, or the directory of a parallel one.",
)
@click.option(
    "--journal",
    "journals",
    multiple=True,
    metavar="FILE...",
    help="Journals after the checkpoint, oldest first.",
)
@click.option("--output", metavar="FILE", help=f"Default: {INDEX} in the home folder.")
@click.option(
    "--server-id", metavar="NAME", help="The server's ID (server.id), to record in the index."
)
@home_option
def index(
    checkpoints: tuple[str, ...],
    journals: tuple[str, ...],
    output: str | None,
    server_id: str | None,
    home: str,
) -> None:
    """Count the files and revisions of a checkpoint, for estimates of the files that a path spans.

    The index replaces the old one once it is complete. Temporary files are beside it; they need
    about a tenth of the checkpoint's size. In a home folder with facts the checkpoint of another
    server is refused.
    """
    if output is None and not Path(home).is_dir():
        raise P4WardenError(
            f"{home} does not exist; set the home folder with --home, or the file with --output"
        )
    if output is None:
        usable.refuse_unusable(home)
    place = output or str(Path(home) / INDEX)
    if output is not None:
        usable.refuse_unwritable(output)
    if not checkpoints:
        raise click.UsageError("specify the checkpoint with --checkpoint FILE")
    with undone_on_failure(home, (INDEX,)) if output is None else contextlib.nullcontext():
        with progress() as bar:
            build_result = build(checkpoints, journals, place, server_id, bar)
        if output is None:
            _refuse_other_server(home, place)
    for note in build_result.notes:
        click.echo(f"p4warden: {note}", err=True)
    click.echo(f"{place}: {_summary(build_result)}")


def _refuse_other_server(home: str, index: str) -> None:
    facts = active_policy.facts_if_any(home)
    if facts is None:
        return
    head = contents.head(index)
    depots = contents.depots(index, DEPOT_TYPES)
    of_checkpoint = facts._replace(depots=depots, server_id=head["server_id"])
    remedy = "the old index stays; take a checkpoint of that server, or choose --output FILE"
    facts_origin.refuse_other_server(home, facts, of_checkpoint, head["case"], remedy)


def _summary(build_result: BuiltIndex) -> str:
    counts = [
        amount(build_result.files, "file"),
        amount(build_result.revisions, "revision"),
        amount(build_result.clients, "client"),
    ]
    change = "" if build_result.change is None else f", up to change {build_result.change}"
    return f"{', '.join(counts)}; {_KINDS[build_result.case]}{change}"
