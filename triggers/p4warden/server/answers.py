"""`python3 -I -m p4warden.server.answers`: asks the server for facts that a trigger needs.

In, on standard input: `{"port", "user", "ticket_file", "wanted": [], "change", "large": []}`. Out:
an object with the wanted facts, or `{"error": "one line"}`. Names are read as bytes, for a server
without unicode may have any; bytes that are no UTF-8 become surrogate escapes, as in forms.
"""

from __future__ import annotations

import json
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.core.records import SubmittedFile
from p4warden.server.connection import Address, connected

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import P4

DIRECTORIES_AT_ONCE = 500


class Question(NamedTuple):
    """The facts that a trigger needs.

    Attributes:
        wanted: of `files`, `directories` and `depots`.
        change: the changelist that is being submitted.
        large: depots whose first-level directories are too many to be listed now.
    """

    wanted: Collection[str]
    change: str | None = None
    large: Collection[str] = ()


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    address = Address(request["port"], request["user"], request["ticket_file"])
    question = Question(request["wanted"], request["change"], request["large"])
    try:
        with connected(address) as p4:
            answer = answers(p4, question)
    except P4WardenError as error:
        answer = {"error": str(error)}
    json.dump(answer, sys.stdout)


def answers(p4: P4.P4, question: Question) -> dict[str, Any]:
    """Return wanted facts: `files` as (path, action), `directories` by depot, `depots` by name.

    Where a submit adds a first-level directory, `directories` has all that the depot has, except
    for a large depot: of that, as of one without new directories, those of the submit that exist.
    """
    answer: dict[str, Any] = {}
    with p4.saved_context(encoding="raw"):
        if "depots" in question.wanted:
            rows = p4.run("depots")
            answer["depots"] = {_text(row["name"]): _text(row["type"]) for row in rows}
        if {"files", "directories"} & {*question.wanted}:
            files = submitted(p4, question.change or "default")
            answer["files"] = files
            if "directories" in question.wanted:
                answer["directories"] = directories(p4, files, question.large)
    return answer


def submitted(p4: P4.P4, change: str) -> list[SubmittedFile]:
    """Return the files of a changelist that is being submitted.

    `p4 files @=N` knows them on the commit server too when an edge server forwards the submit
    (P4 Server Administrator Guide, triggers and commit-edge); where it does not know them yet,
    `p4 opened` does. Of a populate neither knows any before its change-content triggers (the same
    guide, "Triggering on submit and populate").
    """
    rows = p4.run("files", f"//...@={change}") or p4.run("opened", "-a", "-c", change)
    return [SubmittedFile(_text(row["depotFile"]), _text(row["action"])) for row in rows]


def directories(
    p4: P4.P4, files: list[SubmittedFile], large: Collection[str]
) -> dict[str, dict[str, Any]]:
    """Return by depot: `names` of first-level directories, and whether they are `all` it has."""
    parts = (file.path.split("/", 4) for file in files if file.is_new)
    tops = dict.fromkeys((part[2], part[3]) for part in parts if len(part) > 4)  # noqa: PLR2004
    found: dict[str, dict[str, Any]] = {d: {"names": [], "all": False} for d, _ in tops}
    for depot, names in found.items():
        asked = [directory for of, directory in tops if of == depot]
        names["names"] = _listed(p4, depot, asked)
        if len(names["names"]) < len(asked) and depot not in large:
            names |= {"names": _listed(p4, depot, ["*"]), "all": True}
    return found


def _listed(p4: P4.P4, depot: str, asked: list[str]) -> list[str]:
    """Return the directories that `p4 dirs` lists of those that are asked for."""
    paths = (f"//{depot}/{directory}".encode("utf-8", "surrogateescape") for directory in asked)
    rows = (row for batch in _batches(paths) for row in p4.run("dirs", *batch))
    return [_text(row["dir"]).rpartition("/")[2] for row in rows]


def _batches(paths: Iterator[bytes]) -> Iterator[list[bytes]]:
    while batch := list(islice(paths, DIRECTORIES_AT_ONCE)):
        yield batch


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


if __name__ == "__main__":
    main()
