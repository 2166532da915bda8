"""Tests that a line proposed for a long path moves no file, by the vendor's map."""

from __future__ import annotations

from typing import Any

import pytest
from P4 import Map

from support.judged import judging_by

RULE = {"name": "short", "rule": "limit_path_length", "mode": "enforce", "max_leading": 40}
LONG = "//depot/com/our-company/epiphany-project/src/"


def asked(*view: str, **settings: Any) -> dict[str, Any]:
    form = "Client:\tws\nView:\n" + "".join(f"\t{line}\n" for line in view)
    event = {"event": "form-save", "type": "client", "name": "ws", "form": form}
    with judging_by({"rules": [RULE | settings]}) as judge:
        return judge.ask(event | {"time": 1_800_000_000, "facts": {}})


@pytest.mark.parametrize(
    "right",
    [
        "//ws/com/our-company/epiphany-project/src/...",
        "//ws/code/epiphany-project/src/...",
        "//ws/a/b/c/our-company/epiphany-project/src/...",
        "//ws/src/...",
        "//ws/...",
        "//ws/other/...",
        "//ws/project/src/...",
    ],
)
def test_a_proposed_line_is_accepted_and_moves_no_file(right: str) -> None:
    old = f"{LONG}... {right}"
    fix = asked(old)["fix"]
    proposed = fix.splitlines() if fix else []
    has_same_directories = right.endswith("/epiphany-project/src/...")
    assert len(proposed) == has_same_directories
    for line in proposed:
        assert asked(line)["verdict"] == "allow"
        for file in (f"{LONG}Main.java", f"{LONG}a/b.c"):
            assert Map(line).translate(file) == Map(old).translate(file) is not None


def test_with_remap_files_may_move() -> None:
    fix = asked(f"{LONG}... //ws/src/...", remap=True)["fix"]
    assert asked(fix)["verdict"] == "allow"
    assert Map(fix).translate(f"{LONG}Main.java") is not None
