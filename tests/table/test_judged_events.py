"""Tests of the words for the events of trigger lines."""

from __future__ import annotations

import pytest

from p4warden.table.judged_events import declared_answers, in_words

COMMANDS = "pre-user-(fstat|files|dirs|print|sync|have|opened)$"


def row(event: str, path: str, answer: str = "deny") -> str:
    return f'\tp4warden.{event} {event} {path} "/gate {event} %quote%--on-error={answer}%quote%"\n'


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([row("form-save", "client")], "every save of a client"),
        (
            [row("form-save", name) for name in ("client", "stream", "branch")],
            "every save of a client, stream or branch",
        ),
        (
            [row("form-out", "client"), row("form-save", "depot")],
            "every save of a depot and every form shown of a client",
        ),
        (
            [row("shelve-submit", "//..."), row("change-submit", "//...")],
            "every submit and every shelve",
        ),
        ([row("command", "pre-user-fstat$")], "every fstat"),
        ([row("command", "pre-user-(fstat|files)$")], "every fstat or files"),
        (
            [row("change-submit", "//..."), row("command", COMMANDS)],
            "every submit and every fstat, files, dirs, print, sync or 2 more commands",
        ),
        (["\tp4warden.odd\n"], "every event"),
    ],
)
def test_the_events_of_rows_are_told_in_words(rows: list[str], words: str) -> None:
    assert in_words(rows) == words


def test_each_answer_is_told_with_its_events() -> None:
    rows = [row("form-save", "client", "allow"), row("command", "pre-user-fstat$")]
    rows.append(row("command", "post-user-fstat$", "allow"))
    assert declared_answers(rows) == (
        "p4d refuses every fstat (on_error: deny) and "
        "p4d allows every save of a client (on_error: allow)"
    )
