"""The numbers of a site that an index has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.index import contents
from p4warden.workbench.tune.site import Site, Workspace

if TYPE_CHECKING:
    from p4warden.workbench.tune.site import LogUse


def site(index: str, log: LogUse | None = None) -> Site:
    """Read the counts of an index.

    Raises:
        IndexFileError: the index cannot be read.
    """
    head = contents.head(index)
    owners = dict(contents.owners(index))
    workspaces = [
        Workspace(name, owners.get(name, ""), counts.files, counts.revisions)
        for name, counts in contents.clients(index)
    ]
    return Site(head["files"], head["revisions"], workspaces, log)
