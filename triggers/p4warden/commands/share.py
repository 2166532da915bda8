from __future__ import annotations

import os

import click

from p4warden.commands.options import home_option, running_policy
from p4warden.core.errors import P4WardenError
from p4warden.history import kept_files
from p4warden.history.undone import undone_on_failure
from p4warden.home import shared_folder, trusted_files, usable
from p4warden.home.trusted_files import INDEX
from p4warden.index import contents
from p4warden.server.other_servers import program_of
from p4warden.table import instances


@click.command()
@click.argument("folder", metavar="FOLDER", type=os.path.abspath)
@home_option
def share(folder: str, home: str) -> None:
    """Write the running policy and the index of the checkpoint to FOLDER.

    On each other server that runs the same triggers table, `p4warden follow FOLDER` takes them
    over. State, logs, facts and baseline are not shared: each server has its own.
    """
    policy = running_policy(home)
    yaml = kept_files.yaml(home, policy.digest)
    if yaml is None:
        raise P4WardenError(
            f"the YAML of policy {policy.digest[:12]} is not stored; run p4warden activate POLICY "
            f"--home {home}"
        )
    usable.refuse_unusable(folder)
    with undone_on_failure(folder, (INDEX, shared_folder.POLICY, shared_folder.FILE_NAME)):
        trusted_files.make(folder)
        index = _index(home, folder)
        trusted_files.replace(folder, shared_folder.POLICY, yaml)
        program = program_of(instances.installed(home))
        shared_folder.keep(folder, shared_folder.Shared(program, policy.digest, index))
    click.echo(f"{folder}: policy {policy.digest[:12]}, {'index' if index else 'no index'}")


def _index(home: str, folder: str) -> str:
    """Copy the index unless the folder has it; return its SHA-256, or "" without an index."""
    index = trusted_files.index_path(home)
    if index is None:
        trusted_files.remove(folder, INDEX)
        return ""
    server_id = contents.head(index)["server_id"]
    if server_id:
        raise P4WardenError(
            f"{index} is for the server {server_id} alone; build it without --server-id, "
            "so that the other servers can use it"
        )
    if shared_folder.is_same_index(home, folder):
        try:
            return shared_folder.load(folder).index_digest
        except P4WardenError:
            pass  # the index is copied again
    return shared_folder.copy_index(home, folder)
