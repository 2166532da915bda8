"""Judge an event whose trigger line a user-chosen name broke apart (see `worker.arguments`).

A broken line is not a failure of p4warden, so it is judged: enforced rules refuse the event (but
not the display of a form), others observe it. Of the values chosen by users only the certain ones
are known, and no rate counts the event.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.records import Finding
from p4warden.core.trigger_options import ORDER

if TYPE_CHECKING:
    from p4warden.core.records import Event

LOG_NAME = "(tampered line)"
"""User name under which the decision log lists all events with a broken trigger line; the real
name could differ each time.
"""

SUMMARY = "a name breaks the trigger line apart"

_PLACES = {
    "user": "Your user name",
    "client": "Your client name",
    "prog": "Your program's name",
    "version": "The version of your program",
    "cwd": "The path of your current directory",
}
_ADVICE = {
    "user": "Ask the contact below to rename your user.",
    "client": "Create a client with another name.",
    "prog": "Give the program another name, or use another program.",
    "version": "Give the program another version, or use another program.",
    "cwd": "Run the command in another directory.",
}
_PROBLEM = "cannot be used on this server, because it contains"
_OPTION = "text that looks like an option of p4warden (such as --args=)"
_UNKNOWN = (
    f"is a quotation mark, a control character, or {_OPTION} in your user name, your client name, "
    "your program's name, or the arguments of your command"
)


def finding(event: Event) -> Finding:
    """Return the finding that a value chosen by the user broke an event's trigger line apart."""
    if event.broken_name is None:
        return Finding("", "There", _UNKNOWN, None, None, ("Remove it.",))
    option, value = event.broken_name
    place = _PLACES.get(option, f"Your {event.type} name")
    advice = _ADVICE.get(option, "Choose another name.")
    return Finding(value, place, f"{_PROBLEM} {_cause(value)}", None, None, (advice,))


def _cause(value: str) -> str:
    """Return words for the part of a value that broke a trigger line apart.

    All three possibilities, unless the value shows which one it is: p4d removes quotation marks
    when it splits the line.
    """
    if '"' in value:
        return "a quotation mark"
    if any(f"--{name}=" in value for name in ORDER):
        return _OPTION
    return f"a quotation mark (perhaps not shown here), a control character, or {_OPTION}"
