"""Judge an event whose trigger line a user-chosen name broke apart (see `worker.arguments`).

A broken line is not a failure of p4warden, so it is judged: enforced rules refuse the event (but
not the display of a form), others observe it. Of the values chosen by users only the certain ones
are known, and no rate counts the event.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.records import Finding

if TYPE_CHECKING:
    from p4warden.core.records import Event

LOG_NAME = "(tampered line)"
"""User name under which the log lists all events with a broken trigger line; the real
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
_PROBLEM = (
    "contains a quotation mark (which may not be visible here), a control character, or a word "
    "such as --args="
)
_ADVICE = "Use a name without them."
_ADVICE_ON_DIRECTORY = "Run the command in a directory whose path contains none of them."
_UNKNOWN = (
    "is a quotation mark, a control character, or a word such as --args= in your user name, your "
    "client name, your program's name, or the arguments of your command"
)


def finding(event: Event) -> Finding:
    """Return the finding that a value chosen by the user broke an event's trigger line apart."""
    if event.broken is None:
        return Finding("", "There", _UNKNOWN, None, None, ("Remove it.",))
    option, value = event.broken
    place = _PLACES.get(option, f"Your {event.type} name")
    advice = _ADVICE_ON_DIRECTORY if option == "cwd" else _ADVICE
    return Finding(value, place, _PROBLEM, None, None, (advice,))
