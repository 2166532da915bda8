from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from p4warden.commands.log_progress import progress
from p4warden.index import contents
from p4warden.index.build import IndexFileError
from p4warden.workbench.checkpoint.reading import indexed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from p4warden.core.specs import Spec
    from p4warden.index.contents import Counts
    from p4warden.workbench.checkpoint.reading import KeptFiles, Sources, TemporaryIndex
    from p4warden.workbench.checkpoint.small_tables import SmallTables


class FileCounts(NamedTuple):
    """File counts for `census` and `rightsize`, from an index of a checkpoint.

    Attributes:
        is_current: whether the index was built from the judged specs, so that the counts match the
            clients' present views.
    """

    index_file: str
    clients: Callable[[str], Counts | None]
    is_current: bool

    def of(self, spec_type: str, name: str) -> Counts | None:
        return self.clients(name) if spec_type == "client" else None

    def judged_files(self, spec: Spec) -> int | None:
        """Return the number of files whose paths begin with a line's text before its wildcards.

        None if it is unknown, and for a client whose view is that of its stream.
        """
        if not self.is_current or "stream" in spec.fields:
            return None
        counts = self.of(spec.type, spec.name)
        return counts.files if counts else None


@contextlib.contextmanager
def by_index(index: str, *, case_sensitive: bool) -> Iterator[FileCounts]:
    """Context manager: open an existing index and yield its file counts.

    Raises:
        IndexFileError: the index cannot be read, or is of a server with another case handling.
    """
    own = contents.case(index)
    if own != "either" and (own == "sensitive") != case_sensitive:
        raise IndexFileError(
            f"{index}: belongs to another server: its case handling is {own}, this server's is not"
        )
    with contents.client_counts(index, case_sensitive=case_sensitive) as clients:
        yield FileCounts(index, clients, is_current=False)


@contextlib.contextmanager
def temporary_index(
    sources: Sources, small_tables: SmallTables, kept: KeptFiles | None = None
) -> Iterator[TemporaryIndex]:
    """Context manager: read the small tables, build a temporary index, and yield it.

    Its folder is removed afterwards.

    Raises:
        IndexFileError: the files cannot be read or are damaged, or the index program is missing.
    """
    with tempfile.TemporaryDirectory(prefix="p4warden-") as folder:
        index = str(Path(folder, "index"))
        with contextlib.ExitStack() as stack:
            with progress() as bar:
                built = stack.enter_context(indexed(sources, small_tables, bar, index, kept))
            yield built
