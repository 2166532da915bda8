"""What is asked of the server while it waits, by a server that is a table of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from p4warden.errors import P4WardenError
from p4warden.server.answers import answers

if TYPE_CHECKING:
    import P4

FILES = [
    {"depotFile": "//depot/main/a.c", "action": "add"},
    {"depotFile": "//depot/new/b.c", "action": "branch"},
    {"depotFile": "//depot/old/c.c", "action": "edit"},
    {"depotFile": "//depot/README", "action": "add"},
]


class Server:
    """Answers commands from a table, and keeps what was asked."""

    def __init__(self, table: dict[str, list[Any]]) -> None:
        self.table = table
        self.asked: list[tuple[str, ...]] = []

    def run(self, *words: str) -> list[Any]:
        self.asked.append(words)
        return self.table.get(words[0], [])


def ask(server: Server, *wanted: str, change: str | None = "12") -> dict[str, Any]:
    return answers(cast("P4.P4", server), frozenset(wanted), change)


def test_depots_are_counted_by_name_and_type() -> None:
    server = Server({"depots": [{"name": "depot", "type": "local"}]})
    assert ask(server, "depots") == {"depots": {"depot": "local"}}
    assert server.asked == [("depots",)]


def test_a_submit_is_asked_for_once() -> None:
    server = Server({"files": FILES})
    answer = ask(server, "files")
    assert answer["files"][0] == ("//depot/main/a.c", "add")
    assert server.asked == [("files", "//...@=12")]


def test_files_that_are_not_known_yet_are_opened_ones() -> None:
    server = Server({"opened": FILES})
    assert len(ask(server, "files")["files"]) == 4
    assert server.asked[1:] == [("opened", "-a", "-c", "12")]


def test_a_submit_of_which_nothing_is_known_is_no_empty_one() -> None:
    with pytest.raises(P4WardenError, match="change 12: the server names no file of it"):
        ask(Server({}), "files")


def test_only_the_first_level_of_new_files_is_asked_for() -> None:
    server = Server({"files": FILES, "dirs": [{"dir": "//depot/main"}]})
    answer = ask(server, "files", "directories")
    assert answer["directories"] == {"depot": ["main"]}
    assert server.asked[1:] == [("dirs", "//depot/main", "//depot/new")]


def test_a_submit_without_new_directories_asks_for_none() -> None:
    server = Server({"files": FILES[2:]})
    assert ask(server, "files", "directories")["directories"] == {}
    assert len(server.asked) == 1
