"""The files that p4warden makes in a home folder."""

from __future__ import annotations

import fnmatch
from pathlib import Path

from p4warden.commands import refresh
from p4warden.core import facts
from p4warden.core.errors import P4WardenError
from p4warden.health.running_policy import SOURCE_FILE
from p4warden.home import (
    active_policy,
    decisions,
    gate_program,
    publish,
    trial_client,
    trusted_files,
)
from p4warden.judge import grandfathered
from p4warden.metrics import tally
from p4warden.policy import compiled
from p4warden.pulse import measurements
from p4warden.server import deployment
from p4warden.table import backups, instances, plan_file
from p4warden.worker import ask_server, pending_depots

OURS = (
    pending_depots.FILE_NAME,
    ask_server.FILE_NAME,
    compiled.FILE_NAME,
    decisions.FILE_NAME,
    f"{decisions.FILE_NAME}[.-]*",  # what logrotate made of it
    facts.FILE_NAME,
    publish.POLICY_FILE,
    grandfathered.FILE_NAME,
    gate_program.STATE_FILE,
    trusted_files.OFF_FILE,
    instances.FILE_NAME,
    plan_file.FILE_NAME,
    SOURCE_FILE,
    trial_client.FILE_NAME,
    measurements.FILE_NAME,
    tally.FILE_NAME,
    deployment.JOURNAL,
    f"{backups.PREFIX}*.txt",
    publish.LOCK,
    refresh.LOCK,
    deployment.LOCK,
)


def remove(folder: str) -> list[str]:
    """Remove our files, and the folder if nothing else is in it; return what else is.

    Raises:
        HomeError: a file cannot be removed.
    """
    here = Path(folder)
    if not here.is_dir():
        return []
    try:
        active_policy.policy(folder)
    except active_policy.NotRunning as error:
        raise P4WardenError(f"{error}; so {folder} is none of ours, and is left alone") from error
    left = []
    for name in sorted(file.name for file in here.iterdir()):
        if any(fnmatch.fnmatchcase(name, ours) for ours in OURS):
            trusted_files.remove(folder, name)
        else:
            left.append(name)
    if not left:
        here.rmdir()
    return left
