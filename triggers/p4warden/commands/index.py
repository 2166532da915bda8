"""`p4warden index`: the index of a checkpoint."""

from __future__ import annotations

from pathlib import Path

import click

from p4warden.commands.log_progress import progress
from p4warden.commands.options import home_option
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.index.build import Built, build

FILE_NAME = "checkpoint.index"
_KINDS = {"sensitive": "case-sensitive", "folded": "case-insensitive", "either": "case unknown"}
_SEVERAL = ("--checkpoint", "--journal")


class SeveralFiles(click.Command):
    """Takes several files behind one `--checkpoint` or `--journal`, as a shell gives them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each further file."""
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
    required=True,
    metavar="FILE...",
    help="A checkpoint, plain or gzip, or the directory of a parallel one.",
)
@click.option(
    "--journal",
    "journals",
    multiple=True,
    metavar="FILE...",
    help="The journals after the checkpoint, the oldest first.",
)
@click.option("--output", metavar="FILE", help=f"Default: {FILE_NAME} in the home folder.")
@click.option(
    "--server-id", metavar="NAME", help="The server's server.id, to be kept in the index."
)
@home_option
def index(
    checkpoints: tuple[str, ...],
    journals: tuple[str, ...],
    output: str | None,
    server_id: str | None,
    home: str,
) -> None:
    """Count the files and revisions of a checkpoint, for estimates of what a path spans.

    The index takes the place of the old one once it is whole. Temporary files are beside it; they
    need about a tenth of the checkpoint's size.
    """
    if output is None and not Path(home).is_dir():
        raise P4WardenError(f"{home}: there is no home folder; name the index with --output")
    place = output or str(Path(home) / FILE_NAME)
    with progress() as bar:
        built = build(checkpoints, journals, place, server_id, bar)
    for note in built.notes:
        click.echo(f"p4warden: {note}", err=True)
    click.echo(f"{place}: {_said(built)}")


def _said(built: Built) -> str:
    counts = ", ".join(
        amount(count, noun)
        for count, noun in (
            (built.files, "file"),
            (built.revisions, "revision"),
            (built.clients, "client"),
        )
    )
    change = "" if built.change is None else f", up to change {built.change}"
    return f"{counts}; {_KINDS[built.case]}{change}"
