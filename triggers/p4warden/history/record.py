from __future__ import annotations

import contextlib
import hashlib
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from p4warden import __version__
from p4warden.history import kept_files, person, states, trail
from p4warden.history.change import Change
from p4warden.home import active_policy, trusted_files

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from p4warden.policy.compiled import Policy


_ENDINGS = frozenset({"activate", "follow", "deploy", "rollback", "uninstall"})
"""After these, files of old changes are deleted; others may belong to a running change."""


class Table(NamedTuple):
    digest: str  # of the whole form, as in `kept_files`
    lines: str  # digest of p4warden's lines
    line_count: int


def record(
    home: str,
    action: str,
    *,
    table: Table | None = None,
    p4user: str | None = None,
    wait_s: float = trail.WAIT_S,
    **about: Any,
) -> Change:
    """Append a change to the history, with the running policy; return it with its number.

    The default of `table` is that of the last successful change; `about` are further fields of
    `Change`.

    Raises:
        P4WardenError: the history cannot be read or written.
    """
    running = active_policy.policy_if_any(home)
    last = states.latest(trail.changes(home))
    if table is None and last and last.lines is not None:
        table = Table(last.table or "", last.lines, last.line_count)
    change = Change(
        number=0,
        time_s=round(time.time(), 3),
        action=action,
        person=person.present_person(os.environ, p4user),
        version=__version__,
        policy=running.digest if running else None,
        table=table.digest if table else None,
        lines=table.lines if table else None,
        line_count=table.line_count if table else 0,
        **about,
    )
    recorded_change = trail.append(home, change, os.environ, wait_s)
    if recorded_change.is_done and action in _ENDINGS:
        _prune(home)
    return recorded_change


def digest_of_lines(lines: Iterable[str]) -> str:
    """Return a digest by which the history compares the lines of two tables."""
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def keep_policy(home: str, policy: Policy, yaml: bytes | None) -> None:
    """Store a policy before it is activated; raise `HomeError` if it cannot be written."""
    content = active_policy.refuse_unreadable(policy)
    kept_files.keep_policy(home, policy.digest, content, yaml)


def find(home: str) -> None:
    """Record the running policy as `found` if a release without history activated it.

    Raises:
        P4WardenError: the history cannot be read or written.
    """
    running = active_policy.policy_if_any(home)
    last = states.latest(trail.changes(home))
    if running is None or (last and last.policy == running.digest):
        return
    keep_policy(home, running, _source_of(home, running.digest))
    record(home, "found", note="active before the history began")


def _source_of(home: str, digest: str) -> bytes | None:
    """None if the file has changed or is missing."""
    from p4warden.policy import source  # noqa: PLC0415 - yaml is read in this case alone
    from p4warden.policy.problems import UnreadablePolicyError  # noqa: PLC0415 - as above

    try:
        content = source.read(active_policy.source_path(home))
    except (trusted_files.HomeError, ValueError, UnreadablePolicyError):
        return None
    return content if hashlib.sha256(content).hexdigest() == digest else None


def _prune(home: str) -> None:
    with contextlib.suppress(trusted_files.HomeError):
        relevant = states.policy_or_table_changes(trail.changes(home))
        running = active_policy.policy_if_any(home)
        present = [one for one in relevant if running and one.policy == running.digest][-1:]
        kept_files.prune(home, [*relevant[-kept_files.MAX_CHANGES :], *present])
