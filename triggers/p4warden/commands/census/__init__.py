"""`p4warden census`: the specs that a server has, against the rules about forms."""

from __future__ import annotations

import re
import time

import click

from p4warden.census.verdicts import day_of, document, judge, judged_types
from p4warden.commands.census.output import Csv, JsonLines, Output, Shown
from p4warden.commands.census.sources import Wanted, opened, progress
from p4warden.commands.options import (
    address_options,
    checked_policy,
    home_option,
    running_policy,
)
from p4warden.errors import P4WardenError
from p4warden.server.connection import Address

MAX_RATE_PER_S = 10_000


def _rate(_context: click.Context, _option: click.Parameter, value: str) -> int:
    match = re.fullmatch(r"([1-9][0-9]{0,4})(?:/s)?", value)
    if not match or int(match[1]) > MAX_RATE_PER_S:
        raise click.BadParameter(f"{value} is no rate (for example 50/s, at most 10000/s)")
    return int(match[1])


@click.command()
@click.argument("journals", nargs=-1, metavar="[JOURNAL]...")
@click.option("--policy", metavar="POLICY", help="A YAML file in place of the running policy.")
@click.option(
    "--checkpoint",
    "checkpoints",
    multiple=True,
    metavar="FILE",
    help="Ask no server: read this checkpoint, then the JOURNALs in their order; gzip too.",
)
@click.option("--facts", metavar="FILE", help="What is known of the server, as facts.json has it.")
@click.option(
    "--rate",
    default="50/s",
    show_default=True,
    metavar="N/s",
    callback=_rate,
    help="Ask the server for so many forms in a second at most.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV: the specs a rule objects to.")
@click.option("--json", "as_json", is_flag=True, help="Write every spec, one JSON object a line.")
@address_options
@home_option
def census(  # noqa: PLR0913 - one for each option
    *,
    journals: tuple[str, ...],
    policy: str | None,
    checkpoints: tuple[str, ...],
    facts: str | None,
    rate: int,
    port: str | None,
    user: str | None,
    home_folder: str,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Judge every client, stream, branch, label and depot as if it were saved as it is.

    Each is judged as if its owner saved it. Rules in mode observe judge as well, and exemptions
    let pass whom they let pass.

    From the server one form is read after another, and its form-out triggers run for each. So
    that p4warden's own show forms as they are stored, exempt the account that runs this from the
    suggest_ rules: {users: [p4admin], rules: [better-clients], reason: census, owner: ...}.
    """
    if journals and not checkpoints:
        raise click.UsageError("journals need the checkpoint before them: --checkpoint FILE")
    if as_csv and as_json:
        raise click.UsageError("choose one of --csv and --json")
    judged_by = checked_policy(policy) if policy else running_policy(home_folder)
    types = judged_types(judged_by)
    if not types:
        raise P4WardenError("no rule of the policy judges forms that are saved")
    files = (*checkpoints, *journals)
    wanted = Wanted(types, home_folder, facts, files, Address(port, user), rate)
    output: Output = JsonLines() if as_json else Csv() if as_csv else Shown()
    day = str(day_of(int(time.time())))
    with opened(wanted) as source:
        for note in source.notes:
            click.echo(f"note: {note}", err=True)
        with progress() as bar:
            for spec in bar.track(source.specs, total=source.total, description="specs"):
                groups = source.groups.of(spec.owner)
                output.take(document(judge(judged_by, source.facts, spec, groups, day)))
        output.end()
        for line in source.trouble:
            click.echo(f"not read: {line}", err=True)
