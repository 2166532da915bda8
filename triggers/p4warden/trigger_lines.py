"""The trigger lines that a policy needs.

p4d expands `%variables%` and then splits words, so each option is quoted as a whole: an empty
value leaves `--client=`, a value with blanks stays in its word. What p4d says itself comes before
what users choose; `arguments` relies on that order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.engine import watched
from p4warden.errors import P4WardenError
from p4warden.table import PREFIX, TriggerLine

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy

_FORM_OPTIONS = (
    "--form=%formfile%",
    "--user=%user%",
    "--ip=%clientip%",
    "--groups=%groups%",
    "--client=%client%",
    "--name=%formname%",
    "--prog=%clientprog%",
)


class Installation(NamedTuple):
    """Where p4warden stands on the server's host.

    Attributes:
        program: the words that start a form trigger: an absolute path and its fixed arguments.
        home: the home folder.
        triggers_io: whether the server's `triggers.io` is 1.
    """

    program: tuple[str, ...]
    home: str
    triggers_io: bool = False


def wanted(policy: Policy, installation: Installation) -> tuple[TriggerLine, ...]:
    """Return the lines that the policy needs, in the order of its rules.

    Raises:
        P4WardenError: a path holds a character that a trigger line cannot carry.
    """
    events = dict.fromkeys(event for rule in policy.rules for event in watched(rule))
    return tuple(
        TriggerLine(
            f"{PREFIX}{event}.{form_type}",
            event,
            form_type,
            _command(event, form_type, policy.on_error, installation),
        )
        for event, form_type in events
    )


def _command(event: str, form_type: str, on_error: str, installation: Installation) -> str:
    fixed = (
        f"--home={_literal(installation.home)}",
        f"--on-error={on_error}",
        *(("--triggers-io=1",) if installation.triggers_io else ()),
        f"--type={form_type}",
    )
    words = [_word(_literal(word)) for word in installation.program]
    options = [f"%quote%{option}%quote%" for option in fixed + _FORM_OPTIONS]
    return " ".join([*words, event, *options])


def _word(text: str) -> str:
    return f"%quote%{text}%quote%" if " " in text or "\t" in text else text


def _literal(path: str) -> str:
    """Return a path as p4d's expansion leaves it; a quote or line end could not be carried."""
    if any(character in path for character in '"\n\r#'):
        raise P4WardenError(
            f"{path!r}: a trigger line cannot name this; install p4warden elsewhere"
        )
    return path.replace("%", "%%")
