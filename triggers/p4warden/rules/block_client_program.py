"""Refuse commands from client programs that are not wanted, or are too old.

Why: some programs ask for more than a server can bear whatever their users do, and a later version
often asks for less. Perforce's own sample triggers refuse the P4EXP shell extension by its name
(block_p4exp of the Server Deployment Package).

This is advice to the honest and no wall: users choose what their programs call themselves (`p4
-zprog=NAME`), and some tell no version. A version that cannot be read makes the verdict
`unknown`, which lets the command pass and is counted.

The gate's library judges commands. What is here is the rule's settings and what makes no sense in
them.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.rules import command_names, known_commands, never_limited
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


class Settings(NamedTuple):
    """Settings of `block_client_program`.

    Attributes:
        commands: names of commands; each stands for all its synonyms.
        programs: each with `program`, a pattern, and where wanted `below`, the version from which
            on it is allowed, and `advice`.
    """

    commands: tuple[str, ...]
    programs: tuple[Mapping[str, Any], ...]


def events(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return the judged events: the commands, under each of their names."""
    return command_names.events(settings.commands)


def needed_options(settings: Settings) -> set[str]:
    """Return the options of a trigger line that only some policies need."""
    version = {"version"} if any(entry.get("below") for entry in settings.programs) else set()
    return version | command_names.needed_options(settings.commands)


def mistakes(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield what makes no sense in a rule: the place within it, and why."""
    yield from never_limited.mistakes(rule)
    yield from known_commands.mistakes(rule)
    first: dict[tuple[str, str], int] = {}
    programs = rule.get("programs")
    for index, entry in enumerate(programs if isinstance(programs, list) else []):
        if isinstance(entry, dict):
            earlier = first.setdefault((str(entry.get("program")), str(entry.get("below"))), index)
            if earlier != index:
                yield ("programs", index), f"is the same as programs[{earlier}] (keep one)"


def doubts(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield what an administrator should know of a rule that is not wrong."""
    yield from command_names.doubts(rule)
    yield from known_commands.doubts(rule)


RULE = Rule(
    __doc__,
    "a program that the policy does not allow asks",
    Settings,
    events,
    needed_options=needed_options,
    mistakes=mistakes,
    doubts=doubts,
)
