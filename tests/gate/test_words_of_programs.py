"""Tests that a user's program changes the words of a refusal, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from gate.program import rate, rule
from support.judged import judging_by

NOW_S = 1_800_000_000
PROGRAMS = (
    "p4",
    "Helix P4V/NTX64/2023.3/2495381",
    "P4V/NTX64/2025.1/2706285",
    "P4VS",
    "UnrealGameSync",
    "UE",
    "",
)
FACTS = {
    "limit_view": True,
    "depots": {
        "depot": {"type": "local", "directories": ["art", "main"]},
        "streams": {
            "type": "stream",
            "directories": ["main"],
            "streams": ["//streams/main", "//streams/dev"],
        },
    },
}
VIEWS = {"name": "views", "rule": "limit_view_scope", "mode": "enforce"}
POLLING = rule(rate("user"))


def client(*view: str) -> dict[str, Any]:
    lines = "".join(f"\t{line}\n" for line in view)
    return {
        "event": "form-save",
        "type": "client",
        "name": "ws",
        "user": "ann",
        "form": f"Client:\tws\nView:\n{lines}",
        "facts": FACTS,
    }


EVENTS = {
    "a whole stream depot": client("//streams/... //ws/..."),
    "a whole local depot": client("//depot/... //ws/..."),
    "both": client("//streams/... //ws/s/...", "//depot/... //ws/d/..."),
    "a narrow view": client("//depot/main/... //ws/..."),
    "polling": {"event": "command", "command": "fstat", "user": "ann", "args": ["//depot/a"]},
}


def answer(event: dict[str, Any], prog: str | None) -> dict[str, Any]:
    with judging_by({"rules": [VIEWS, POLLING]}, flags=("texts",)) as judge:
        program = {} if prog is None else {"prog": prog}
        asked = {**event, **program, "time": NOW_S, "repeat": 2 if "command" in event else 1}
        return judge.ask(asked)


@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)
def test_a_program_changes_no_verdict(event: dict[str, Any]) -> None:
    expected = answer(event, None)
    for prog in PROGRAMS:
        found = answer(event, prog)
        for key in ("verdict", "rule", "value", "summary", "detail", "retry_after_s"):
            assert found[key] == expected[key], (prog, key)
        kept = ("rule", "verdict", "item", "place", "problem", "value", "limit")
        for one, other in zip(found["findings"], expected["findings"], strict=True):
            assert {key: one[key] for key in kept} == {key: other[key] for key in kept}


def text(event: str, prog: str) -> str:
    return str(answer(EVENTS[event], prog)["text"])


def test_p4v_gets_its_menus_and_other_programs_get_commands() -> None:
    wide = "a whole stream depot"
    assert "\n  In P4V: right-click //streams/main in the Streams tab, " in text(wide, "Helix P4V")
    assert "p4 client -S" not in text(wide, "Helix P4V")
    for other in ("p4", "P4VS", "UnrealGameSync"):
        assert "\n  p4 client -S //streams/main NAME\n" in text(wide, other)
        assert "In P4V" not in text(wide, other)


def test_a_view_is_edited_where_the_program_has_it() -> None:
    wide = "a whole local depot"
    assert "\nIn P4V: View > Workspaces, right-click the workspace, " in text(wide, "P4V/NTX64")
    assert "\nIn Visual Studio: View > Workspaces, right-click " in text(wide, "P4VS")
    assert "View > Workspaces" not in text(wide, "p4")


def test_polling_is_slowed_down_where_the_program_has_it() -> None:
    assert '\nIn P4V: Edit > Preferences (on a Mac: P4V > Preferences), Server Data, raise "' in (
        text("polling", "Helix P4V")
    )
    assert "\nIn P4VS: its preferences, Helix Core - Data Retrieval, raise " in (
        text("polling", "P4VS")
    )
    assert "preferences" not in text("polling", "UnrealGameSync").lower()
