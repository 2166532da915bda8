"""Parquet files of one table, in a folder for each server and day, named as Hive requires."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from urllib.parse import quote

import pyarrow
import pyarrow.parquet

if TYPE_CHECKING:
    from pathlib import Path

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""Value in a folder name, such as `day=...`, that readers of Hive partitions treat as NULL."""

MOST_OPEN = 64

MOST_WAITING = 100_000
"""The rows collected for all files of a table are written once there are this many; smaller row
groups would make reading slow.
"""


class Partition(NamedTuple):
    """A server and a local day (`YYYY-MM-DD`), whose rows share a folder; None if unknown."""

    server: str | None
    day: str | None

    def folder(self, table: Path) -> Path:
        """Return the folder, in a table's folder, for the Parquet files of this server and day.

        A server's name may contain any character, so it is percent-encoded.
        """
        server = NO_VALUE if self.server is None else quote(self.server, safe="")
        return table / f"server={server}" / f"day={self.day or NO_VALUE}"


class _OpenFile(NamedTuple):
    """A Parquet file that is being written, with the rows collected for its next row group."""

    writer: pyarrow.parquet.ParquetWriter
    file: BinaryIO
    tables: list[pyarrow.Table]

    def add(self, rows: pyarrow.Table) -> None:
        self.tables.append(rows)

    def flush(self) -> None:
        """Write the collected rows as one row group of the Parquet file."""
        if self.tables:
            self.writer.write_table(pyarrow.concat_tables(self.tables))
        self.tables.clear()

    def close(self) -> None:
        """Write the remaining rows and the end of the Parquet file, and close it."""
        self.flush()
        self.writer.close()
        self.file.close()

    def abandon(self) -> None:
        """Close the Parquet file, which may be incomplete; ignore errors."""
        for close in (self.writer.close, self.file.close):
            with contextlib.suppress(OSError, pyarrow.ArrowException):
                close()


class PartFiles:
    """The Parquet files of one table in an export; `replace` gives them their final names.

    Attributes:
        table: the folder of the table.
        source: the name of the export, with which the final names begin.
    """

    def __init__(self, table: Path, source: str) -> None:
        self.table, self.source = table, source
        self._open_files: dict[Partition, _OpenFile] = {}
        self._written_files: list[Path] = []
        self._servers: set[Path] = set()
        self._waiting_rows = 0

    def write(self, partition: Partition, rows: pyarrow.Table) -> None:
        """Add rows to a Parquet file of a partition (a server and a day)."""
        file = self._open_files.pop(partition, None) or self._new_file(partition, rows.schema)
        self._open_files[partition] = file
        file.add(rows)
        self._waiting_rows += rows.num_rows
        if self._waiting_rows >= MOST_WAITING:
            for one in self._open_files.values():
                one.flush()
            self._waiting_rows = 0
        if len(self._open_files) > MOST_OPEN:
            first = next(iter(self._open_files))
            self._open_files[first].close()
            del self._open_files[first]

    def complete(self) -> None:
        """Write the remaining rows and the end of each open Parquet file, and close it."""
        for one in self._open_files.values():
            one.close()
        self._open_files.clear()

    def replace(self) -> None:
        """Give the Parquet files their final names; delete others of this log's earlier export."""
        final_names = {path: path.name[1:].removesuffix(".new") for path in self._written_files}
        new = {path.rename(path.with_name(name)) for path, name in final_names.items()}
        for folder in self._servers:
            for old in folder.glob(f"day=*/{self.source}-*.parquet"):
                if old not in new:
                    old.unlink()

    def discard(self) -> None:
        """Delete the Parquet files without final names; ignore errors."""
        for one in self._open_files.values():
            one.abandon()
        for path in self._written_files:
            with contextlib.suppress(OSError):
                path.unlink()

    def _new_file(self, partition: Partition, schema: pyarrow.Schema) -> _OpenFile:
        folder = partition.folder(self.table)
        # Create each folder separately: with `parents=True` only the last one would get the mode.
        for parent in (*reversed(folder.parents), folder):
            if not parent.exists():
                parent.mkdir(mode=0o700, exist_ok=True)
        # An incomplete file's name begins with a dot: readers of Parquet folders skip such files.
        path = folder / f".{self.source}-{len(self._written_files)}.parquet.new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        self._written_files.append(path)
        self._servers.add(folder.parent)
        file = os.fdopen(os.open(path, flags, 0o600), "wb")
        return _OpenFile(pyarrow.parquet.ParquetWriter(file, schema, compression="zstd"), file, [])
