from __future__ import annotations

from p4warden.table.judged_events import command_names
from p4warden.table.trigger_lines import AFTER, digest_in, passes_arguments
from p4warden.table.triggers_table import line_in

_SUBJECTS = {
    "form-save": "each {} form that is saved",
    "form-out": "each {} form that is shown",
    "change-submit": "each submit",
    "shelve-submit": "each shelved changelist",
}


def subject_of(row: str) -> str | None:
    """Return what a line of p4warden in a triggers table is about; None for any other row."""
    line = line_in(row) if digest_in([row]) else None
    if line is None:
        return None
    if line.type != "command":
        return _SUBJECTS.get(line.type, line.type).format(line.path)
    names = ", ".join(command_names(line.path))
    if line.path.startswith(AFTER):
        return f"{names}, when they have ended"
    return f"{names}{', with their arguments' if passes_arguments(row) else ''}"
