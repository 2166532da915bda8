from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.core.errors import P4WardenError
from p4warden.history.record import find, keep_policy, record
from p4warden.home import active_policy, locks, trusted_files
from p4warden.policy import source
from p4warden.policy.problems import UnreadablePolicyError

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy


def switch_to(home: str, policy: Policy, file: str) -> None:
    """Activate a policy read from a YAML file; store it and its YAML text for later rollbacks.

    The home folder exists.

    Raises:
        P4WardenError: the home folder cannot be used, the gate refuses the policy, or the YAML
            file was edited since it was read.
    """
    yaml = _yaml(file, policy.digest)
    find(home)
    keep_policy(home, policy, yaml)
    active_policy.replace(home, policy)
    path = f"{Path(file).absolute()}\n"
    trusted_files.replace(home, active_policy.SOURCE_FILE, path.encode())


def switch_and_record(home: str, policy: Policy, file: str, action: str, **about: Any) -> None:
    """Activate a policy as `switch_to` does, as a change of its own in the history."""
    with locks.file_lock(home, locks.DEPLOY, locks.DEPLOY_WAIT_S):
        switch_to(home, policy, file)
        record(home, action, **about)


def _yaml(file: str, digest: str) -> bytes:
    try:
        content = source.read(file)
    except UnreadablePolicyError as error:
        raise P4WardenError(f"{file}: {error}") from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise P4WardenError(
            f"{file}: was edited while this command ran; nothing was changed; run it again"
        )
    return content
