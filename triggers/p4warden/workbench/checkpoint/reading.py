from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.index.build import inputs, printed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden.workbench.checkpoint.small_tables import Progress, SmallTables


class Sources(NamedTuple):
    checkpoints: Sequence[str]  # a file, plain or gzip, the folder of a parallel one, or its files
    journals: Sequence[str] = ()  # oldest first


def read(
    sources: Sources, tables: SmallTables, progress: Progress, index: str | None = None
) -> list[str]:
    """Read the tables, and build an index as well if `index` names its file, in one pass.

    The last record of the last journal may be cut off, as it is still written. Returns lines about
    what was left out of the index.

    Raises:
        IndexFileError: a file cannot be read, is damaged, or is not the whole checkpoint; the
            records before that place were read.
    """
    notes: list[str] = []
    words = ["records"] if index is None else ["build", f"--output={index}"]
    words.append(f"--tables={','.join(tables.names)}")
    words += inputs(sources.checkpoints, sources.journals)
    tables.take(printed(words, notes=notes), progress)
    return notes
