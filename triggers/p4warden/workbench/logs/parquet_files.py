from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import quote

import pyarrow
import pyarrow.parquet

from p4warden.home import leftovers, trusted_files

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""Readers of Hive partitions treat it as NULL."""

MOST_OPEN = 64

MOST_WAITING = 100_000
"""Rows of all files of a table until they are written; small row groups are slow to read."""


class Partition(NamedTuple):
    """A server and a local day (`YYYY-MM-DD`), whose rows share a folder; None if unknown."""

    server: str | None
    day: str | None

    def folder(self, table: Path) -> Path:
        """A server's name may contain any character, so it is percent-encoded."""
        server = NO_VALUE if self.server is None else quote(self.server, safe="")
        return table / f"server={server}" / f"day={self.day or NO_VALUE}"


class _OpenFile(NamedTuple):
    writer: pyarrow.parquet.ParquetWriter
    file: BinaryIO
    tables: list[pyarrow.Table]  # the rows of the next row group

    def add(self, rows: pyarrow.Table) -> None:
        self.tables.append(rows)

    def flush(self) -> None:
        if self.tables:
            self.writer.write_table(pyarrow.concat_tables(self.tables))
        self.tables.clear()

    def close(self) -> None:
        self.flush()
        self.writer.close()
        self.file.close()

    def abandon(self) -> None:
        for close in (self.writer.close, self.file.close):
            with contextlib.suppress(OSError, pyarrow.ArrowException):
                close()


class PartFiles:
    def __init__(self, table: Path, source: str) -> None:
        self.table, self.source = table, source
        self._open_files: dict[Partition, _OpenFile] = {}
        self._written_files: list[Path] = []
        self._servers: set[Path] = set()
        self._waiting_rows = 0

    def write(self, partition: Partition, rows: pyarrow.Table) -> None:
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
        for one in self._open_files.values():
            one.close()
        self._open_files.clear()

    def replace(self) -> None:
        """Delete other files of this log's earlier export, too."""
        new = {path.rename(self._final(path, n)) for n, path in enumerate(self._written_files)}
        for folder in self._servers:
            for old in folder.glob(f"day=*/{self.source}-*.parquet"):
                if old not in new:
                    old.unlink(missing_ok=True)

    def discard(self) -> None:
        for one in self._open_files.values():
            one.abandon()
        for path in self._written_files:
            with contextlib.suppress(OSError):
                path.unlink()

    def _final(self, path: Path, number: int) -> Path:
        return path.with_name(f"{self.source}-{number}.parquet")

    def _new_file(self, partition: Partition, schema: pyarrow.Schema) -> _OpenFile:
        folder = partition.folder(self.table)
        # Create each folder separately: with `parents=True` only the last one would get the mode.
        for parent in (*reversed(folder.parents), folder):
            if not parent.exists():
                parent.mkdir(mode=0o700, exist_ok=True)
        # An incomplete file's name begins with a dot: readers of Parquet folders skip such files.
        final = self._final(folder / "file", len(self._written_files))
        path = Path(trusted_files.beside(str(final.with_name(f".{final.name}")), "new"))
        if not any(one.parent == folder for one in self._written_files):
            leftovers.remove(str(folder))
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        self._written_files.append(path)
        self._servers.add(folder.parent)
        file = os.fdopen(os.open(path, flags, 0o600), "wb")
        return _OpenFile(pyarrow.parquet.ParquetWriter(file, schema, compression="zstd"), file, [])
