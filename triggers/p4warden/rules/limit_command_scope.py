"""Refuse commands whose file arguments make the server scan a whole depot.

The measure is that of `limit_view_scope`, for each argument: the complete literal directories
below the depot before the first wildcard. An exact path is narrow, and so are the files of one
directory (`//depot/*`), which graphical clients ask for and for which p4d scans only that
directory.

The verdict has three values. It is `unknown` for paths that only the client's machine or view can
resolve (local paths, client paths, no path at all), for commands that use that view (`sync`,
`have`), for arguments that p4d left out, and for branches, labels and ranges of changelists, whose
size only an index tells (`limit_scanned_rows`); `unknown` allows the command and is counted. A
range from the first changelist on is as wide as its path. `changes -mN PATH` and questions about
opened files are allowed. `docs/command-bounds.md` lists what commands read.

The gate's library judges commands. This module has the rule's settings.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.rules import command_names
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping


class Settings(NamedTuple):
    """Settings of the policy rule `limit_command_scope`.

    Attributes:
        commands: names of p4 commands; each stands for all its synonyms.
        min_depth: the minimum number of complete directories that an argument must name below the
            depot.
        depots: other depths by depot name; a name is matched whole, never as a prefix.
    """

    commands: tuple[str, ...]
    min_depth: int = 1
    depots: Mapping[str, int] = {}


def events(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return the trigger events that a rule on file arguments judges, one per command name.

    The names are the main name and all synonyms of each of the rule's commands.
    """
    return command_names.events(settings.commands)


def needed_options(settings: Settings) -> set[str]:  # noqa: ARG001 - the same for all
    """Return the trigger line options that a rule on file arguments needs with a value: `args`.

    Options that always have a value in a trigger line are left out.
    """
    return {"args"}


RULE = Rule(
    "a command covers more of a depot than the policy allows",
    Settings,
    events,
    needed_options=needed_options,
)
