"""Refuse commands that would make the server scan too many files or revisions.

Why: `MaxScanRows` ends a command after it has scanned, and the depth of a path says little about
its cost: one directory of a depot may hold most of its files. A checkpoint has every path and
every client's view, so the index that `p4warden index` builds from it tells in advance how many
files and revisions a command scans.

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

The gate's library judges commands. This module has the rule's settings and the checks of the
settings.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.rules import command_names
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


# P4 commands whose scanned files the gate can estimate by the index. Others read no files of the
# index: `p4 opened` and `p4 diff` read opened files, `p4 where` only the client's view.
ESTIMATED = frozenset(
    (
        "annotate archive changes copy cstat diff2 dirs duplicate filelog files fstat grep have "
        "integrate interchanges labelsync list merge obliterate populate print reconcile restore "
        "retype sizes sync tag verify"
    ).split()
)


# An estimate exceeds the exact number by less than this, and so does the exact number the one that
# the index proves.
PRECISION = 500


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


def mistakes(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield errors in a policy's rule on scanned rows: key path within the rule, and message."""
    from p4warden.rules import known_commands, never_limited  # noqa: PLC0415 - no trigger checks

    yield from never_limited.mistakes(rule)
    yield from known_commands.mistakes(rule)
    if "max_files" not in rule and "max_revisions" not in rule:
        yield (), "limits nothing: write max_files, max_revisions or both"


def doubts(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield warnings about a policy's rule on scanned rows: key path within the rule, message."""
    from p4warden.rules import known_commands  # noqa: PLC0415 - as above

    yield from known_commands.doubts(rule)
    commands = rule.get("commands")
    for place, name in enumerate(commands if isinstance(commands, list) else ()):
        is_known = isinstance(name, str) and name in known_commands.COMMANDS
        if is_known and command_names.synonym_of(name).main_name not in ESTIMATED:
            problem = f"{name} has no estimate, and is always counted as unknown (remove {name})"
            yield ("commands", place), problem
    for setting in ("max_files", "max_revisions"):
        limit = rule.get(setting)
        if isinstance(limit, int) and limit < PRECISION:
            problem = (
                f"{limit} is below the precision of the index, so most commands near it are "
                f"unknown (write {PRECISION} or more)"
            )
            yield (setting,), problem


RULE = Rule(
    __doc__,
    "a command would look through more records than the policy allows",
    Settings,
    events,
    needed_options=needed_options,
    noted_events=(("form-save", "client"), ("form-save", "stream")),
    mistakes=mistakes,
    doubts=doubts,
)
