"""Build the trigger lines that a policy needs, in the form that `core.trigger_options` describes.

p4d expands `%variables%` and then splits words, so each option is quoted as a whole: an empty
value leaves `--client=`, a value with blanks stays in its word.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.core.trigger_options import (
    ARGS,
    COMMAND_END,
    DIGEST_DIGITS,
    END,
    END_VALUE,
    FORM,
    options_of,
)
from p4warden.policy.compiled import rule_lines
from p4warden.table.merge import Owner
from p4warden.table.triggers_table import TriggerLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from p4warden.asking.policy_lines import RuleLines
    from p4warden.policy.compiled import Policy

_VARIABLES = {
    "form": "%formfile%",
    "ip": "%clientip%",
    "groups": "%groups%",
    "command": "%command%",
    "change": "%changelist%",
    "server": "%serverid%",
    "services": "%serverservices%",
    "pressure-cpu": "%pressureCPU%",
    "pressure-mem": "%pressureMem%",
    "user": "%user%",
    "client": "%client%",
    "name": "%formname%",
    "version": "%clientversion%",
    "prog": "%clientprog%",
    "cwd": "%clientcwd%",
    # The blank after `%args%` distinguishes a command without arguments from a trigger line that
    # does not pass arguments.
    "args": "%args% ",
}

_OPTIONS_ON_DEMAND = {"pressure-cpu", "pressure-mem", "version", "cwd", ARGS}
"""Options of a trigger line that have a value only if a rule needs it: p4d cannot start a trigger
with an argument of over 128 KiB, and an empty option costs nothing."""


_COUNTS_AT_ONCE = "limit_concurrent_commands"
"""The kind of rule that wants to know when a command ends."""
AFTER = "post-user-"
"""Begins the path of a line for commands that have ended; p4d has such lines, like those before a
command, since 2014.1 (release notes, 18584)."""

_DIGEST = re.compile(rf"%quote%--line={FORM}\.([0-9a-f]{{{DIGEST_DIGITS}}})%quote%")


class Installation(NamedTuple):
    """The paths and settings of a p4warden installation that its trigger lines contain.

    Attributes:
        instance: the name that distinguishes this installation from another one on the same
            server, or "".
    """

    gate: str
    home: str
    triggers_io: bool = False
    instance: str = ""

    @property
    def owner(self) -> Owner:
        """The name prefix and home folder that mark the installation's trigger lines."""
        prefix = f"p4warden-{self.instance}." if self.instance else "p4warden."
        return Owner(prefix, _literal(self.home))


def lines_for(policy: Policy, installation: Installation) -> tuple[TriggerLine, ...]:
    """Return the trigger lines that a policy needs; the line for p4 commands is the last.

    Each line contains a digest of all of them, which distinguishes this set of lines from others.

    Raises:
        P4WardenError: a path has a character that a trigger line cannot contain.
    """
    lines = _lines(policy, installation)
    texts = "".join(line.text() for line in lines)
    digest = hashlib.sha256(texts.encode()).hexdigest()[:DIGEST_DIGITS]
    form_alone, form_with_digest = f"--line={FORM}%quote%", f"--line={FORM}.{digest}%quote%"
    return tuple(
        line._replace(command=line.command.replace(form_alone, form_with_digest, 1))
        for line in lines
    )


def digest_in(rows: Iterable[str]) -> str | None:
    """Return the digest in an installation's trigger lines; None if they have no digest."""
    matches = (_DIGEST.search(row) for row in rows)
    return next((match[1] for match in matches if match), None)


def _lines(policy: Policy, installation: Installation) -> list[TriggerLine]:
    noted = (("form-save", form) for rule in rule_lines(policy) for form in rule.noted_forms)
    values = _values(policy, installation)
    lines = [
        _line(installation, values, event, form or "//...", form)
        for event, form in dict.fromkeys((*subscribed_events(policy), *noted))
        if event != "command"
    ]
    ends = _commands(rule for rule in rule_lines(policy) if rule.kind == _COUNTS_AT_ONCE)
    if ends:
        # It may refuse nothing, whatever happens: the command has run.
        values_of_end = {**values, "on-error": "allow"}
        lines.append(_line(installation, values_of_end, COMMAND_END, f"{AFTER}{_any_of(ends)}$"))
    commands = subscribed_commands(policy)
    if commands:
        lines.append(_line(installation, values, "command", f"pre-user-{_any_of(commands)}$"))
    return lines


def subscribed_events(policy: Policy) -> tuple[tuple[str, str | None], ...]:
    """Return the trigger events that a policy's rules judge, without duplicates, in rule order."""
    return _events(rule_lines(policy))


def subscribed_commands(policy: Policy) -> tuple[str, ...]:
    """Return the p4 commands that a policy's rules judge, without duplicates."""
    return _commands(rule_lines(policy))


def _commands(rules: Iterable[RuleLines]) -> tuple[str, ...]:
    return tuple(name for event, name in _events(rules) if event == "command" and name)


def _events(rules: Iterable[RuleLines]) -> tuple[tuple[str, str | None], ...]:
    return tuple(dict.fromkeys(event for rule in rules for event in rule.events))


def _any_of(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"({'|'.join(names)})"


def rules_with_arguments(policy: Policy) -> tuple[int, ...]:
    """Return the indexes of the policy's rules that need the text of a command's arguments."""
    rules = enumerate(rule_lines(policy))
    return tuple(index for index, rule in rules if ARGS in rule.options)


def passes_arguments(row: str) -> bool:
    """Tell whether a line of p4warden in the triggers table passes the arguments of commands."""
    return f"--{ARGS}={_VARIABLES[ARGS]}%quote%" in row


def _line(
    installation: Installation,
    values: Mapping[str, str],
    event: str,
    path: str,
    form: str | None = None,
) -> TriggerLine:
    """Return the line for an event; that for commands has a regular expression as its path."""
    values_here = {**values, "type": form or ""}
    options = (f"%quote%--{name}={values_here[name]}%quote%" for name in options_of(event))
    name = f"{event}.{form}" if form else event
    command = " ".join([_word(_literal(installation.gate)), event, *options])
    kind = "command" if event == COMMAND_END else event
    return TriggerLine(f"{installation.owner.prefix}{name}", kind, path, command)


def _values(policy: Policy, installation: Installation) -> dict[str, str]:
    needed_options = {option for rule in rule_lines(policy) for option in rule.options}
    if installation.triggers_io:
        # p4d then writes the arguments to standard input, whatever their length.
        needed_options.discard(ARGS)
    return {
        **_VARIABLES,
        **dict.fromkeys(_OPTIONS_ON_DEMAND - needed_options, ""),
        "line": FORM,
        "home": _literal(installation.home),
        "on-error": policy.on_error,
        "triggers-io": str(int(installation.triggers_io)),
        END: END_VALUE,
    }


def _word(text: str) -> str:
    return f"%quote%{text}%quote%" if " " in text or "\t" in text else text


def _literal(path: str) -> str:
    """Return a path as text for a trigger line: with its percent signs doubled."""
    if any(character in '"\n\r#' or "\ud800" <= character <= "\udfff" for character in path):
        raise P4WardenError(
            f"{path!r}: a trigger line cannot contain this path; install p4warden elsewhere"
        )
    return path.replace("%", "%%")
