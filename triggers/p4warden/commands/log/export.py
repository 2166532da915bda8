from __future__ import annotations

import click

from p4warden.commands.log.load import database_option
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.home import usable
from p4warden.workbench.logs.database_reports import open_database


@click.command()
@database_option
@click.option(
    "--parquet", "folder", metavar="DIR", required=True, help="The folder for the Parquet files."
)
def export(database: str, folder: str) -> None:
    """Write the database of `p4warden log load` as Parquet files, by server and day.

    Rows of several exports can share one folder; exporting the same log again replaces its earlier
    rows. docs/parquet.md has queries.
    """
    try:
        from p4warden.workbench.logs import parquet_export  # noqa: PLC0415 - pyarrow is an extra
    except ImportError as error:
        raise P4WardenError(
            "Parquet files need pyarrow, which is not installed; run this from a clone, after "
            ".venv/bin/pip install pyarrow"
        ) from error
    usable.refuse_unwritable_folder(folder)
    try:
        with open_database(database) as connection:
            counts = parquet_export.export(connection, folder)
    except OSError as error:
        raise P4WardenError(f"{error.filename or folder}: {error.strerror or error}") from error
    summary = ", ".join(
        f"{amount(count, 'row')} of {table}" for table, count in counts.items() if count
    )
    click.echo(f"{folder}: {summary or 'nothing'}")
