"""Checkpoint of a small server with one client, for the tests of `p4warden rightsize`."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import P4

from p4warden.workbench.checkpoint.reading import KeptFiles, Sources, indexed
from p4warden.workbench.checkpoint.small_tables import SmallTables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from p4warden.workbench.checkpoint.reading import TemporaryIndex

FLAGS = {"-": 1, "+": 2, "&": 5}
_END = "@nx@ 1 1573645381 @41@ 0 0 0 0 0 @@ @@ @@ @@ @@ \n"


@contextlib.contextmanager
def with_files(checkpoint: Path) -> Iterator[TemporaryIndex]:
    """Context manager: yield an index beside the checkpoint, which answers questions."""
    with (
        contextlib.closing(SmallTables(())) as no_tables,
        indexed(
            Sources([str(checkpoint)]),
            no_tables,
            lambda _read, _of: None,
            f"{checkpoint}.index",
            KeptFiles(),
        ) as built,
    ):
        yield built


def checkpoint(files: dict[str, int], case: dict[str, Any]) -> str:
    """Return the text of a checkpoint of a server with these numbers of files by directory.

    Its client `ws`, owned by ann, has the view, synced files and open files of the test case.
    """
    times = case.get("times", {})
    places, options = case.get("places", {}), case.get("options", 0)
    bound_to = f"@{case.get('stream', '')}@ @{case.get('server', '')}@"

    def place(path: str) -> str:
        results: str = places.get(path, path.replace("//depot/", "//ws/"))
        return results

    return "".join(
        [
            "@nx@ 0 1573645381 @41@ 1 0 0 0 0 @/root@ @journal@ @@ @@ @@ \n",
            f"@pv@ 6 @db.domain@ @ws@ 99 @@ @/w@ @@ @@ @ann@ 1 1 {options} @@ {bound_to} 0 \n",
            *(_view(number, line) for number, line in enumerate(case["view"])),
            *(
                f"@pv@ 3 @db.have@ @{place(path)}@ @{path}@ 1 0 {times.get(path, 1)} \n"
                for path in case["has"]
            ),
            *_submitted(case.get("submitted", {})),
            *(
                f"@pv@ 9 @db.revhx@ @{folder}/f{number}@ 1 0 1 9 9 9 00 1 0 0 @x@ @1.1@ 0 \n"
                for folder, count in files.items()
                for number in range(count)
            ),
            *(
                f"@pv@ 10 @db.working@ @{place(path)}@ @{path}@ @ws@ @ann@ 0 1 0 0 0 0 \n"
                for path in case.get("open", ())
            ),
            _END,
        ]
    )


def _view(number: int, line: str) -> str:
    flag = FLAGS.get(line[0], 0)
    depot, client = line.lstrip("-+&").split(" ")
    return f"@pv@ 1 @db.view@ @ws@ {number} {flag} @{client}@ @{depot}@ \n"


def _submitted(changes: dict[str, list[Any]]) -> list[str]:
    """Return a db.change and a db.rev record for each path, with its submit's client and time."""
    records = []
    for number, (path, (client, time_s)) in enumerate(changes.items(), 1):
        records.append(
            f"@pv@ 4 @db.change@ {number} {number} @{client}@ @ann@ {time_s} 1 @x@ @@ @@ @@ 0 \n"
        )
        records.append(
            f"@pv@ 9 @db.rev@ @{path}@ {number} 0 1 {number} {time_s} 9 00 1 0 0 @x@ @1.1@ 0 \n"
        )
    return records


def vendors(lines: list[str]) -> P4.Map:
    """Return the vendor's map of view lines."""
    view = P4.Map()
    for line in lines:
        view.insert(*line.split(" "))
    return view
