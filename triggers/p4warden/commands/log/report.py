from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from p4warden.commands.log import output
from p4warden.commands.log.load import database_option
from p4warden.commands.log.log_part import open_part, scope_options
from p4warden.commands.log.page import write_page
from p4warden.commands.options import WholeNumber
from p4warden.core.plural import amount
from p4warden.workbench.logs.database_reports import ReportResult, takers, titles
from p4warden.workbench.logs.scope import STEPS

if TYPE_CHECKING:
    from collections.abc import Mapping

_PARAMETERS = {"at": ":at_s", "by": ":step_s", "classes_": "class.user"}
"""Text that the SQL of a log report contains if the report accepts an option, by option."""


@click.command()
@click.argument("name", required=False)
@database_option
@scope_options
@click.option("--by", type=click.Choice(list(STEPS)), help="Time step of a series; default: hour.")
@click.option(
    "--class",
    "classes_",
    metavar="NAME=WHO,...",
    multiple=True,
    help="Users to count together: patterns, or group:NAME; repeatable.",
)
@click.option("--groups", "groups_file", metavar="FILE", help="Group memberships, as YAML.")
@click.option("--checkpoint", metavar="FILE", help="Take the groups from a checkpoint.")
@click.option(
    "--limit",
    type=WholeNumber(1, 1_000_000),
    default=25,
    show_default=True,
    metavar="N",
    help="Most rows of a report.",
)
@click.option(
    "--html", "page_file", metavar="FILE", help="Write all reports on one page with charts."
)
@click.option("--csv", "is_csv", is_flag=True, help="Comma-separated values.")
@click.option("--json", "is_json", is_flag=True, help="JSON, one object per line.")
def report(
    name: str | None, database: str, limit: int, *, is_csv: bool, is_json: bool, **options: Any
) -> None:
    """Print a report from the database of `p4warden log load`; without NAME, list the reports.

    With --html all reports are on one page, which contains people's names, so that only this
    account can read it. For other questions use SQL with any SQLite client; the tables are
    described in the database itself (`.schema`).
    """
    reports = titles()
    if is_csv and is_json:
        raise click.UsageError("--csv and --json are two formats of one report; omit one of them")
    if options["page_file"]:
        if name is not None or is_csv or is_json:
            raise click.UsageError("--html writes all reports; omit the name, --csv and --json")
        write_page(options["page_file"], database, limit, options)
        click.echo(options["page_file"])
        return
    if name is None:
        output.print_table(ReportResult(("name", "answers"), list(reports.items())))
        return
    if name not in reports:
        raise click.UsageError(f"there is no report {name}; the reports are {', '.join(reports)}")
    _refuse_others(name, options)
    with open_part(database, limit, options) as part:
        answer = part.answer(name)
    show = output.print_csv if is_csv else output.print_json if is_json else output.print_table
    show(answer)
    if len(answer.rows) >= limit:
        rows = amount(limit, "row is", "rows are")
        click.echo(
            f"p4warden: {rows} shown; there may be more; show them with --limit N", err=True
        )


def _refuse_others(name: str, options: Mapping[str, Any]) -> None:
    for option, mark in _PARAMETERS.items():
        if options[option] and name not in takers(mark):
            word = option.removesuffix("es_")
            raise click.UsageError(
                f"{name} does not have --{word}; these reports do: {', '.join(takers(mark))}"
            )
