from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.index.build import inputs, printed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


DELETED = "dv"


class Record(NamedTuple):
    operation: str  # `pv` written, `DELETED`, `nx` note, `ex` first end of a transaction
    table: str  # without `db.`; empty for `nx` and `ex`
    values: list[Any]  # `nx`: type, time; `ex`: process, time; None: not of the release
    version: int | None = None  # of the table's fields; None for `nx` and `ex`


def records(
    checkpoint: Sequence[str],
    journals: Sequence[str],
    tables: Iterable[str],
    progress: Callable[[int], None],
    *,
    growing: bool = True,
) -> Iterator[Record]:
    """Yield the records of some tables, named without `db.`, and the notes, of all files.

    `checkpoint` is a file, plain or gzip, the folder of a parallel one, or its files, or empty.
    The last record may be cut off if `growing`. `progress` gets the bytes read of a file.
    Bytes that are not UTF-8 become surrogate escapes.

    Raises:
        IndexFileError: a file cannot be read, is damaged, or is not the whole checkpoint; the
            records before that place were yielded.
    """
    command = ["records", f"--tables={','.join(tables)}", *(["--growing"] if growing else [])]
    for operation, *rest in printed([*command, *inputs(checkpoint, journals)]):
        if operation == "at":
            progress(rest[0])
        elif operation in ("nx", "ex"):
            yield Record(operation, "", rest)
        else:
            yield Record(operation, *rest)
