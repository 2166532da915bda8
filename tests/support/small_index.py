"""Build a checkpoint index of a small made-up server for tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from support.whole_checkpoint import TIME_S, whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FLAGS = {"-": 1, "+": 2, "&": 5}
PROGRAM = Path(sys.executable).with_name("p4warden-index")


def small_index(  # noqa: PLR0913 - each says one thing of the server
    folder: Path,
    directories: Mapping[str, int],
    clients: Mapping[str, list[str]],
    revisions: int = 1,
    time_s: int | None = None,
    have_counts: Mapping[str, int] | None = None,
    *,
    changed: Mapping[str, int] | None = None,
    has_every_number: bool = False,
    labels: Mapping[str, int | str] | None = None,
    empty_depots: Mapping[str, int] | None = None,
    server_id: str | None = None,
    folded: bool = False,
    streams: Mapping[str, str] | None = None,
    alt_roots: Mapping[str, Sequence[str]] | None = None,
) -> Path:
    """Build the checkpoint index of a small made-up server, and return the path of the index.

    Args:
        folder: the folder in which the index is written.
        directories: number of files directly in each directory, by directory in depot syntax.
        clients: view lines by client name, `//depot/main/... //ws/main/...`, perhaps with a mark
            such as `-`; a client's root is `/home/NAME`.
        revisions: number of revisions of each file.
        changed: number of revisions submitted with each changelist, by its number in decimal, in
            ascending order; changelist N is submitted N hours after 2020-01-01 00:00 UTC. Without
            it all revisions belong to changelist 1.
        has_every_number: whether the numbers between those in `changed` are changelists without
            files.
        labels: number of files of each label, or the `Revision` of an automatic one.
        empty_depots: depot type numbers (`db.depot`), by names of depots without files.
        have_counts: number of files that a client has synced, by directory in client syntax.
        time_s: time of the checkpoint in seconds since the epoch; None for a checkpoint without a
            time.
        server_id: the server's `server.id`; None for none.
        folded: whether the server ignores case, so that its tables are sorted by lower-case names.
        streams: the streams of clients, such as `//depot/main`, by client name.
        alt_roots: both AltRoots of clients, by client name; "" for none.
    """
    paths = [f"{top}/f{n:06}.c" for top, count in directories.items() for n in range(count)]
    depots = {top.split("/")[2]: 0 for top in directories} | dict(empty_depots or {})
    records = [
        f"@pv@ 1 @db.depot@ @{depot}@ {kind} @@ @{depot}/...@ \n"
        for depot, kind in sorted(depots.items())
    ]
    for name, lines in sorted(clients.items()):
        stream = (streams or {}).get(name, "")
        mounts = " ".join(f"@{root}@" for root in (alt_roots or {}).get(name, ("", "")))
        root = f"@/home/{name}@ {mounts} @ann@ 1 1 0 @@ @{stream}@ @@ 0"
        records.append(f"@pv@ 6 @db.domain@ @{name}@ 99 @@ {root} \n")
        for seq, line in enumerate(lines):
            left, right = line.split(" ")
            flag, left = FLAGS.get(left[0], 0), left.lstrip("-+&")
            records.append(f"@pv@ 1 @db.view@ @{name}@ {seq} {flag} @{right}@ @{left}@ \n")
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
    changelists = dict(changed or {"1": len(paths) * revisions})
    if has_every_number:
        changelists |= {
            str(n): 0 for n in range(1, int(max(changed or {}, key=int)))
        } | changelists
    records += _changelists(changelists, is_history=bool(changed))
    for name, content in (labels or {}).items():
        records += _label(name, content)
    checkpoint, output = folder / "checkpoint", folder / "checkpoint.index"
    checkpoint.write_text(_checkpoint("".join(records), time_s))
    command = [str(PROGRAM), "build", "--output", str(output), str(checkpoint)]
    command += [f"--server-id={server_id}"] if server_id else []
    subprocess.run(command, check=True, capture_output=True)
    return output


def _changelists(files: Mapping[str, int], *, is_history: bool) -> list[str]:
    newest_first = sorted(files.items(), key=lambda row: -int(row[0]))
    records = [
        f"@pv@ 0 @db.revcx@ {change} @//{n:06}@ 1 0 \n"
        for change, count in newest_first
        for n in range(count)
    ]
    if not is_history:
        return records
    for change, _ in newest_first:
        submitted = f"{change} {change} @ws@ @ann@ {1_577_836_800 + int(change) * 3600} 1"
        records.append(f"@pv@ 4 @db.change@ {submitted} @made@ @//...@ @@ @@ 0 \n")
    return [*records, f"@pv@ 1 @db.counters@ @change@ @{newest_first[0][0]}@ \n"]


def _label(name: str, content: int | str) -> list[str]:
    revision = content.replace("@", "@@") if isinstance(content, str) else ""
    count = 0 if isinstance(content, str) else content
    domain = f"@pv@ 6 @db.domain@ @{name}@ 108 @{revision}@ @@ @@ @@ @ann@ 1 1 0 @@ @@ @@ 0 \n"
    return [
        domain,
        *(f"@pv@ 0 @db.label@ @{name}@ @//depot/{n:06}@ 1 \n" for n in range(count)),
    ]


def _checkpoint(records: str, time_s: int | None) -> str:
    no_time = -1
    return whole(records).replace(str(TIME_S), str(no_time if time_s is None else time_s))
