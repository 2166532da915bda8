"""Limits of a group from a site's own numbers, as p4 help maxresults computes them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.plural import amount
from p4warden.workbench.tune.finding import shown
from p4warden.workbench.tune.log_use import MOST_LOCK_MS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.workbench.tune.site import Site, Workspace

_RESULTS = 50_000
_SCAN_ROWS = 250_000
"""Values that are "probably sufficient", of MaxResults and MaxScanRows."""
_OPEN_SHARE = 0.8
"""Of MaxResults; our choice: smaller than it, and larger than the largest workspace."""
_MEMORIES = 2
"""MaxMemory for each MB of the largest command; our choice."""
_DIGITS = 2


class Numbers(NamedTuple):
    """Those on which the limits of some users rest."""

    site: Site
    largest: Workspace | None  # of theirs, by files
    deepest: Workspace | None  # of theirs, by revisions

    def limits(self) -> dict[str, int]:
        """Return values by field; MaxMemory only with a log that has the memory of commands."""
        files = self.largest.files if self.largest else 0
        results = _rounded_up(max(_RESULTS, files / _OPEN_SHARE + 1))
        found = {
            "MaxResults": results,
            "MaxScanRows": _rounded_up(max(_SCAN_ROWS, *self._scan_rows(results))),
            "MaxLockTime": MOST_LOCK_MS,
            "MaxOpenFiles": int(results * _OPEN_SHARE),
        }
        memory = self.site.log and self.site.log.memory
        if memory:
            found["MaxMemory"] = _rounded_up(_MEMORIES * memory.megabytes)
        return found

    def sentences(self) -> Iterator[str]:
        """Say where the values come from."""
        if self.site.files is None:
            yield "The largest workspace is not known here (--checkpoint)"
        elif self.largest and self.deepest:
            yield f"Their largest workspace is {_spans(self.largest)}"
            if self.deepest != self.largest:
                yield f"The one with most revisions is {_spans(self.deepest)}"
        else:
            yield "They own no workspace"
        average = self._revisions_per_file()
        if average:
            yield f"The server has {average:,.1f} revisions for each file"
        log = self.site.log
        if log and log.memory:
            what = f"{shown(log.memory.command)} of {shown(log.memory.user)}"
            yield f"The most memory of a command in the log is {log.memory.megabytes:,} MB: {what}"
        if log and log.locks:
            commands, users = log.locks
            yield (
                f"{amount(commands, 'command')} of {amount(users, 'user')} kept a lock for more "
                f"than {MOST_LOCK_MS:,} ms; that MaxLockTime counts the same is not documented"
            )

    def _scan_rows(self, results: int) -> Iterator[float]:
        yield results * (self._revisions_per_file() or 1)
        yield self.deepest.revisions + 1 if self.deepest else 0

    def _revisions_per_file(self) -> float | None:
        site = self.site
        return site.revisions / site.files if site.files and site.revisions else None


def numbers(site: Site, workspaces: Sequence[Workspace]) -> Numbers:
    """Return the numbers of users who own these workspaces."""
    largest = max(workspaces, key=lambda one: (one.files, one.name), default=None)
    deepest = max(workspaces, key=lambda one: (one.revisions, one.name), default=None)
    return Numbers(site, largest, deepest)


def _spans(one: Workspace) -> str:
    revisions = f"{amount(one.files, 'file')} with {amount(one.revisions, 'revision')}"
    return f"{shown(one.name)} of {shown(one.owner)}: {revisions}"


def _rounded_up(value: float) -> int:
    """Return two significant digits."""
    unit: int = 10 ** max(len(str(math.ceil(value))) - _DIGITS, 0)
    return int(math.ceil(value / unit) * unit)
