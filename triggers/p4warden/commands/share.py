from __future__ import annotations

import os
from pathlib import Path

import click

from p4warden.asking import gate_program
from p4warden.commands.options import home_option, running_policy
from p4warden.core import facts
from p4warden.core.errors import P4WardenError
from p4warden.core.records import Facts
from p4warden.history import kept_files, ways_back
from p4warden.history.undone import undone_on_failure
from p4warden.home import active_policy, shared_folder, summed_file, trusted_files, usable
from p4warden.home.trusted_files import INDEX
from p4warden.index import contents
from p4warden.policy import compiled
from p4warden.server.other_servers import program_of
from p4warden.table import instances

_FILES = (
    shared_folder.POLICY,
    compiled.FILE_NAME,
    facts.FILE_NAME,
    shared_folder.GATE,
    INDEX,
    shared_folder.SUMS,
    shared_folder.FILE_NAME,
)


@click.command()
@click.argument("folder", metavar="FOLDER", type=os.path.abspath)
@home_option
def share(folder: str, home: str) -> None:
    """Write the running policy, the facts and the index of the checkpoint to FOLDER.

    On each other server that runs the same triggers table, `p4warden follow FOLDER` takes them
    over; for hosts without Python the gate is there, too. State, logs and baseline are not shared:
    each server has its own. Nor are the facts that are of this server alone.
    """
    policy = running_policy(home)
    yaml = kept_files.yaml(home, policy.digest)
    if yaml is None:
        raise P4WardenError(
            f"the YAML of policy {policy.digest[:12]} is not stored; run "
            f"{ways_back.edited_policy(home)}"
        )
    files, facts_ns = _site_facts(home)
    files |= {
        shared_folder.POLICY: yaml,
        compiled.FILE_NAME: trusted_files.read(home, compiled.FILE_NAME),
        **_gate(),
    }
    usable.refuse_unusable(folder)
    with undone_on_failure(folder, _FILES):
        trusted_files.make(folder)
        index = _index(home, folder)
        sums = {name: shared_folder.add(folder, name, files[name]) for name in files}
        if shared_folder.GATE not in files:
            trusted_files.remove(folder, shared_folder.GATE)
        program = program_of(instances.installed(home))
        shared_folder.keep(folder, shared_folder.Shared(program, facts_ns, sums | index))
    parts = f"policy {policy.digest[:12]}, facts, {'index' if index else 'no index'}"
    click.echo(f"{folder}: {parts}")


def _site_facts(home: str) -> tuple[dict[str, bytes], int]:
    """Return the file of those that all servers of the table have, and the time of the facts."""
    try:
        known = active_policy.known_facts(home)
    except active_policy.UnusableFileError as error:
        raise P4WardenError(f"{error}; run p4warden refresh --home {home}") from error
    text = facts.to_text(facts.with_own(known, Facts()))
    return {facts.FILE_NAME: summed_file.summed(text)}, Path(
        home, facts.FILE_NAME
    ).stat().st_mtime_ns


def _gate() -> dict[str, bytes]:
    """Return the gate; nothing if it is gone from this host."""
    if gate_program.problem():
        return {}
    return {shared_folder.GATE: Path(gate_program.path()).read_bytes()}


def _index(home: str, folder: str) -> dict[str, str]:
    """Copy the index unless the folder has it; return its SHA-256 by its name, if there is one."""
    index = trusted_files.index_path(home)
    if index is None:
        trusted_files.remove(folder, INDEX)
        return {}
    server_id = contents.head(index)["server_id"]
    if server_id:
        raise P4WardenError(
            f"{index} is for the server {server_id} alone; build it without --server-id, "
            "so that the other servers can use it"
        )
    if shared_folder.is_same_index(home, folder):
        try:
            return {INDEX: shared_folder.load(folder).sums[INDEX]}
        except (P4WardenError, KeyError):
            pass  # the index is copied again
    return {INDEX: shared_folder.copy_index(home, folder)}
