from __future__ import annotations

import grp
import os
import re
from pathlib import Path

import click

from p4warden.asking import gate_program
from p4warden.commands.options import home_option, refuse_other_folder
from p4warden.commands.units import unit_files
from p4warden.core.errors import P4WardenError
from p4warden.home import account, active_policy, own_program, public_file, server_account, usable
from p4warden.table import instances

_PLAIN = re.compile(r"[A-Za-z0-9/._+@:-]+")


@click.command()
@click.argument("folder", metavar="DIR", type=os.path.abspath)
@home_option
def units(folder: str, home: str) -> None:
    """Write systemd's units and logrotate's configuration for this installation below DIR.

    DIR is /etc, or a folder whose content you copy there. Paths, account and the server's address
    are those of this installation. Nothing is started.
    """
    refuse_other_folder(home)
    installation = _installation(home)
    files = unit_files.files(installation)
    for name in files:
        usable.refuse_unwritable_folder(f"{folder}/{name}")
    for name, texts in files.items():
        public_file.write_folder(f"{folder}/{name}", texts, 0o755)
        click.echo(f"{folder}/{name}: {' '.join(sorted(texts))}")
    if not (installation.address or active_policy.needs_no_account(home)):
        remedy = f"run p4warden refresh --home {home}, then this again"
        click.echo(own_program.named_in(f"The server's address is not known: {remedy}."))


def _installation(home: str) -> unit_files.Installation:
    owner = account.owner_of(home)
    version = str(Path(gate_program.path()).parents[1])
    with owner.acting():
        stem = "-".join(filter(None, ("p4warden", instances.name_of(home))))
        settings = server_account.settings(home)
    address = tuple(f"{name}={value}" for name, value in settings.items())
    for value in (version, home, *settings.values()):
        if not _PLAIN.fullmatch(value):
            raise P4WardenError(f"{value}: a unit can name letters, digits and / . _ + @ : - only")
    return unit_files.Installation(
        version, home, owner.name, _group(owner.group_id), stem, address
    )


def _group(group_id: int) -> str:
    try:
        return grp.getgrgid(group_id).gr_name
    except KeyError:
        return str(group_id)
