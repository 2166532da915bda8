"""`python3 -I -m p4warden.server.answers`: asks the server what a trigger has to know.

In, on standard input: `{"port", "user", "ticket_file", "wanted": [], "change"}`. Out: an object
with what was wanted, or `{"error": "one line"}`.
"""

from __future__ import annotations

import json
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

from p4warden.errors import P4WardenError
from p4warden.records import SubmittedFile
from p4warden.server.connection import Address, connected

if TYPE_CHECKING:
    from collections.abc import Iterator

    import P4

DIRECTORIES_AT_ONCE = 500
WAIT_S = 3
"""Who asked waits 3.5 s for all of it."""


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    address = Address(request["port"], request["user"], request["ticket_file"])
    try:
        with connected(address, WAIT_S) as p4:
            answer = answers(p4, frozenset(request["wanted"]), request["change"])
    except P4WardenError as error:
        answer = {"error": str(error)}
    json.dump(answer, sys.stdout)


def answers(p4: P4.P4, wanted: frozenset[str], change: str | None) -> dict[str, Any]:
    """Return what is wanted: `files` as (path, action), `directories` by depot, `depots` by name.

    `directories` are those of the first level that the submit's new files are in and that exist.
    """
    answer: dict[str, Any] = {}
    if "depots" in wanted:
        answer["depots"] = {row["name"]: row["type"] for row in p4.run("depots")}
    if wanted & {"files", "directories"}:
        files = submitted(p4, change or "default")
        answer["files"] = files
        answer["directories"] = existing(p4, files) if "directories" in wanted else {}
    return answer


def submitted(p4: P4.P4, change: str) -> list[SubmittedFile]:
    """Return the files of a changelist that is being submitted.

    `p4 files @=N` knows them on the commit server too when an edge server forwards the submit
    (P4 Server Administrator Guide, triggers and commit-edge); where it does not know them yet,
    `p4 opened` does.

    Raises:
        P4WardenError: the server knows no file of the changelist.
    """
    rows = p4.run("files", f"//...@={change}") or p4.run("opened", "-a", "-c", change)
    if not rows:
        raise P4WardenError(f"change {change}: the server names no file of it")
    return [SubmittedFile(row["depotFile"], row["action"]) for row in rows]


def existing(p4: P4.P4, files: list[SubmittedFile]) -> dict[str, list[str]]:
    """Return the first-level directories of new files that exist, by depot."""
    parts = (file.path.split("/", 4) for file in files if file.is_new)
    tops = dict.fromkeys((part[2], part[3]) for part in parts if len(part) > 4)  # noqa: PLR2004
    found: dict[str, list[str]] = {depot: [] for depot, _ in tops}
    for asked in _batches(f"//{depot}/{directory}" for depot, directory in tops):
        for row in p4.run("dirs", *asked):
            depot, _, directory = row["dir"].removeprefix("//").partition("/")
            found.setdefault(depot, []).append(directory)
    return found


def _batches(paths: Iterator[str]) -> Iterator[list[str]]:
    while batch := list(islice(paths, DIRECTORIES_AT_ONCE)):
        yield batch


if __name__ == "__main__":
    main()
