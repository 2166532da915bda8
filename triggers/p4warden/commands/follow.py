from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import checked_policy, home_option
from p4warden.commands.policy_switch import switch_and_record
from p4warden.core.errors import P4WardenError
from p4warden.health.readiness import lacks_baseline, missing_parts
from p4warden.history.undone import POLICY_FILES, alone_or_undone
from p4warden.home import active_policy, locks, shared_folder, trusted_files, usable
from p4warden.home.trusted_files import INDEX
from p4warden.server.other_servers import program_of, ready_for
from p4warden.table import instances

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy


@click.command()
@click.argument("folder", metavar="FOLDER", type=os.path.abspath)
@home_option
def follow(folder: str, home: str) -> int:
    """Take over the policy and the index that `p4warden share` wrote to FOLDER.

    For each other server that runs the same triggers table, on its host. Nothing is changed if the
    table's lines name other paths than those here, if FOLDER is incomplete, or if the policy needs
    a baseline of this server and there is none.

    Exit code: 0 if this host is ready for the lines of the table, 1 if not.
    """
    usable.refuse_unusable(home)
    shared = shared_folder.load(folder)
    _refuse_other_paths(home, shared.program)
    policy = _other_policy(folder, home, shared.policy)
    with alone_or_undone(home, (*POLICY_FILES, INDEX), locks.DEPLOY_WAIT_S):
        has_new_index = shared.index_digest and not shared_folder.is_same_index(folder, home)
        if has_new_index:
            shared_folder.copy_index(folder, home, shared.index_digest)
        if policy:
            file = f"{folder}/{shared_folder.POLICY}"
            switch_and_record(home, policy, file, "follow", note=f"from {folder}")
    if policy:
        click.echo(f"{home}: policy {policy.digest[:12]} is now active")
    if has_new_index:
        click.echo(f"{home}/{INDEX}: taken over")
    missing = missing_parts(home, is_given_policies=True)
    for part, remedy in missing:
        click.echo(f"not ready: {part}; next: {remedy}")
    if not missing:
        click.echo(f"ready: {ready_for(instances.installed(home), shared.policy)}")
    return int(bool(missing))


def _refuse_other_paths(home: str, program: str) -> None:
    own_program = program_of(instances.installed(home))
    if program != own_program:
        raise P4WardenError(
            f"the table's lines start {program}, but this is {own_program}; install p4warden with "
            "the same --prefix and --home as there"
        )


def _other_policy(folder: str, home: str, digest: str) -> Policy | None:
    path = f"{folder}/{shared_folder.POLICY}"
    trusted_files.read(folder, shared_folder.POLICY)
    policy = checked_policy(path)
    if policy.digest != digest:
        raise P4WardenError(shared_folder.incomplete(folder, shared_folder.POLICY))
    running = active_policy.policy_if_any(home)
    if running and running.digest == digest:
        return None
    _refuse_without_baseline(home, policy, path)
    return policy


def _refuse_without_baseline(home: str, policy: Policy, path: str) -> None:
    if lacks_baseline(home, policy):
        command = ["p4warden", "census", "--policy", path, "--write-baseline", "--home", home]
        raise P4WardenError(
            f"not ready: policy {policy.digest[:12]} needs a baseline of this server; the present "
            f"policy stays; run p4warden refresh --home {shlex.quote(home)}, then "
            f"{shlex.join(command)}"
        )
