"""Refuse commands from client programs that are blocked, or too old.

This rule informs honest users and stops nobody else: users choose the names that their programs
report (`p4 -zprog=NAME`), and some programs report no version. A version that cannot be read makes
the verdict `unknown`, which allows the command and is counted.

The gate's library judges commands. This module has the rule's settings.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.rules import command_names
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Settings(NamedTuple):
    """Settings of the policy rule `block_client_program`.

    Attributes:
        commands: names of p4 commands; each stands for all its synonyms.
        programs: each with `program`, a pattern of client program names, and optionally `below`,
            the first version that is allowed, and `advice`, lines of text for the refusal.
    """

    commands: tuple[str, ...]
    programs: tuple[Mapping[str, Any], ...]


def events(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return the trigger events that a rule on client programs judges, one per command name.

    The names are the main name and all synonyms of each of the rule's commands.
    """
    return command_names.events(settings.commands)


def needed_options(settings: Settings) -> set[str]:
    """Return the trigger line options that a rule on client programs needs with a value.

    Options that always have a value in a trigger line are left out.
    """
    version = {"version"} if any(entry.get("below") for entry in settings.programs) else set()
    return version | command_names.needed_options(settings.commands)


RULE = Rule(
    "a blocked program sent a command",
    Settings,
    events,
    needed_options=needed_options,
)
