"""`p4warden log load LOG...`: the reporting database."""

from __future__ import annotations

import click

from p4warden.commands.log_progress import progress
from p4warden.logs import load_database as loading

database_option = click.option(
    "--database", metavar="FILE", default="p4log.db", show_default=True, help="The SQLite file."
)


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@database_option
def load(logs: tuple[str, ...], database: str) -> int:
    """Make a database of logs: text or structured, plain or gzip, in any order.

    It takes the place of one that is there, once it is whole. Leaves with 1 when a log could not
    be read to its end.
    """
    with progress() as bar:
        problems = loading.load(logs, database, bar)
    for problem in problems:
        click.echo(f"p4warden: {problem}", err=True)
    return 1 if problems else 0
