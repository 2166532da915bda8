"""`p4warden refresh`: facts from the server."""

from __future__ import annotations

import json

import click

from p4warden import facts, home
from p4warden.commands.options import address_options, home_option
from p4warden.server.connection import Address, connected
from p4warden.server.facts import gather


@click.command()
@address_options
@home_option
def refresh(port: str | None, user: str | None, home_folder: str) -> None:
    """Write facts.json: the server's depots, their top directories, and its case handling."""
    with connected(Address(port, user)) as p4:
        found = gather(p4)
    home.make(home_folder)
    home.replace(home_folder, facts.FILE_NAME, _text(facts.to_document(found)))
    kind = "case-sensitive" if found.case_sensitive else "case-insensitive"
    click.echo(f"{home_folder}/{facts.FILE_NAME}: {len(found.depots)} depots, {kind}")


def _text(document: object) -> bytes:
    return (json.dumps(document, indent=1) + "\n").encode()
