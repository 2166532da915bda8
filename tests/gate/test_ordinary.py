"""Test that 10,000 ordinary commands and forms are judged as before, by the committed verdicts.

`tests/support/make_ordinary.py` made them; review each difference before it is written anew.
"""

from __future__ import annotations

from support import make_ordinary


def test_ordinary_commands_and_forms_are_judged_as_before() -> None:
    events = make_ordinary.text()
    before = make_ordinary.VERDICTS.read_text("utf-8").splitlines()
    now = make_ordinary.verdicts(events).splitlines()
    assert len(before) == make_ordinary.COMMANDS + make_ordinary.FORMS
    different = [
        (event, old, new)
        for event, old, new in zip(events.splitlines(), before, now, strict=True)
        if old != new
    ]
    assert different == []
