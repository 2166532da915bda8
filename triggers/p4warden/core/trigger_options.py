"""The options of a trigger line, in an order that makes the line safe to read.

First those written by p4warden and by the server, then those with values that users choose, then
the arguments of a command, then a constant end (see the gate's `event/arguments.rs`). A line has
all options of its event, needed or not.
"""

FORM = "1"
"""Number of this layout, with which the value of `--line=` begins."""

DIGEST_DIGITS = 8
"""Number of hexadecimal digits of the digest in a trigger line's `--line=FORM.DIGEST`, that of all
p4warden lines written together: it shows whether a connection still uses an older triggers table.
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
    "server",
    "services",
    "pressure-cpu",
    "pressure-mem",
)
"""Options whose values p4warden writes itself or the server chooses."""

USERS = ("user", "client", "name", "version", "prog", "cwd")
"""Options whose values users choose, except for a command's arguments."""

ARGS, END = "args", "end"
END_VALUE = "."
ORDER = (*SERVERS, *USERS, ARGS, END)

OF_P4WARDEN = {"line", "home", "on-error", "triggers-io"}
_FIXED = OF_P4WARDEN | {"ip", "groups", "server", "services", "user", "client", "prog"}
_FORM = _FIXED | {"type", "form", "name", END}
_SUBMIT = _FIXED | {"change", END}
_COMMAND = _FIXED | {"command", "pressure-cpu", "pressure-mem", "version", "cwd", ARGS, END}
COMMAND_END = "command-end"
"""The event of a line for commands that have ended."""
_LINES = {
    "command": _COMMAND,
    COMMAND_END: OF_P4WARDEN | {END},
    "change-submit": _SUBMIT,
    "shelve-submit": _SUBMIT,
}


def options_of(event: str) -> tuple[str, ...]:
    """Return an event's options in the order of the trigger line."""
    names = _LINES.get(event, _FORM)
    return tuple(name for name in ORDER if name in names)


def words_of(event: str, values: dict[str, str]) -> list[str]:
    """Return the words that p4d passes from a trigger line; an option not given is empty."""
    given = {"line": FORM, END: END_VALUE} | values
    return [event, *(f"--{name}={given.get(name, '')}" for name in options_of(event))]
