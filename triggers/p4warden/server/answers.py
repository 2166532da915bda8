"""The program by which the gate asks the server, while the server waits for a trigger.

`python3 -I -m p4warden.server.answers --home FOLDER`; the account is that of the last refresh.
Read-only commands work while a submit waits (P4 Server Administrator Guide, triggers). Standard
input: the fields of `Question` as an object. Standard output: an object with the wanted facts, or
`{"error": "one line", "parts": [], "is_full"}`, its problem, its remedy, and whether the server
runs too many commands to answer. Names are read as bytes, because a server without unicode may
have any bytes in a name; bytes that are not UTF-8 become surrogate escapes, as in forms.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.home import server_account
from p4warden.server.connection import GREETING_S, Address, connected
from p4warden.server.questions import ask, text_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import P4

DIRECTORIES_AT_ONCE = 500
NEW_FILE_ACTIONS = frozenset({"add", "branch", "import", "move/add"})
"""Actions that create a file (p4 help files, p4 help move); `import` is from a remote depot."""


class SubmittedFile(NamedTuple):
    path: str
    action: str  # as p4d names it: `add`, `edit`, `move/add`, ...


class Question(NamedTuple):
    """`wanted` are some of `files`, `directories`, `count`, `depots` and `client`.

    `change` is that of the submit, None for `default`, of which at most `most_files` files and one
    more are listed; the first `most_judged` of these are judged, or fewer if their paths have more
    than `most_bytes` as JSON. `large` are depots with too many first-level directories to list in
    a trigger.
    """

    wanted: Collection[str]
    change: str | None = None
    large: Collection[str] = ()
    most_files: int = 100_000
    most_judged: int = 100_000
    most_bytes: int = 1 << 27
    shelves: bool = False
    client: str = ""


def main() -> None:
    """Answer the request on standard input.

    The gate ends this sooner than any wait, so one connection with a short one is enough.
    """
    question = Question(**json.load(sys.stdin))
    try:
        with connected(_address(sys.argv[-1]), GREETING_S) as p4:
            answer = answers(p4, question)
    except P4WardenError as error:
        from p4warden.server import connection_failure  # noqa: PLC0415

        is_full = connection_failure.is_of_load(error.__cause__)
        parts = [error.problem, error.remedy]
        answer = {"error": str(error), "parts": parts, "is_full": is_full}
    json.dump(answer, sys.stdout)


def _address(home: str) -> Address:
    """p4d's own P4CONFIG and P4CHARSET are not for this account.

    P4Python replaces the file of P4ENVIRO, even /dev/null, to store the server's charset.

    (Observed with 2026.1.)
    """
    known = server_account.read(home)
    os.environ.pop("P4CONFIG", None)
    settings = {"P4CHARSET": "none"} | known["environment"]
    os.environ.update(settings, P4ENVIRO=f"{home}/{server_account.P4ENVIRO_NAME}")
    charset = known["environment"].get("P4CHARSET")
    return Address(known["port"], known["user"], known["ticket_file"], charset)


def answers(p4: P4.P4, question: Question) -> dict[str, Any]:
    """Return the facts that a trigger requests.

    `listed` is the number of all files, one more than `most_files` if there are more, `judged`
    that of the first of these, and `files` are pairs of path and action of the new ones among
    them. `directories` and `depots` are by depot. If a submit adds a first-level directory,
    `directories` lists all directories of the depot. For a large depot, and for one without new
    directories, it lists only the submit's directories that exist.
    """
    answer: dict[str, Any] = {}
    with p4.saved_context(encoding="raw"):
        if "depots" in question.wanted:
            rows = ask(p4, "depots")
            answer["depots"] = {text_of(row["name"]): text_of(row["type"]) for row in rows}
        if "client" in question.wanted:
            answer["has_client"] = has_client(p4, question.client)
        if {"files", "directories", "count"} & {*question.wanted}:
            list_files = shelved_files if question.shelves else submitted_files
            listed = list_files(p4, question.change or "default", question.most_files + 1)
            answer["listed"] = len(listed)
            if {"files", "directories"} & {*question.wanted}:
                judged = _first(listed, question)
                answer |= {"judged": len(judged)} | _of_new_files(p4, judged, question)
    return answer


def has_client(p4: P4.P4, name: str) -> bool:
    """Return whether the server has a client, whose case it ignores if it does so in names.

    A pattern is no client's name (`Wildcards (*, %%x, ...) not allowed`, msgs/msgdm.cc).
    """
    if any(wildcard in name for wildcard in ("*", "...", "%%")):
        return False
    rows = ask(p4, "clients", "-m", "1", "-e", name.encode("utf-8", "surrogateescape"))
    return any(text_of(row["client"]).lower() == name.lower() for row in rows)


def _first(listed: list[SubmittedFile], question: Question) -> list[SubmittedFile]:
    """Return those to be judged. JSON has at most six bytes for one of a path."""
    left_bytes = question.most_bytes
    for number, file in enumerate(listed[: question.most_judged]):
        left_bytes -= len(file.path) * (1 if file.path.isascii() else 6)
        if left_bytes < 0:
            return listed[:number]
    return listed[: question.most_judged]


def _of_new_files(p4: P4.P4, listed: list[SubmittedFile], question: Question) -> dict[str, Any]:
    files = [file for file in listed if file.action in NEW_FILE_ACTIONS]
    answer: dict[str, Any] = {"files": files}
    if "directories" in question.wanted:
        answer["directories"] = directories(p4, files, question.large)
    return answer


def submitted_files(p4: P4.P4, change: str, most: int) -> list[SubmittedFile]:
    """Return the files of a changelist that is being submitted.

    `p4 files @=N` lists them on the commit server, even if an edge server forwards the submit (P4
    Server Administrator Guide, triggers and commit-edge); before the files are known there, `p4
    opened` lists them. During a populate neither command lists files before its change-content
    triggers (the same guide, "Triggering on submit and populate").
    """
    return _of_change(p4, change, most) or _opened(p4, change, most)


def shelved_files(p4: P4.P4, change: str, most: int) -> list[SubmittedFile]:
    """Return the files of a changelist that is being shelved; none if their number is unknown.

    No document says which command lists them before they are transferred, and a shelve may be of
    a part of the opened files. So fewer opened files than `most` are the most that it can have,
    and it certainly has `most` files only if the changelist's shelf lists as many, too.
    """
    opened = _opened(p4, change, most)
    return opened if len(opened) < most else _of_change(p4, change, most)[most - 1 :] and opened


def _of_change(p4: P4.P4, change: str, most: int) -> list[SubmittedFile]:
    return _files(ask(p4, "files", "-m", str(most), f"//...@={change}"))


def _opened(p4: P4.P4, change: str, most: int) -> list[SubmittedFile]:
    return _files(ask(p4, "opened", "-a", "-m", str(most), "-c", change))


def _files(rows: list[Any]) -> list[SubmittedFile]:
    return [SubmittedFile(text_of(row["depotFile"]), text_of(row["action"])) for row in rows]


def directories(
    p4: P4.P4, files: list[SubmittedFile], large: Collection[str]
) -> dict[str, dict[str, Any]]:
    """By depot: `names` of directories, and whether they are `all` directories of the depot."""
    parts = (file.path.split("/", 4) for file in files)
    tops: dict[str, dict[str, None]] = {}
    for part in parts:
        if len(part) > 4:  # noqa: PLR2004
            tops.setdefault(part[2], {})[part[3]] = None
    return {depot: _of_depot(p4, depot, [*names], large) for depot, names in tops.items()}


def _of_depot(p4: P4.P4, depot: str, names: list[str], large: Collection[str]) -> dict[str, Any]:
    is_large = depot in large
    if is_large or len(names) <= DIRECTORIES_AT_ONCE:
        existing = _listed(p4, depot, names)
        if is_large or len(existing) == len(names):
            return {"names": existing, "all": False}
    return {"names": _listed(p4, depot, ["*"]), "all": True}


def _listed(p4: P4.P4, depot: str, names: list[str]) -> list[str]:
    """Return the directories that exist; `*` is for all."""
    paths = (f"//{depot}/{directory}".encode("utf-8", "surrogateescape") for directory in names)
    rows = (row for batch in _batches(paths) for row in ask(p4, "dirs", *batch))
    return [text_of(row["dir"]).rpartition("/")[2] for row in rows]


def _batches(paths: Iterator[bytes]) -> Iterator[list[bytes]]:
    while batch := list(islice(paths, DIRECTORIES_AT_ONCE)):
        yield batch


if __name__ == "__main__":
    main()
