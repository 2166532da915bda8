"""The files that p4warden makes in a home folder."""

from __future__ import annotations

import fnmatch
from pathlib import Path

from p4warden import (
    admitted,
    ask_server,
    backups,
    decisions,
    facts,
    gate,
    grandfathered,
    home,
    instances,
    kept_plan,
    pulse_log,
    running,
    trials,
)
from p4warden.commands import refresh
from p4warden.errors import P4WardenError
from p4warden.health.policy import SOURCE_FILE
from p4warden.metrics import tally
from p4warden.policy import compiled
from p4warden.server import deployment

OURS = (
    admitted.FILE_NAME,
    ask_server.FILE_NAME,
    compiled.FILE_NAME,
    decisions.FILE_NAME,
    f"{decisions.FILE_NAME}[.-]*",  # what logrotate made of it
    facts.FILE_NAME,
    gate.POLICY_FILE,
    grandfathered.FILE_NAME,
    gate.STATE_FILE,
    home.OFF_FILE,
    instances.FILE_NAME,
    kept_plan.FILE_NAME,
    SOURCE_FILE,
    trials.FILE_NAME,
    pulse_log.FILE_NAME,
    tally.FILE_NAME,
    deployment.JOURNAL,
    f"{backups.PREFIX}*.txt",
    gate.LOCK,
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
        running.policy(folder)
    except running.NotRunning as error:
        raise P4WardenError(f"{error}; so {folder} is none of ours, and is left alone") from error
    left = []
    for name in sorted(file.name for file in here.iterdir()):
        if any(fnmatch.fnmatchcase(name, ours) for ours in OURS):
            home.remove(folder, name)
        else:
            left.append(name)
    if not left:
        here.rmdir()
    return left
