from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING

import click

from p4warden.asking import gate_program
from p4warden.commands.options import checked_policy, home_option
from p4warden.commands.policy_switch import switch_and_record
from p4warden.core import facts
from p4warden.core.errors import P4WardenError
from p4warden.core.records import Facts
from p4warden.health.readiness import lacks_baseline, missing_parts, ready_line
from p4warden.history.record import record
from p4warden.history.undone import POLICY_FILES, alone_or_undone
from p4warden.home import (
    active_policy,
    locks,
    own_program,
    server_account,
    shared_folder,
    summed_file,
    trusted_files,
    usable,
)
from p4warden.home.trusted_files import INDEX
from p4warden.server.other_servers import program_of
from p4warden.table import instances

if TYPE_CHECKING:
    from p4warden.home.shared_folder import Shared
    from p4warden.policy.compiled import Policy


@click.command()
@click.argument("folder", metavar="FOLDER", type=os.path.abspath)
@home_option
def follow(folder: str, home: str) -> int:
    """Take over the policy, the facts and the index that `p4warden share` wrote to FOLDER.

    For each other server that runs the same triggers table, on its host. No server is asked. Facts
    that `p4warden refresh` asked of this host's own server later stay. Nothing is changed if the
    table's lines name other paths than those here, if FOLDER is incomplete, or if the policy needs
    a baseline of this server and there is none.

    Exit code: 0 if this host is ready for the lines of the table, 1 if not.
    """
    usable.refuse_unusable(home)
    shared = shared_folder.load(folder)
    _refuse_other_paths(home, shared.program)
    policy = _other_policy(folder, home, shared)
    site = _site_facts(folder, shared)
    with alone_or_undone(home, (*POLICY_FILES, facts.FILE_NAME, INDEX), locks.DEPLOY_WAIT_S):
        has_new_index = INDEX in shared.sums and not shared_folder.is_same_index(folder, home)
        if has_new_index:
            shared_folder.copy_index(folder, home, shared.sums[INDEX])
        if policy:
            file = f"{folder}/{shared_folder.POLICY}"
            switch_and_record(home, policy, file, "follow", note=f"from {folder}")
        has_new_facts = _take_facts(folder, home, site, shared.facts_ns)
    if policy:
        click.echo(f"{home}: policy {policy.digest[:12]} is now active")
    for name, is_new in ((facts.FILE_NAME, has_new_facts), (INDEX, has_new_index)):
        if is_new:
            click.echo(f"{home}/{name}: taken over")
    return _readiness(home)


def _readiness(home: str) -> int:
    missing = missing_parts(home, gate_program.problem(), is_given_policies=True)
    for part, remedy in missing:
        click.echo(own_program.named_in(f"not ready: {part}; {remedy}"))
    if not missing:
        click.echo(f"ready: {ready_line(home, active_policy.policy(home))}")
    return int(bool(missing))


def _site_facts(folder: str, shared: Shared) -> Facts:
    try:
        content = shared_folder.read(folder, shared, facts.FILE_NAME)
        return facts.from_document(json.loads(summed_file.text(content)))
    except ValueError as error:
        raise P4WardenError(
            f"{folder}/{facts.FILE_NAME}: {error}; run p4warden share again"
        ) from error


def _take_facts(folder: str, home: str, site: Facts, asked_ns: int) -> bool:
    """Take the facts unless this home's own server was asked later; tell whether they are new."""
    own = active_policy.facts_if_any(home)
    if own and server_account.asked_ns(home) > asked_ns:
        return False
    new = facts.with_own(site, own or Facts())
    trusted_files.replace(home, facts.FILE_NAME, summed_file.summed(facts.to_text(new)))
    os.utime(f"{home}/{facts.FILE_NAME}", ns=(asked_ns, asked_ns))
    if own and facts.to_document(own) == facts.to_document(new):
        return False
    record(home, "follow", note=f"facts from {folder}")
    return True


def _refuse_other_paths(home: str, program: str) -> None:
    own = program_of(instances.installed(home))
    if program != own:
        raise P4WardenError(
            f"the table's lines start {program}, but this is {own}; install p4warden with "
            "the same --prefix and --home as there"
        )


def _other_policy(folder: str, home: str, shared: Shared) -> Policy | None:
    path = f"{folder}/{shared_folder.POLICY}"
    shared_folder.read(folder, shared, shared_folder.POLICY)
    policy = checked_policy(path)
    if policy.digest != shared.policy:
        raise P4WardenError(shared_folder.incomplete(folder, shared_folder.POLICY))
    running = active_policy.policy_if_any(home)
    if running and running.digest == shared.policy:
        return None
    _refuse_without_baseline(home, policy, path)
    return policy


def _refuse_without_baseline(home: str, policy: Policy, path: str) -> None:
    if rules := lacks_baseline(home, policy):
        command = ["p4warden", "census", "--policy", path, "--write-baseline", "--home", home]
        raise P4WardenError(
            f"not ready: {', '.join(rules)} in policy {policy.digest[:12]} needs a baseline of "
            "this server; the present policy stays; run p4warden refresh --home "
            f"{shlex.quote(home)}, then {shlex.join(command)}"
        )
