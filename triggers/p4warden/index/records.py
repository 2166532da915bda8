"""The records of a checkpoint or a journal, one after another: `p4warden-index records`."""

from __future__ import annotations

import json
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.index.build import NAME, IndexFileError, program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


class Record(NamedTuple):
    """A record of a table, or a note beside them.

    Attributes:
        operation: `pv` for a record that is there from now on, `dv` for one that is gone; `nx`
            for a note, `ex` for the end of a transaction (the first of a file, no others).
        table: the table's name without `db.`; nothing for a note.
        values: texts and numbers; of a note its type or process, and its time.
    """

    operation: str
    table: str
    values: list[Any]


def records(
    path: str, tables: Iterable[str], told: Callable[[int], None], *, growing: bool = False
) -> Iterator[Record]:
    """Yield the records of some tables in the order of the file; bytes as surrogate escapes.

    Args:
        path: a checkpoint or a journal, plain or gzip, or the directory of a parallel checkpoint.
        tables: their names without `db.`.
        told: is given how many bytes of the file were read so far.
        growing: whether the server may be writing to the file: its last record need not be whole.

    Raises:
        IndexFileError: it cannot be read, is damaged or cut off; what is in front of that place
            was yielded before.
    """
    command = [program(), "records", f"--tables={','.join(tables)}"]
    command += ["--growing"] if growing else []
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(
            [*command, "--", path], stdout=subprocess.PIPE, stderr=errors, close_fds=False
        ) as child:
            for operation, *rest in map(json.loads, child.stdout or ()):
                if operation == "at":
                    told(rest[0])
                elif operation in ("nx", "ex"):
                    yield Record(operation, "", rest)
                else:
                    yield Record(operation, rest[0], rest[1])
        errors.seek(0)
        problem = errors.read().decode("utf-8", "replace").strip().removeprefix(f"{NAME}: ")
    if child.returncode:
        raise IndexFileError(problem or f"{NAME} ended with {child.returncode}")
