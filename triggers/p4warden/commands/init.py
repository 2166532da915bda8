from __future__ import annotations

import datetime
import os
import shlex
from pathlib import Path

import click

from p4warden.commands.options import address_options
from p4warden.core.errors import P4WardenError
from p4warden.home import own_program, public_file, usable
from p4warden.index import contents
from p4warden.policy.asked_gain import gain_of_depth
from p4warden.policy.starter import chosen_scope, starter_policy
from p4warden.policy.starter_cases import starter_cases
from p4warden.server.connection import Address, connected
from p4warden.server.survey import survey


@click.command()
@address_options
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of standard output.")
@click.option(
    "--index",
    metavar="FILE",
    help="Choose the limits on views, paths and scanned rows with this index of a checkpoint.",
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def init(
    port: str | None, user: str | None, output: str | None, index: str | None, *, force: bool
) -> None:
    """Write a commented policy for the server: every rule observes, no user is stopped.

    The policy's test cases, NAME.cases.yaml, are written beside FILE, for p4warden test. The
    server is only read: its depots and their top directories, users, groups and the number of
    clients.
    """
    cases = str(Path(output).with_suffix(".cases.yaml")) if output else ""
    for path in (output, cases):
        if path and not force and os.path.lexists(path):
            raise P4WardenError(f"{path} exists already; --force replaces it")
    if output:
        usable.refuse_unwritable(output, cases)
    with connected(Address(port, user)) as p4:
        server_data = survey(p4)
    files = contents.client_files(index) if index else None
    gain = gain_of_depth(index, 1) if index else None
    today = datetime.date.today()  # noqa: DTZ011 - a date for people
    path_lengths = contents.path_lengths(index) if index else ()
    text = starter_policy(server_data, today, files, path_lengths, gain)
    if output is None:
        click.echo(text, nl=False)
        return
    texts = {output: text, cases: starter_cases(server_data, today, chosen_scope(gain))}
    public_file.write_all(texts, 0o644, replaces=force)
    following = own_program.named_in(f"p4warden check {shlex.quote(output)}")
    click.echo(
        f"Wrote the policy to {output} and its test cases to {cases}. Next, run: {following}"
    )
