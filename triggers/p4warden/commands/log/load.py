from __future__ import annotations

import glob

import click

from p4warden.commands.log_progress import progress
from p4warden.home import usable
from p4warden.workbench.logs import load_database as loading

database_option = click.option(
    "--database", metavar="FILE", default="p4log.db", show_default=True, help="The SQLite file."
)


@click.command()
@click.argument("logs", nargs=-1, metavar="LOG...")
@database_option
@click.option(
    "--server",
    "servers",
    multiple=True,
    metavar="NAME[=LOG]",
    help="The server of the logs, or of one log; LOG may be a pattern (edge='/logs/edge/log*').",
)
@click.option(
    "--zone",
    "zones",
    multiple=True,
    metavar="[NAME=]ZONE",
    help="The time zone of the text logs, or of one server's, as Europe/Berlin.",
)
def load(
    logs: tuple[str, ...], database: str, servers: tuple[str, ...], zones: tuple[str, ...]
) -> int:
    """Build a database from logs: text or structured, plain or compressed, in any order.

    The database replaces an existing one once it is complete. A file that is not a log is reported
    and left out. The exit code is 1 if that happened, or if a log could not be read to its end.

    Logs of several servers load together: a command that an edge server or a replica forwarded to
    another server counts once. Structured logs contain the name of their server.
    """
    named_logs = [each for one in servers for each in _spread(one)]
    if not logs and not any("=" in one for one in named_logs):
        raise click.UsageError("no log is given; specify one as LOG or --server NAME=LOG")
    usable.refuse_unwritable(database)
    with progress() as bar:
        notes = loading.load(logs, database, bar, named_logs, zones)
    for note in (*notes, *loading.not_understood(database)):
        click.echo(f"p4warden: {note}", err=True)
    click.echo(f"{database}: {loading.summary(database)}")
    return 1 if notes else 0


def _spread(server: str) -> list[str]:
    """Return `NAME=LOG` for each log file that the pattern in `NAME=PATTERN` matches.

    The text is returned unchanged if no file matches, or if it has no `=`.
    """
    name, equals, path = server.partition("=")
    if not equals:
        return [server]
    files = sorted(glob.glob(path)) or [path]  # noqa: PTH207 - a pattern with folders of any kind
    return [f"{name}={file}" for file in files]
