"""A change written down: its line, and the files to go back with."""

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
from p4warden.policy import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from p4warden.policy.compiled import Policy


_ENDINGS = frozenset({"activate", "deploy", "rollback", "uninstall"})
"""After these no file waits for the change that it belongs to; so old files may go."""


class Table(NamedTuple):
    """A triggers table that was read or written.

    Attributes:
        digest: of its form, as `kept_files` keeps it.
        lines: the digest of our lines.
        line_count: their number.
    """

    digest: str
    lines: str
    line_count: int


def record(
    home: str,
    action: str,
    *,
    table: Table | None = None,
    p4user: str | None = None,
    **about: Any,
) -> Change:
    """Append a change to the history, with the policy that runs now; drop files of old changes.

    Args:
        home: the home folder.
        action: see `Change`.
        table: the table as it is now; default: as the change before left it.
        p4user: the Perforce user of the connection in use.
        **about: further fields of `Change`.

    Raises:
        P4WardenError: it cannot be written.
    """
    running = active_policy.policy_if_any(home)
    last = states.latest(trail.changes(home))
    if table is None and last and last.lines is not None:
        table = Table(last.table or "", last.lines, last.line_count)
    change = Change(
        number=0,
        time_s=round(time.time(), 3),
        action=action,
        person=person.present(os.environ, p4user),
        version=__version__,
        policy=running.digest if running else None,
        table=table.digest if table else None,
        lines=table.lines if table else None,
        line_count=table.line_count if table else 0,
        **about,
    )
    written = trail.append(home, change, os.environ)
    if written.is_done and action in _ENDINGS:
        _prune(home)
    return written


def digest_of_lines(lines: Iterable[str]) -> str:
    """Return the digest by which the history compares our lines of two tables."""
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def keep_policy(home: str, policy: Policy, yaml: bytes | None) -> None:
    """Keep a policy that is about to run.

    Raises:
        HomeError: it cannot be written.
    """
    kept_files.keep_policy(home, policy.digest, compiled.dumps(policy).encode(), yaml)


def find(home: str) -> None:
    """Keep the policy that runs, where the history does not know it: an older release set it.

    Raises:
        P4WardenError: it cannot be written.
    """
    running = active_policy.policy_if_any(home)
    last = states.latest(trail.changes(home))
    if running is None or (last and last.policy == running.digest):
        return
    keep_policy(home, running, _source_of(home, running.digest))
    record(home, "found", note="ran before the history knew of it")


def _source_of(home: str, digest: str) -> bytes | None:
    """Return the YAML that was activated last, if it is still the same."""
    from p4warden.policy import source  # noqa: PLC0415 - yaml is read in this case alone
    from p4warden.policy.problems import Unreadable  # noqa: PLC0415 - as above

    try:
        path = trusted_files.read(home, active_policy.SOURCE_FILE).decode().strip()
        content = source.read(path)
    except (trusted_files.HomeError, ValueError, Unreadable):
        return None
    return content if hashlib.sha256(content).hexdigest() == digest else None


def _prune(home: str) -> None:
    """Drop the files of old changes; one that cannot be removed stops no change."""
    made = states.of_policy_or_table(trail.changes(home))
    running = active_policy.policy_if_any(home)
    latest = [change for change in made if running and change.policy == running.digest][-1:]
    with contextlib.suppress(trusted_files.HomeError):
        kept_files.prune(home, [*made[-kept_files.KEPT :], *latest])
