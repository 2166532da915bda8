"""The options of a trigger line, in an order that makes the line safe to read.

First those written by p4warden and by the server, then those with values that users choose, then
the arguments of a command, then a constant end (see `worker.arguments`). A line has all options
of its event, needed or not.
"""

FORM = "2"
"""Start of the value of `--line=` in new trigger lines; lines of format 1 lack the option."""

DIGEST_DIGITS = 8
"""In `--line=2.DIGEST`, which shows whether a connection still uses an older table."""

SERVERS = (
    "line",
    "home",
    "on-error",
    "triggers-io",
    "type",
    "form",
    "ip",
    "groups",
    "command",
    "change",
    "pressure-cpu",
    "pressure-mem",
)
"""Options whose values p4warden writes itself or the server chooses."""

USERS = ("user", "client", "name", "version", "prog", "cwd")
"""Options whose values users choose, except for a command's arguments."""

ARGS, END = "args", "end"
END_VALUE = "."
ORDER = (*SERVERS, *USERS, ARGS, END)

MAY_BE_ABSENT = ("pressure-cpu", "pressure-mem")
"""Options with variables unknown to servers older than 2023.1, which may drop the words."""

_FIXED = {"line", "home", "on-error", "triggers-io", "ip", "groups", "user", "client", "prog"}
_FORM = _FIXED | {"type", "form", "name", END}
_SUBMIT = _FIXED | {"change", END}
_COMMAND = _FIXED | {"command", *MAY_BE_ABSENT, "version", "cwd", ARGS, END}


def options_of(event: str) -> tuple[str, ...]:
    """Return an event's options in the order of the trigger line."""
    names = _COMMAND if event == "command" else _SUBMIT if event == "change-submit" else _FORM
    return tuple(name for name in ORDER if name in names)
