"""`p4warden log report NAME`: questions that administrators ask of a log."""

from __future__ import annotations

from typing import Any

import click

from p4warden.commands.log import shown
from p4warden.commands.log.asking import part_of
from p4warden.commands.log.load import database_option
from p4warden.commands.log.page import write_page
from p4warden.commands.log.scope_options import scope_options
from p4warden.logs.database_reports import Answer, titles
from p4warden.logs.scope import STEPS

_FORMS = {"csv": shown.as_csv, "json": shown.as_json}


@click.command()
@click.argument("name", required=False)
@database_option
@scope_options
@click.option("--by", type=click.Choice(list(STEPS)), help="The steps of a series; default: hour.")
@click.option(
    "--class",
    "classes_",
    metavar="NAME=WHO,...",
    multiple=True,
    help="Users to count together: patterns, or group:NAME; may be given again.",
)
@click.option("--groups", "groups_file", metavar="FILE", help="Group memberships, as YAML.")
@click.option("--checkpoint", metavar="FILE", help="Take the groups from a checkpoint.")
@click.option("--limit", type=click.IntRange(1, 1_000_000), default=25, show_default=True)
@click.option(
    "--html", "page_file", metavar="FILE", help="Write all reports on one page with charts."
)
@click.option("--csv", "form", flag_value="csv", help="Comma-separated values.")
@click.option("--json", "form", flag_value="json", help="One object a line.")
def report(name: str | None, database: str, limit: int, form: str | None, **given: Any) -> None:
    """Answer a question from the database of `p4warden log load`; without NAME, list them.

    With --html every answer is on one page, which names people: only this account can read it.
    Any other question is SQL for any SQLite client; the tables are described in the database
    itself (`.schema`).
    """
    known = titles()
    if given["page_file"]:
        if name is not None or form is not None:
            raise click.UsageError("--html writes all reports; leave out the name, --csv, --json")
        write_page(given["page_file"], database, limit, given)
        click.echo(given["page_file"])
        return
    if name is None:
        shown.as_table(Answer(("name", "answers"), list(known.items())))
        return
    if name not in known:
        raise click.UsageError(f"there is no report {name}; there are {', '.join(known)}")
    with part_of(database, limit, given) as part:
        answer = part.answer(name)
    _FORMS.get(form or "", shown.as_table)(answer)
    if len(answer.rows) >= limit:
        click.echo(
            f"p4warden: {limit:,} rows are shown; there may be more, which --limit N shows",
            err=True,
        )
