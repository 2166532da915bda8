"""Test that 10,000 ordinary commands and forms are judged as before, by the committed verdicts.

`tests/support/make_ordinary.py` made them; review each difference before it is written anew.
"""

from __future__ import annotations

from support import make_ordinary


def test_ordinary_commands_and_forms_are_judged_as_before() -> None:
    judged = make_ordinary.judged()
    assert len(judged) == make_ordinary.COMMANDS + make_ordinary.FORMS
    now = make_ordinary.verdicts(one["event"] for one in judged)
    assert [
        (one, verdict)
        for one, verdict in zip(judged, now, strict=True)
        if verdict != one["verdict"]
    ] == []
