from __future__ import annotations

import datetime
import json

import click

from p4warden.commands.facts_origin import server_address
from p4warden.commands.options import home_option, refuse_other_folder
from p4warden.history.local_time import local_day
from p4warden.home import usable
from p4warden.reports import digest as digests
from p4warden.reports.decision_reader import DecisionReader, refuse_unreadable
from p4warden.reports.figures import gather

_YESTERDAY = "yesterday"


def _day(text: str) -> str:
    if text == _YESTERDAY:
        today = datetime.date.today()  # noqa: DTZ011 - days are local
        return (today - datetime.timedelta(days=1)).isoformat()
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise click.BadParameter(f"{text} is not a day; write 2027-03-31") from error


@click.command()
@home_option
@click.option("--day", default=_YESTERDAY, type=_day, metavar="DAY", help="Default: yesterday.")
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object, whose text is what is printed else."
)
def digest(home: str, day: str, *, as_json: bool) -> None:
    """Print the refusals and delays of a day in a few lines, for a chat or a mail.

    p4warden sends it nowhere. A timer can pass it to your chat's own tool, such as
    `p4warden digest --json | curl -d @- URL` for a webhook that takes `text`.
    """
    refuse_other_folder(home)
    usable.refuse_other_owner(home)
    refuse_unreadable(home)
    start_s = datetime.datetime.fromisoformat(day).timestamp()
    reading = DecisionReader(home, start_s)
    figures = gather(
        (one for one in reading.decisions() if local_day(one.time_s) == day), local_day
    )
    server = server_address(home) or "an unknown server"
    if as_json:
        click.echo(json.dumps(digests.document(figures, day, server)))
    else:
        click.echo(digests.text(figures, day, server), nl=False)
