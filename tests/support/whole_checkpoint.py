"""Make records a whole checkpoint, with the notes with which p4d begins and ends one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TIME_S = 1573645381
START = f"@nx@ 0 {TIME_S} @41@ 1 0 0 0 0 @/root@ @journal@ @@ @@ @@ \n"
END = f"@nx@ 1 {TIME_S} @41@ 0 0 0 0 0 @@ @@ @@ @@ @@ \n@ex@ 1 {TIME_S}\n"


def whole(records: str) -> str:
    """Return the text of a whole checkpoint with these records."""
    return START + records + END


def whole_bytes(records: bytes) -> bytes:
    """Return the bytes of a whole checkpoint with these records."""
    return START.encode() + records + END.encode()


def add_records(checkpoint: Path, records: str) -> None:
    """Add records to a whole checkpoint, before its end."""
    before, end, rest = checkpoint.read_text().rpartition("@nx@ 1 ")
    checkpoint.write_text(before + records + end + rest)
