"""List and remove files that p4warden creates in a home folder.

The file `off`, the mark of an uninstallation, stays. A connection to p4d keeps the triggers table
it first saw, and with this mark the old triggers allow everything, even with `--on-error=deny`.
"""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

from p4warden.commands import refresh
from p4warden.core import facts, server_names
from p4warden.core.errors import P4WardenError
from p4warden.history import kept_files, trail
from p4warden.home import (
    active_policy,
    allowances,
    baseline_file,
    decision_log,
    ended_commands,
    gate_counts,
    last_census,
    locks,
    named_servers,
    off_mark,
    old_lines,
    server_account,
    trial_client,
    trusted_files,
)
from p4warden.metrics import tally
from p4warden.policy import compiled
from p4warden.server import deployment
from p4warden.table import instances, plan_file
from p4warden.workbench.pulse import measurements

FILE_PATTERNS = (
    trusted_files.ADMITTED,
    trusted_files.TURNS,
    server_account.FILE_NAME,
    server_account.P4ENVIRO_NAME,
    allowances.FILE_NAME,
    compiled.FILE_NAME,
    decision_log.FILE_NAME,
    f"{decision_log.FILE_NAME}[.-]*",  # decision logs that logrotate has renamed
    facts.FILE_NAME,
    server_names.FILE_NAME,
    last_census.FILE_NAME,
    baseline_file.FILE_NAME,
    gate_counts.STATE_FILE,
    off_mark.FILE_NAME,
    old_lines.FILE_NAME,
    old_lines.DIGEST_FILE_NAME,
    instances.FILE_NAME,
    named_servers.FILE_NAME,
    plan_file.FILE_NAME,
    active_policy.SOURCE_FILE,
    trial_client.FILE_NAME,
    trial_client.NAME_FILE,
    measurements.FILE_NAME,
    tally.FILE_NAME,
    trusted_files.INDEX,
    trusted_files.SAVED_FORMS,
    ended_commands.FILE_NAME,
    ended_commands.LOCK,
    ended_commands.STOP,
    ended_commands.PROOF,
    deployment.JOURNAL,
    trail.FILE_NAME,
    trail.LOCK,
    refresh.LOCK,
    locks.DEPLOY,
)


def own_file_names(home: str) -> list[str]:
    """Return the names of the files that `remove` would delete in a home folder.

    Empty if the folder is not a home of p4warden.
    """
    folder = Path(home)
    if not folder.is_dir() or not is_home(home):
        return []
    return sorted(file.name for file in folder.iterdir() if _goes(file.name))


def remove(home: str) -> list[str]:
    """Remove p4warden's files from a home folder, except the mark of the uninstallation.

    Returns the names of the other files, which stay.

    Raises:
        HomeError: a file cannot be removed.
        P4WardenError: the folder has no policy of p4warden and no mark of an uninstallation.
    """
    if not is_home(home):
        raise P4WardenError(
            f"{home} has no running policy, so it is not a p4warden home; left unchanged"
        )
    for name in own_file_names(home):
        if name == kept_files.FOLDER:
            kept_files.remove_all(home)
        else:
            trusted_files.remove(home, name)
    return sorted(file.name for file in Path(home).iterdir() if file.name != off_mark.FILE_NAME)


def _goes(name: str) -> bool:
    if name == off_mark.FILE_NAME:
        return False
    # A file that a killed command left is removed if its NAME would be (`home/leftovers.py`).
    plain_name = re.sub(r"\.(p4warden-)?[0-9]+\.(new|old)$", "", name)
    return name == kept_files.FOLDER or any(
        fnmatch.fnmatchcase(plain_name, pattern) for pattern in FILE_PATTERNS
    )


def is_home(home: str) -> bool:
    """Tell whether a folder is a p4warden home, by a policy or a mark of uninstallation."""
    if off_mark.is_uninstalled(home):
        return True
    return active_policy.policy_if_any(home) is not None
