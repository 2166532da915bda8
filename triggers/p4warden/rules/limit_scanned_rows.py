"""Refuse commands that would make the server scan too many files or revisions.

The number is an estimate, at least the exact number and less than 500 above it for each range of
paths or of changelists; depots, their top directories and whole clients are exact. A command is
refused if it certainly reads more than the limit, whatever the exact number is, and allowed if it
certainly does not; between the two it is `unknown`. So a limit below 500 decides little: `check`
warns of it. The errors of more than 28 different arguments cancel out, so that the number is too
low in one case of a million.

p4d may read other records as well. sync, have and status scan the part
of the client's view that an argument selects, all other commands the argument alone; the numbers
of several arguments are added. A range of changelists (`@N,M`, `@N,#head`, `@=N`, `fstat -e N`,
`fstat -c N`) or a label counts the records of these changelists or of this label, or those of the
path if they are fewer.
`docs/command-bounds.md` lists what other options and revisions mean.

The verdict has three values. A client missing from the index, an unknown label, a branch, a path
that only the client's machine can resolve, and a missing or damaged index make the verdict
`unknown`, which allows the command and is counted. So do ranges of changelists if the checkpoint
lacked `db.revcx` or the index is of an earlier version; `p4warden status` shows that.

A client's view is the one in the index, or the newer one that `p4warden index --update` read from
the server's journal, or the still newer one of a form saved after both: triggers for saved clients
and streams record that. If a stream was saved after the view of its client, the client is
`unknown` until the server rebuilds the view, and so is a client of a virtual or task stream. An
index that is missing, damaged, of another server or with another case handling makes every command
`unknown` and refuses none.

The gate's library judges commands. This module has the rule's settings.
"""

from __future__ import annotations

from p4warden.core.light_typing import NamedTuple
from p4warden.rules import command_names
from p4warden.rules.rule import Rule


class Settings(NamedTuple):
    """Settings of the policy rule `limit_scanned_rows`.

    Attributes:
        commands: names of p4 commands; each stands for all its synonyms.
        max_files: the largest number of files that a command may scan; None for any number.
        max_revisions: the largest number of revisions that a command may scan; None for any
            number.
        max_age: age of the checkpoint index at which `p4warden status` and `doctor` warn, as a
            text (`2d`); None for eight days.
    """

    commands: tuple[str, ...]
    max_files: int | None = None
    max_revisions: int | None = None
    max_age: str | None = None


def events(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return the trigger events that a rule on scanned rows judges, one per command name.

    The names are the main name and all synonyms of each of the rule's commands.
    """
    return command_names.events(settings.commands)


def needed_options(settings: Settings) -> set[str]:  # noqa: ARG001 - the same for all
    """Return the trigger line options that a rule on scanned rows needs: `args` and `cwd`.

    Options that always have a value in a trigger line are left out.
    """
    return {"args", "cwd"}


RULE = Rule(
    "a command would look through more records than the policy allows",
    Settings,
    events,
    needed_options=needed_options,
    noted_events=(("form-save", "client"), ("form-save", "stream")),
)
