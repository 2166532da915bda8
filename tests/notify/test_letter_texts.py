"""Tests of the whole text of letters."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml

from p4warden.workbench.notify import ended_letters, letters
from p4warden.workbench.notify.letters import Wording

DOCUMENT = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "letters" / "letters.yaml").read_text()
)
WORDING = Wording("perforce:1666", "2027-03-31", "admins@example.com")
OPENING = """\
Hello ann,

From 2027-03-31 on, perforce:1666 will refuse to save clients, branches and other specs that slow \
it down. Please change {} of yours before that day:

"""
CLOSING = "\nQuestions: admins@example.com\n"


def letter(census: list[dict[str, Any]], rightsize: list[dict[str, Any]]) -> tuple[str, str]:
    rows = (json.dumps({**DOCUMENT["client"], **row}) for row in census)
    enough = letters.proposals(map(json.dumps, rightsize), "rightsize")
    [(owner, specs)] = letters.objections(rows, "census").items()
    one = letters.letter(owner, specs, enough, WORDING)
    return one.subject, one.text


@pytest.mark.parametrize("case", DOCUMENT["cases"], ids=lambda case: case["name"])
def test_a_letter_has_the_text_of_its_case(case: dict[str, Any]) -> None:
    subject, text = letter(case["census"], case.get("rightsize", []))
    assert text == OPENING.format("this spec") + case["specs"] + CLOSING
    assert subject == "Please change 1 Perforce spec by 2027-03-31"


def test_a_letter_about_many_specs_shows_fifty_and_counts_the_others() -> None:
    subject, text = letter([{"name": f"ws{number}", "fix": None} for number in range(52)], [])
    assert subject == "Please change 52 Perforce specs by 2027-03-31"
    assert text.startswith(OPENING.format("these 52 specs") + "client ws0\n  View line 1 ")
    assert text.endswith(
        "client ws49\n  View line 1 (//depot/... //ws/...) maps all of //depot\n\n"
        "And 2 more: ask for the list.\n" + CLOSING
    )


@pytest.mark.parametrize(
    ("more", "command"),
    [({}, "p4 sync"), ({"client": "ann-ws"}, "p4 sync (client ann-ws)")],
)
def test_the_letter_about_an_ended_command(more: dict[str, Any], command: str) -> None:
    detail = "sync ran for 31 min; at most 30 min are allowed"
    record = {
        "user": "ann",
        "command": "sync",
        "rule": "long",
        "detail": detail,
        "time": 1,
        **more,
    }
    one = ended_letters.letter("ann", record, WORDING, lambda _: "2027-03-01 9:00")
    assert one.subject == "Your command p4 sync was ended"
    assert one.text == textwrap.dedent(f"""\
        Hello ann,

        On 2027-03-01 9:00, perforce:1666 ended your command {command}:

        sync ran for 31 min; at most 30 min are allowed (rule long).

        Try it on fewer files at a time; if you need all at once, ask below.

        Questions: admins@example.com
        """)
