# The server replaces `%//depot/path%` by the path of a temporary copy, made for one run (release
# notes 2014.1). That the copy can be executed is inferred.

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NO_DEPOT_PROGRAM
from p4warden_sandbox.revisions import split_revision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden_sandbox.depot_files import DepotFiles
    from p4warden_sandbox.revisions import Revision
    from p4warden_sandbox.trigger_table import Row

_REFERENCE = re.compile(r"%(//[^%]+)%")
_EXECUTABLE = 0o700


def references(row: Row) -> list[str]:
    """Return the depot paths of `%//depot/path%` in a trigger line's command, without the `%`."""
    return list(dict.fromkeys(_REFERENCE.findall(row.command)))


def find(files: DepotFiles, row: Row, reference: str) -> Revision:
    """Return the revision of a depot program; raise CommandError if it is missing or deleted."""
    path, at = split_revision(reference)
    revision = next(files.files(path, at), None)
    if revision is None or revision.is_deleted:
        raise CommandError(NO_DEPOT_PROGRAM, file=reference, trigger=row.name)
    return revision


@contextlib.contextmanager
def copies(files: DepotFiles, row: Row, folder: Path) -> Iterator[dict[str, str]]:
    """Yield the paths of temporary copies by depot path; raise CommandError as `find` does."""
    with contextlib.ExitStack() as stack:
        paths = {}
        for reference in references(row):
            revision = find(files, row, reference)
            handle, path = tempfile.mkstemp("-" + Path(revision.file).name, "tr", folder)
            # The program itself may have deleted it.
            stack.callback(Path(path).unlink, missing_ok=True)
            os.fchmod(handle, _EXECUTABLE)
            with os.fdopen(handle, "wb") as stream:
                stream.write(revision.content or b"")
            paths[reference] = path
        yield paths
