"""What users do that trigger lines judge, in words for people who do not know the lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden.core.plural import listed
from p4warden.table.trigger_lines import AFTER
from p4warden.table.triggers_table import line_in

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_COMMANDS = 6
_OF_FORMS = {"form-save": "save", "form-out": "form shown"}
_OF_CHANGES = {"change-submit": "every submit", "shelve-submit": "every shelve"}
_ANSWERS = {"deny": "refuses", "allow": "allows"}
_COMMANDS = re.compile(r"(?:pre|post)-user-\(?(.+?)\)?\$")


def in_words(rows: Iterable[str]) -> str:
    """Return the events of p4warden's rows, such as `every save of a client and every fstat`."""
    lines = [line for row in rows if (line := line_in(row))]
    parts = []
    for event, what in _OF_FORMS.items():
        if forms := [line.path for line in lines if line.type == event]:
            parts.append(f"every {what} of a {listed(forms, 'or')}")
    parts += [what for event, what in _OF_CHANGES.items() if any(x.type == event for x in lines)]
    if names := [
        name for line in lines if line.type == "command" for name in command_names(line.path)
    ]:
        parts.append(f"every {listed(shortened(names), 'or')}")
    return listed(parts or ["every event"])


def declared_answers(rows: Iterable[str]) -> str:
    """Return what p4d does with the events of p4warden's rows that get their declared answer."""
    by_answer: dict[str, list[str]] = {answer: [] for answer in _ANSWERS}
    for row in rows:
        if (line := line_in(row)) and line.path.startswith(AFTER):
            continue  # The command itself is told.
        by_answer["deny" if denies(row) else "allow"].append(row)
    return listed(
        [
            f"p4d {_ANSWERS[answer]} {in_words(own)} (on_error: {answer})"
            for answer, own in by_answer.items()
            if own
        ]
    )


def denies(row: str) -> bool:
    """Tell whether a row of p4warden declares that p4d refuses if p4warden fails."""
    return "--on-error=deny%quote%" in row


def command_names(path: str) -> list[str]:
    """Return the names in the path of a line about commands; the path itself if it has none."""
    match = _COMMANDS.fullmatch(path)
    return match[1].split("|") if match else [path]


def shortened(names: list[str]) -> list[str]:
    """Return the names of commands, of many the first ones and the number of the others."""
    if len(names) <= _MOST_COMMANDS:
        return names
    return [*names[: _MOST_COMMANDS - 1], f"{len(names) - _MOST_COMMANDS + 1} more commands"]
