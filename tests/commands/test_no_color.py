"""Tests that p4warden prints colours on a terminal, and none if NO_COLOR is set (no-color.org)."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

SCRIPT = """
from p4warden.commands.deploy.plan_output import show
from p4warden.reports import terminal
from p4warden.reports.rows import Table
from p4warden.table.merge import Plan
show(Plan("Triggers:\\n", "Triggers:\\n\\tx form-save client /bin/true\\n"), full=True)
terminal.show(["1 file read"], [Table("t", "Title", "Note", ("A",), [("1",)], frozenset())])
"""
_COLOUR = re.compile(rb"\x1b\[[0-9;]*\b(?:3[0-7]|9[0-7]|38;|48;)")


def on_a_terminal(**settings: str) -> bytes:
    """Run the Python script `SCRIPT` on a pseudo-terminal; return the bytes that it prints."""
    near_end, far_end = pty.openpty()
    present = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        stdin=far_end,
        stdout=far_end,
        stderr=far_end,
        env={**present, "TERM": "xterm-256color", **settings},
    ):
        os.close(far_end)
        text = b""
        while True:
            try:
                content = os.read(near_end, 65536)
            # reading fails once the script has closed its end of the pseudo-terminal
            except OSError:
                break
            if not content:
                break
            text += content
    os.close(near_end)
    return text


@pytest.mark.parametrize(("settings", "has_colours"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_are_printed_on_a_terminal_unless_no_color_is_set(
    settings: dict[str, str], *, has_colours: bool
) -> None:
    text = on_a_terminal(**settings)
    assert b"Trigger lines: " in text
    assert (_COLOUR.search(text) is not None) is has_colours
