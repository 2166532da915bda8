"""The small tables of a checkpoint and its journals, read in one pass, in their final state."""

from __future__ import annotations

import contextlib
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from p4warden.index.build import asked, inputs, printed, running

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.index.build import RunningProgram
    from p4warden.workbench.checkpoint.small_tables import Progress, SmallTables


class Sources(NamedTuple):
    checkpoints: Sequence[str]  # a file, plain or gzip, the folder of a parallel one, or its files
    journals: Sequence[str] = ()  # oldest first


class KeptFiles(NamedTuple):
    """That an index keeps the clients' files, for questions to `rightsize.finder`."""

    since_s: int | None = None  # since the epoch; files not used since are not needed
    case: str | None = None  # `sensitive` or `folded`; None: by the order of the tables

    def words(self, index: str) -> Iterator[str]:
        """Yield the options of `p4warden-index build`."""
        yield f"--files={index}.files"
        if self.since_s is not None:
            yield f"--since={self.since_s}"
        if self.case:
            yield f"--case={self.case}"


class TemporaryIndex(NamedTuple):
    file: str
    program: RunningProgram  # that built it, and answers questions if files were kept

    @property
    def files(self) -> str:
        """The file with the clients' files, once questions are answered."""
        return f"{self.file}.files"


def read(sources: Sources, tables: SmallTables, progress: Progress) -> None:
    """Read the tables.

    The last record of the last journal may be cut off, as it is still written.

    Raises:
        IndexFileError: a file cannot be read, is damaged, or is not the whole checkpoint; the
            records before that place were read.
    """
    words = ["records", f"--tables={','.join(tables.names)}"]
    tables.take(printed([*words, *inputs(*sources)]), progress)


@contextlib.contextmanager
def indexed(
    sources: Sources,
    tables: SmallTables,
    progress: Progress,
    file: str,
    kept: KeptFiles | None = None,
) -> Iterator[TemporaryIndex]:
    """Read the tables and build an index in the same pass, and yield it.

    Raises:
        IndexFileError: as `read` does.
    """
    words = [f"--output={file}", f"--tables={','.join(tables.names)}"]
    words += kept.words(file) if kept else []
    words += inputs(*sources)
    with asked(words) if kept else running(["build", *words]) as program:
        tables.take(takewhile(_is_of_tables, program.values), progress)
        yield TemporaryIndex(file, program)


def _is_of_tables(value: object) -> bool:
    return value is not None
