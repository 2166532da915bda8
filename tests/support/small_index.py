"""Build a checkpoint index of a small made-up server for tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM = Path(sys.executable).with_name("p4warden-index")


def small_index(  # noqa: PLR0913 - each says one thing of the server
    folder: Path,
    directories: Mapping[str, int],
    clients: Mapping[str, list[str]],
    revisions: int = 1,
    time_s: int | None = None,
    have_counts: Mapping[str, int] | None = None,
    *,
    empty_depots: Mapping[str, int] | None = None,
    server_id: str | None = None,
    folded: bool = False,
) -> Path:
    """Build the checkpoint index of a small made-up server, and return the path of the index.

    Args:
        folder: the folder in which the index is written.
        directories: number of files directly in each directory, by directory in depot syntax.
        clients: view lines by client name, `//depot/main/... //ws/main/...`; a client's root is
            `/home/NAME`.
        revisions: number of revisions of each file.
        empty_depots: depot type numbers (`db.depot`), by names of depots without files.
        have_counts: number of files that a client has synced, by directory in client syntax.
        time_s: time of the checkpoint in seconds since the epoch; None for a checkpoint without a
            time.
        server_id: the server's `server.id`; None for none.
        folded: whether the server ignores case, so that its tables are sorted by lower-case names.
    """
    paths = [f"{top}/f{n:06}.c" for top, count in directories.items() for n in range(count)]
    depots = {top.split("/")[2]: 0 for top in directories} | dict(empty_depots or {})
    records = [
        f"@pv@ 1 @db.depot@ @{depot}@ {kind} @@ @{depot}/...@ \n"
        for depot, kind in sorted(depots.items())
    ]
    for name, lines in sorted(clients.items()):
        root = f"@/home/{name}@ @@ @@ @ann@ 1 1 0 @@ @@ @@ 0"
        records.append(f"@pv@ 6 @db.domain@ @{name}@ 99 @@ {root} \n")
        for seq, line in enumerate(lines):
            left, right = line.split(" ")
            records.append(f"@pv@ 1 @db.view@ @{name}@ {seq} 0 @{right}@ @{left}@ \n")
    for path in sorted(paths, key=str.lower if folded else None):
        versions = [
            (table, n) for table, most in (("rev", revisions), ("revhx", 1)) for n in range(most)
        ]
        records += [
            f"@pv@ 9 @db.{table}@ @{path}@ {n + 1} 0 0 1 1 1 00 1 \n" for table, n in versions
        ]
    for top, count in sorted((have_counts or {}).items()):
        files = (f"@pv@ 3 @db.have@ @{top}/h{n:06}@ @//depot/h@ 1 0 1 \n" for n in range(count))
        records += files
    if time_s is not None:
        records.append(f"@ex@ 1 {time_s}\n")
    checkpoint, output = folder / "checkpoint", folder / "checkpoint.index"
    checkpoint.write_text("".join(records))
    command = [str(PROGRAM), "build", "--output", str(output), str(checkpoint)]
    command += [f"--server-id={server_id}"] if server_id else []
    subprocess.run(command, check=True, capture_output=True)
    return output
