"""Commands that write again what the triggers of a home folder need."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden.history import kept_files, states, trail
from p4warden.home import active_policy, server_account, trusted_files
from p4warden.policy import source
from p4warden.policy.problems import UnreadablePolicyError

if TYPE_CHECKING:
    from p4warden.history.change import Change

_YAML = "POLICY"
"""Stands for a file that only the reader knows."""


def policy(home: str) -> str:
    """Return the command that makes the policy run that was activated last.

    It takes the YAML if that was not edited since, else what the history has stored.
    """
    last, file = _last_change(home), source_file(home)
    words = ["activate", file or _YAML]
    if file and last and last.action == "follow":
        words = ["follow", str(Path(file).parent)]
    elif (
        last and last.policy and not _is_policy(file, last.policy) and _is_kept(home, last.policy)
    ):
        words = ["deploy", "rollback", "--to", str(last.number)]
    return shlex.join(["p4warden", *words, "--home", home])


def edited_policy(home: str) -> str:
    """Return the command that activates the YAML of the running policy, as it is now."""
    return shlex.join(["p4warden", "activate", source_file(home) or _YAML, "--home", home])


def facts(home: str) -> str:
    """Return the command that writes the facts about the server."""
    last, file = _last_change(home), source_file(home)
    is_given = file and last and last.action == "follow" and not server_account.asked_ns(home)
    words = ["follow", str(Path(file).parent)] if file and is_given else ["refresh"]
    return shlex.join(["p4warden", *words, "--home", home])


def was_active(home: str) -> bool:
    """Tell whether a policy was active in a home folder before."""
    return _last_change(home) is not None or source_file(home) is not None


def _last_change(home: str) -> Change | None:
    """The change that led to the present policy."""
    with contextlib.suppress(trusted_files.HomeError):
        change = states.present_change(trail.changes(home))
        return change if change and change.policy else None
    return None


def source_file(home: str) -> str | None:
    """Return the path of the YAML that was activated last; None if it is unknown or not there."""
    with contextlib.suppress(trusted_files.HomeError):
        path = active_policy.source_path(home)
        return path if os.path.isfile(path) else None  # noqa: PTH113 - pathlib may raise
    return None


def _is_policy(file: str | None, digest: str) -> bool:
    with contextlib.suppress(UnreadablePolicyError):
        return file is not None and hashlib.sha256(source.read(file)).hexdigest() == digest
    return False


def _is_kept(home: str, digest: str) -> bool:
    with contextlib.suppress(P4WardenError):
        return kept_files.yaml(home, digest) is not None
    return False
