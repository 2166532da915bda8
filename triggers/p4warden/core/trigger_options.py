"""Names and order of the options in a trigger line (`--line=2`), by the event of the trigger.

The order makes a line safe to read (see `worker.arguments`): first the options written by p4warden
and by the server, then those with values that users choose, then the arguments of a command, then
a constant end. A line has all options of its event, even those that no rule needs, so their order
is known in advance.
"""

FORM = "2"
"""Version of the format of new trigger lines, with which the value of `--line=` begins; lines of
format 1 lack the option.
"""

DIGEST_DIGITS = 8
"""Number of hexadecimal digits of the digest in a trigger line's `--line=2.DIGEST`. It
is the digest of all p4warden lines written together, and shows whether a connection
still uses an older triggers table.
"""

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
"""Options of a trigger line that p4warden writes itself or whose values the server chooses."""

USERS = ("user", "client", "name", "version", "prog", "cwd")
"""Options of a trigger line whose values users choose, except for a command's arguments."""

ARGS, END = "args", "end"
END_VALUE = "."
ORDER = (*SERVERS, *USERS, ARGS, END)

MAY_BE_ABSENT = ("pressure-cpu", "pressure-mem")
"""Options of a trigger line with variables unknown to servers older than 2023.1; such a
server may drop their words.
"""

_FIXED = {"line", "home", "on-error", "triggers-io", "ip", "groups", "user", "client", "prog"}
_FORM = _FIXED | {"type", "form", "name", END}
_SUBMIT = _FIXED | {"change", END}
_COMMAND = _FIXED | {"command", *MAY_BE_ABSENT, "version", "cwd", ARGS, END}


def options_of(event: str) -> tuple[str, ...]:
    """Return the names of an event's options, in the order of the trigger line."""
    names = _COMMAND if event == "command" else _SUBMIT if event == "change-submit" else _FORM
    return tuple(name for name in ORDER if name in names)
