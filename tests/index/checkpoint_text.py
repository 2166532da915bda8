"""Build checkpoint and journal records, and run `p4warden-index` commands that read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from index.conftest import rows
from support.whole_checkpoint import END, START, TIME_S

__all__ = ["END", "START", "TIME_S"]

if TYPE_CHECKING:
    from pathlib import Path


def ex(after_s: int = 100) -> str:
    """Return the journal record that ends a transaction, `after_s` seconds after `TIME_S`."""
    return f"@ex@ 27916 {TIME_S + after_s}\n"


def rev(path: str, number: int = 1, operation: str = "pv", table: str = "rev") -> str:
    """Return a checkpoint or journal record of a file revision."""
    return f"@{operation}@ 9 @db.{table}@ @{path}@ {number} 0 0 1 1 1 00 1 \n"


def files(folder: str, count: int) -> str:
    """Return the checkpoint records of new files in a directory, one revision each."""
    paths = [f"{folder}/f{number:05}" for number in range(count)]
    return "".join(rev(path) for path in paths) + "".join(
        rev(path, table="revhx") for path in paths
    )


def domain(name: str, stream: str = "", kind: int = 99, at_s: tuple[int, int] = (1, 1)) -> str:
    """Return the `db.domain` record of a client (kind 99) or stream.

    `at_s` has the times of its last save and last use, in seconds after `TIME_S`.
    """
    times = f"{TIME_S + at_s[0]} {TIME_S + at_s[1]}"
    return (
        f"@pv@ 6 @db.domain@ @{name}@ {kind} @@ @/home/{name}@ @@ @@ @ann@ {times} 0 "
        f"@Made.\n@ @{stream}@ @@ 0 \n"
    )


def line(name: str, number: int, depot: str, operation: str = "pv", flag: int = 0) -> str:
    """Return a checkpoint or journal record of a client's view line."""
    return (
        f"@{operation}@ 1 @db.view@ @{name}@ {number} {flag} @//{name}/{number}/...@ @{depot}@ \n"
    )


def spans(index: Path, client: str, *paths: str) -> list[int | None]:
    """Run `p4warden-index estimate`; return the estimated number of files for each path.

    Without paths the only number is that of the client's whole view; None if unknown.
    """
    return [row["files"] for row in rows("estimate", index, f"--client={client}", *paths)]
