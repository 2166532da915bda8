"""Read the journal records of a checkpoint or journal, with `p4warden-index records`."""

from __future__ import annotations

import json
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.index.build import NAME, IndexFileError, program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


class Record(NamedTuple):
    """A record of a database table in a checkpoint or journal, or a note between records.

    Attributes:
        operation: `pv` for a record that is added or replaced, `dv` for a deleted one; `nx` for a
            note, `ex` for the end of a transaction (only the first of a file is reported).
        table: the name of the database table without `db.`; empty for `nx` and `ex`.
        values: the record's texts and numbers; for `nx` its type and time, for `ex` the process
            and time.
    """

    operation: str
    table: str
    values: list[Any]


def records(
    path: str, tables: Iterable[str], progress: Callable[[int], None], *, growing: bool = False
) -> Iterator[Record]:
    """Yield a file's journal records of some database tables, and its notes, in file order.

    Bytes that are not UTF-8 become surrogate escapes.

    Args:
        path: a checkpoint or a journal, plain or gzip, or the directory of a parallel checkpoint.
        tables: the names of the database tables without `db.`.
        progress: is called with the number of bytes of the file read so far.
        growing: whether the server may be writing to the file, so that the last record may be cut
            off.

    Raises:
        IndexFileError: the file cannot be read, is damaged or cut off; the records before that
            place were yielded.
    """
    command = [program(), "records", f"--tables={','.join(tables)}"]
    command += ["--growing"] if growing else []
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(
            [*command, "--", path], stdout=subprocess.PIPE, stderr=errors, close_fds=False
        ) as child:
            for operation, *rest in map(json.loads, child.stdout or ()):
                if operation == "at":
                    progress(rest[0])
                elif operation in ("nx", "ex"):
                    yield Record(operation, "", rest)
                else:
                    yield Record(operation, rest[0], rest[1])
        errors.seek(0)
        problem = errors.read().decode("utf-8", "replace").strip().removeprefix(f"{NAME}: ")
    if child.returncode:
        raise IndexFileError(problem or f"{NAME} ended with {child.returncode}")
