from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import SUPER
from p4warden.prove.experiments.fact_values import of_steps
from p4warden.prove.server_log import await_tracking_lines

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

FILES, DOUBLINGS = 20, 9
"""20 files doubled nine times give, with the intermediate copies, 20,460 files."""

_WIDE, _NARROW = "prove-wide", "prove-narrow"
_ROWS = re.compile(rb"rows get\+pos\+scan put\+del (\d+)\+(\d+)\+(\d+)")
BOUNDED_SHARE = 10
"""A limited command is bounded if the unlimited one reads more than this many times as many."""

_TOP = "//depot/prove/rows"
COMMANDS: dict[str, tuple[str, ...]] = {
    "files-wide": ("files", f"{_TOP}/..."),
    "changes-wide": ("changes", f"{_TOP}/..."),
    "changes-m1": ("changes", "-m1", f"{_TOP}/..."),
    "files-change": ("files", f"{_TOP}/...@=CHANGE"),
    "files-changes": ("files", f"{_TOP}/...@CHANGE,CHANGE"),
    "fstat-m1": ("fstat", "-m1", f"{_TOP}/..."),
    "fstat-filter": ("fstat", "-F", "headType=nothing", f"{_TOP}/..."),
}
_BOUNDED = {
    "changes-m1": "changes-wide",
    "files-change": "files-wide",
    "files-changes": "files-wide",
    "fstat-m1": "files-wide",
    "fstat-filter": "files-wide",
    "sync-narrow": "sync-wide",
}
"""Steps with a limited command, each with that of the command without limit."""


def run(lab: Lab) -> None:
    """Run commands with performance tracking on many files."""
    lab.save_client(_WIDE, f"//depot/... //{_WIDE}/...")
    lab.save_client(_NARROW, f"{_TOP}/0/... //{_NARROW}/...")
    lab.submit(_WIDE, *(f"prove/rows/0/{number}.txt" for number in range(FILES)))
    change = str(lab.must("changes", "-m1", "-ssubmitted")[0]["change"])
    for number in range(DOUBLINGS):
        # Depot folder N + 1 is a copy of all folders up to N, so the number of files doubles.
        lab.must("populate", f"{_TOP}/...", f"//depot/prove/made{number}/...", p4=lab.connect())
        source = f"//depot/prove/made{number}/..."
        lab.must("populate", source, f"{_TOP}/{number + 1}/...", p4=lab.connect())
    for name, command in COMMANDS.items():
        _tracked(lab, name, _WIDE, *(word.replace("CHANGE", change) for word in command))
    _tracked(lab, "sync-wide", _WIDE, "sync", "-n")
    _tracked(lab, "sync-narrow", _NARROW, "sync", "-n")


def _tracked(lab: Lab, name: str, client: str, *command: str) -> None:
    """Record errors and tracking output; without numbers of rows, also that in p4d's log."""
    program = f"prove-{name}"
    p4 = lab.connect(SUPER, client, program, track=True)
    p4.run(*command)
    output = [str(line).encode() for line in [*p4.errors, *p4.track_output]]
    p4.disconnect()
    in_log = () if any(map(_ROWS.search, output)) else await_tracking_lines(lab.place.log, program)
    lab.note(name, *output, *in_log)


def _bounded(step: Step, wide: Step) -> str | None:
    read_rows, all_rows = _rows(step), _rows(wide)
    if read_rows is None or all_rows is None:
        return None
    return "bounded" if read_rows * BOUNDED_SHARE < all_rows else "unbounded"


def _rows(step: Step) -> int | None:
    """From all tables; None without tracking output."""
    counts = _ROWS.findall(step.output)
    return sum(int(number) for row in counts for number in row) if counts else None


VALUES = {name: of_steps(_bounded, name, wide) for name, wide in _BOUNDED.items()}
