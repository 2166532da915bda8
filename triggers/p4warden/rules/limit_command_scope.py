"""Refuse commands whose file arguments make the server look through a whole depot.

Why: p4d answers a command by scanning everything below the literal text before the first wildcard
of its file argument, so `fstat //...` reads every depot however narrow the client is. No rule
about views reaches a command that names its own path. A broker can refuse such arguments by
pattern (P4 Server Administrator Guide, p4broker); a depth holds for every way to write them.

The measure is that of `limit_view_scope`, for each argument: the complete literal directories
below the depot before the first wildcard. An exact path is narrow, and so are the files of one
directory (`//depot/*`), which graphical clients ask for and which p4d scans no further. A revision
narrows nothing but for the files of one changelist or a few (`@=12`, `@100,110`).

The answer has three values. Paths that only the client's machine or view can tell (local paths,
client paths, no path at all), commands that go by that view (`sync`, `have`), arguments that p4d
left out, and options that bound a command to one changelist or to opened files make it `unknown`,
which lets the command pass and is counted. `changes -mN PATH` is allowed: p4d reads the latest
changelists for it. `docs/command-bounds.md` lists commands, options and revisions that bound.

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
    """Settings of `limit_command_scope`.

    Attributes:
        commands: names of commands; each stands for all its synonyms.
        min_depth: complete directories that an argument must name below the depot.
        depots: other depths by depot name; a name is matched whole, never as a prefix.
    """

    commands: tuple[str, ...]
    min_depth: int = 1
    depots: Mapping[str, int] = {}


def events(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return the judged events: the commands, under each of their names."""
    return command_names.events(settings.commands)


def needed_options(settings: Settings) -> set[str]:  # noqa: ARG001 - the same for all
    """Return the options of a trigger line that only some policies need."""
    return {"args"}


def mistakes(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield what makes no sense in a rule: the place within it, and why."""
    yield from never_limited.mistakes(rule)
    yield from known_commands.mistakes(rule)


def doubts(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield what an administrator should know of a rule that is not wrong."""
    yield from command_names.doubts(rule)
    yield from known_commands.doubts(rule)
    if rule.get("min_depth") == 0 and not rule.get("depots"):
        yield ("min_depth",), "0 judges only wildcards in a depot's name, such as //... (write 1)"


RULE = Rule(
    __doc__,
    "a command asks for more of a depot than the policy allows",
    Settings,
    events,
    needed_options=needed_options,
    mistakes=mistakes,
    doubts=doubts,
)
