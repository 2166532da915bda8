"""The options of a trigger line of form 2: their names, their order, and those of each event.

The order is what makes a line safe to read (see `worker.arguments`): ours and the server's first,
then those whose values users choose, then the arguments of a command, then a constant end. A line
has all options of its event, empty where no rule needs them, so each word is known beforehand.
"""

FORM = "2"
"""The form that new lines have; lines of form 1 have no `--line=`."""

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
"""Those that p4warden writes itself, and those whose values the server chooses."""

USERS = ("user", "client", "name", "version", "prog", "cwd")
"""Those whose values users choose, the text of a command's arguments apart."""

ARGS, END = "args", "end"
END_VALUE = "."
ORDER = (*SERVERS, *USERS, ARGS, END)

MAY_BE_ABSENT = ("pressure-cpu", "pressure-mem")
"""A server older than 2023.1 does not know their variables, and may drop the words."""

_FIXED = {"line", "home", "on-error", "triggers-io", "ip", "groups", "user", "client", "prog"}
_FORM = _FIXED | {"type", "form", "name", END}
_SUBMIT = _FIXED | {"change", END}
_COMMAND = _FIXED | {"command", *MAY_BE_ABSENT, "version", "cwd", ARGS, END}


def options_of(event: str) -> tuple[str, ...]:
    """Return the names of an event's options, in the order of their words."""
    known = _COMMAND if event == "command" else _SUBMIT if event == "change-submit" else _FORM
    return tuple(name for name in ORDER if name in known)
