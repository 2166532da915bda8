"""Tests of the program that queries the server for a trigger, with a fake server."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from p4warden.rehearse.own_account import QUESTIONS
from p4warden.server.answers import Question, answers
from p4warden.server.connection_failure import is_of_load
from support.fake_p4 import FakeP4

if TYPE_CHECKING:
    import P4

FILES = [
    {"depotFile": b"//depot/main/a.c", "action": b"add"},
    {"depotFile": b"//depot/new/b.c", "action": b"branch"},
    {"depotFile": b"//depot/old/c.c", "action": b"edit"},
    {"depotFile": b"//depot/README", "action": b"add"},
]


class Server(FakeP4):
    """A server with answers by all words of a command, or by the first."""

    def __init__(self, table: dict[tuple[str | bytes, ...], list[Any]]) -> None:
        super().__init__(lambda words: table.get(words, table.get(words[:1], [])))


def ask(server: Server, *names: str, large: tuple[str, ...] = ()) -> dict[str, Any]:
    return answers(cast("P4.P4", server), Question(names, "12", large))


def test_depots_are_answered_as_types_by_name() -> None:
    server = Server({("depots",): [{"name": b"depot", "type": b"local"}]})
    assert ask(server, "depots") == {"depots": {"depot": "local"}}
    assert server.commands == [("depots",)]


def test_a_policy_is_tested_with_each_command_that_asks() -> None:
    server = Server({("files",): FILES})
    ask(server, "files", "directories", "count", "depots", "client")
    empty = Server({})
    ask(empty, "files")
    asked = {words[0] for words in (*server.commands, *empty.commands)}
    assert asked == {command for command, _ in QUESTIONS}


@pytest.mark.parametrize(
    ("name", "rows", "has"),
    [
        ("ws", [b"ws"], True),
        ("WS", [b"ws"], True),  # of a server that ignores case
        ("a b\udcff", [b"a b\xff"], True),
        ("ws", [], False),
        ("%2A", [b"other"], False),  # if a server takes it for a wildcard
        *[(wildcard, [wildcard.encode()], False) for wildcard in ("w*", "...", "%%1")],
    ],
)
def test_a_client_is_sought_by_its_name(name: str, rows: list[bytes], *, has: bool) -> None:
    query = ("clients", "-m", "1", "-e", name.encode("utf-8", "surrogateescape"))
    server = Server({query: [{"client": row} for row in rows]})
    question = Question(("client",), client=name)
    assert answers(cast("P4.P4", server), question) == {"has_client": has}


def test_files_of_a_submit_take_one_query() -> None:
    server = Server({("files",): FILES})
    answer = ask(server, "files")
    assert answer["files"][0] == ("//depot/main/a.c", "add")
    assert server.commands == [("files", "-m", "100001", "//...@=12")]


def test_opened_files_are_queried_if_the_changelist_lists_no_files() -> None:
    server = Server({("opened",): FILES})
    answer = ask(server, "files")
    assert (len(answer["files"]), answer["listed"]) == (3, 4)
    assert server.commands[1:] == [("opened", "-a", "-m", "100001", "-c", "12")]


def test_files_are_counted_up_to_one_more_than_asked_and_not_named() -> None:
    server = Server({("files",): FILES[:3]})
    question = Question(("count",), "12", most_files=2)
    assert answers(cast("P4.P4", server), question) == {"listed": 3}
    assert server.commands == [("files", "-m", "3", "//...@=12")]


SHELF, OPENED = ("files", "-m", "3", "//...@=12"), ("opened", "-a", "-m", "3", "-c", "12")


@pytest.mark.parametrize(
    ("opened", "shelf", "listed"),
    [(2, 0, 2), (2, 3, 2), (0, 3, 0), (3, 0, 0), (3, 2, 0), (3, 3, 3)],
)
def test_a_shelve_is_above_the_limit_only_if_its_opened_files_and_its_shelf_are(
    opened: int, shelf: int, listed: int
) -> None:
    server = Server({OPENED: FILES[:opened], SHELF: FILES[:shelf]})
    question = Question(("count",), "12", most_files=2, shelves=True)
    assert answers(cast("P4.P4", server), question) == {"listed": listed}


def test_files_beyond_the_limit_are_left_out() -> None:
    server = Server({("files",): FILES})
    question = Question(("files",), "12", most_files=3, most_judged=1)
    answer = answers(cast("P4.P4", server), question)
    assert answer == {"listed": 4, "judged": 1, "files": [("//depot/main/a.c", "add")]}
    assert server.commands == [("files", "-m", "4", "//...@=12")]


def test_files_beyond_the_bytes_of_an_answer_are_left_out() -> None:
    files = [{"depotFile": b"//depot/" + name, "action": b"add"} for name in (b"a", b"\xe9", b"b")]
    server = Server({("files",): files})
    for most_bytes, judged in ((8, 0), (9, 1), (62, 1), (63, 2), (72, 3)):
        question = Question(("files",), "12", most_bytes=most_bytes)
        answer = answers(cast("P4.P4", server), question)
        assert (answer["listed"], answer["judged"], len(answer["files"])) == (3, judged, judged)


def test_a_populate_without_listed_files_gives_no_files_and_directories() -> None:
    answer = ask(Server({}), "files", "directories")
    assert answer == {"listed": 0, "judged": 0, "files": [], "directories": {}}


def test_all_directories_of_a_depot_that_gets_a_new_directory_are_listed() -> None:
    query = ("dirs", b"//depot/main", b"//depot/new")
    rows = [{"dir": b"//depot/main"}, {"dir": b"//depot/old"}]
    server = Server({("files",): FILES, query: rows[:1], ("dirs", b"//depot/*"): rows})
    answer = ask(server, "files", "directories")
    assert answer["directories"] == {"depot": {"names": ["main", "old"], "all": True}}


def test_a_large_depot_or_a_depot_without_new_directories_is_not_listed_whole() -> None:
    query = ("dirs", b"//depot/main", b"//depot/new")
    server = Server({("files",): FILES, query: [{"dir": b"//depot/main"}]})
    answer = ask(server, "files", "directories", large=("depot",))
    assert answer["directories"] == {"depot": {"names": ["main"], "all": False}}
    server = Server({("files",): FILES[:1], ("dirs", b"//depot/main"): [{"dir": b"//depot/main"}]})
    answer = ask(server, "files", "directories")
    assert answer["directories"] == {"depot": {"names": ["main"], "all": False}}
    assert len(server.commands) == 2


def test_a_submit_of_many_directories_does_not_ask_about_each() -> None:
    files = [{"depotFile": b"//depot/%d/a" % number, "action": b"add"} for number in range(501)]
    rows = [{"dir": b"//depot/main"}]
    server = Server({("files",): files, ("dirs", b"//depot/*"): rows})
    answer = ask(server, "files", "directories")
    assert answer["directories"] == {"depot": {"names": ["main"], "all": True}}
    assert len(server.commands) == 2


def test_a_submit_that_adds_no_files_in_directories_makes_no_directory_query() -> None:
    server = Server({("files",): FILES[2:]})
    assert ask(server, "files", "directories")["directories"] == {}
    assert len(server.commands) == 1


def test_names_that_are_not_utf8_are_queried_as_bytes_and_answered_as_surrogates() -> None:
    file = {"depotFile": b"//depot/caf\xe9/a.c", "action": b"add"}
    query = ("dirs", b"//depot/caf\xe9")
    server = Server({("files",): [file], query: [{"dir": b"//depot/caf\xe9"}]})
    answer = ask(server, "files", "directories")
    assert answer["files"] == [("//depot/caf\udce9/a.c", "add")]
    assert answer["directories"]["depot"]["names"] == ["caf\udce9"]


class RefusedError(Exception):
    """As P4Python raises it, with the number of the server's message."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.messages = [SimpleNamespace(msgid=7 << 10 | number)]


def test_a_server_that_runs_too_many_commands_is_known_by_its_message() -> None:
    too_many, no_ticket = 637, 21  # msgs/msgserver.cc
    causes = [RefusedError(too_many), RefusedError(no_ticket), ValueError(), None]
    assert [is_of_load(cause) for cause in causes] == [True, False, False, False]


def test_the_program_imports_nothing_that_only_a_failure_needs() -> None:
    """A submit waits for its imports; each of these takes about a millisecond."""
    code = (
        "import sys, P4; others = {*sys.modules}; import p4warden.server.answers; "
        "print(*{*sys.modules} - others)"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], stdout=subprocess.PIPE, check=True)
    dear = {"ipaddress", "pathlib", "shlex", "urllib.parse", "yaml", "p4warden.core.records"}
    assert not dear & {*done.stdout.decode().split()}
