from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.core.errors import P4WardenError
from p4warden.history import kept_files, states, trail
from p4warden.history.record import find, keep_policy, record
from p4warden.home import active_policy, trusted_files
from p4warden.policy import compiled, source
from p4warden.policy.problems import UnreadablePolicyError

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy


def is_in_place(home: str, policy: Policy, file: str) -> bool:
    """Tell whether `switch_to` would write nothing: the policy runs, and no file of it is damaged.

    Raises:
        GateError: the gate refuses the policy.
    """
    content = active_policy.refuse_unreadable(policy)
    try:
        last = states.latest(trail.changes(home))
        return (
            last is not None
            and last.policy == policy.digest
            and trusted_files.read(home, compiled.FILE_NAME) == content
            and trusted_files.read(home, active_policy.SOURCE_FILE) == _source(file)
            and kept_files.compiled(home, policy.digest) == content
            and kept_files.yaml(home, policy.digest) is not None
        )
    except P4WardenError:
        return False


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
    trusted_files.replace(home, active_policy.SOURCE_FILE, _source(file))


def switch_and_record(home: str, policy: Policy, file: str, action: str, **about: Any) -> None:
    """Activate a policy as `switch_to` does, as a change of its own in the history.

    The caller holds the lock of changes. Files of the running policy are mended, which is no
    change.
    """
    before = active_policy.policy_if_any(home)
    switch_to(home, policy, file)
    if before is None or before.digest != policy.digest:
        record(home, action, **about)


def _source(file: str) -> bytes:
    return os.fsencode(f"{Path(file).absolute()}\n")


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
