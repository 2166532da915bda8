"""`p4warden log report NAME`: questions that administrators ask of a log."""

from __future__ import annotations

from typing import Any

import click

from p4warden.commands.log import shown
from p4warden.commands.log.load import database_option
from p4warden.commands.log.scope_options import asked, classes, scope_options
from p4warden.logs.database_reports import Answer, answer, last_s, opened, titles
from p4warden.logs.narrowing import narrow
from p4warden.logs.scope import STEPS, Division

_FORMS = {"csv": shown.as_csv, "json": shown.as_json}


@click.command()
@click.argument("name", required=False)
@database_option
@scope_options
@click.option(
    "--by", type=click.Choice(list(STEPS)), default="hour", help="The steps of a series."
)
@click.option(
    "--class",
    "classes_",
    metavar="NAME=WHO,...",
    multiple=True,
    help="Users to count together: patterns, or group:NAME; may be given again.",
)
@click.option("--groups", "groups_file", metavar="FILE", help="Who is in which groups, as YAML.")
@click.option("--checkpoint", metavar="FILE", help="Take the groups from a checkpoint.")
@click.option("--limit", type=click.IntRange(1, 1_000_000), default=25, show_default=True)
@click.option("--csv", "form", flag_value="csv", help="Comma-separated values.")
@click.option("--json", "form", flag_value="json", help="One object a line.")
def report(name: str | None, database: str, limit: int, form: str | None, **given: Any) -> None:
    """Answer a question from the database of `p4warden log load`; without NAME, list them.

    Any other question is SQL for any SQLite client; the tables are described in the database
    itself (`.schema`).
    """
    known = titles()
    if name is None:
        shown.as_table(Answer(("name", "answers"), list(known.items())))
        return
    if name not in known:
        raise click.UsageError(f"there is no report {name}; there are {', '.join(known)}")
    _FORMS.get(form or "", shown.as_table)(_answered(name, database, limit, given))


def _answered(name: str, database: str, limit: int, given: dict[str, Any]) -> Answer:
    options = asked(given)
    of_classes = classes(given["classes_"], given["groups_file"], given["checkpoint"])
    with opened(database) as connection:
        end_s = last_s(connection)
        scope = options.scope(end_s)
        narrow(connection, scope, of_classes)
        division = Division(limit, end_s, given["by"], options.at_s(end_s), of_classes)
        return answer(connection, name, scope, division)
