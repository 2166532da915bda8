"""Tests of converting a p4 command as a user types it into the event of a trigger line."""

from __future__ import annotations

from typing import Any

import pytest

from p4warden.asking.judge import EventError
from p4warden.rehearse.typed_command import event_of


@pytest.mark.parametrize(
    ("line", "event"),
    [
        ("p4 files //depot/...", {"command": "files", "args": ["//depot/..."]}),
        ("files //depot/...", {"command": "files", "args": ["//depot/..."]}),
        ("/usr/bin/p4 info", {"command": "info", "args": []}),
        (
            "p4 -u ann -c ws files -m1 //depot/...",
            {"user": "ann", "client": "ws", "command": "files", "args": ["-m1", "//depot/..."]},
        ),
        (
            "p4 -d /home/ann/ws files ...",
            {"clientcwd": "/home/ann/ws", "command": "files", "args": ["..."]},
        ),
        ("p4 -uann -ztag -p ssl:1666 fstat x", {"user": "ann", "command": "fstat", "args": ["x"]}),
        ("p4 -G -s -F %depotFile% files x", {"command": "files", "args": ["x"]}),
        ('p4 fstat "//depot/a b/..."', {"command": "fstat", "args": ["//depot/a b/..."]}),
        ("p4 changes -u bob", {"command": "changes", "args": ["-u", "bob"]}),
    ],
)
def test_a_typed_p4_command_is_converted_to_its_event(line: str, event: dict[str, Any]) -> None:
    assert event_of(line) == {"event": "command", **event}


@pytest.mark.parametrize("line", ["", "p4", "p4 -u ann", "p4 -u", 'p4 files "//depot'])
def test_a_typed_line_without_a_complete_command_is_an_error(line: str) -> None:
    with pytest.raises(EventError):
        event_of(line)
