"""Refuse commands that would make the server look through too many files or revisions.

Why: `MaxScanRows` ends a command after it has scanned, and the depth of a path says little of its
cost: one directory of a depot may hold most of its files. A checkpoint has every path and
every client's view, so the index that `p4warden index` makes of it tells beforehand how many
records lie where a command looks.

The number is an estimate: p4d may read more or fewer records. sync, have and status go by the
part of the client's view that an argument meets, all other commands by the argument alone;
arguments are added. Revisions and options lower nothing, but `changes -m` of a path without a
revision.

The answer has three values. A client that the index lacks, a label, a branch, a path that only
the client's machine resolves, and a missing or damaged index make it `unknown`, which lets the
command pass and is counted.

A client counts as the index has it, or as `p4warden index --update` read it in the server's
journal since, or as its form was saved after both: triggers for saved clients and streams note
that. A client of a stream that was saved after the client's view is `unknown` until the server
makes the view anew, and so is one of a virtual or a task stream. An index that is missing,
damaged, of another server or of one with another case makes every command `unknown` and refuses
none.

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


# Commands for which the gate has an estimate. All others read tables outside the index:
# `p4 opened` reads opened files, `p4 where` only the client's view.
ESTIMATED = frozenset(
    (
        "annotate changes copy cstat diff diff2 dirs filelog files fstat grep have integrate "
        "interchanges labelsync list merge populate print reconcile sizes sync tag verify"
    ).split()
)


class Settings(NamedTuple):
    """Settings of `limit_scanned_rows`.

    Attributes:
        commands: names of commands; each stands for all its synonyms.
        max_files: how many files a command may look through; None for any number.
        max_revisions: how many revisions; None for any number.
        max_age: how old the index may be before `status` and `doctor` warn, as it is written
            (`2d`); None for a week and a day.
    """

    commands: tuple[str, ...]
    max_files: int | None = None
    max_revisions: int | None = None
    max_age: str | None = None


def events(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return the judged events: the commands, under each of their names."""
    return command_names.events(settings.commands)


def needed_options(settings: Settings) -> set[str]:  # noqa: ARG001 - the same for all
    """Return the options of a trigger line that only some policies need."""
    return {"args", "cwd"}


def mistakes(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield what makes no sense in a rule: the place within it, and why."""
    yield from never_limited.mistakes(rule)
    yield from known_commands.mistakes(rule)
    if "max_files" not in rule and "max_revisions" not in rule:
        yield (), "limits nothing: write max_files, max_revisions or both"


def doubts(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield what an administrator should know of a rule that is not wrong."""
    yield from command_names.doubts(rule)
    yield from known_commands.doubts(rule)
    commands = rule.get("commands")
    for place, name in enumerate(commands if isinstance(commands, list) else ()):
        if name in known_commands.KNOWN and command_names.named(name).main not in ESTIMATED:
            problem = f"{name} has no estimate, and is always counted as unknown (remove {name})"
            yield ("commands", place), problem


RULE = Rule(
    __doc__,
    "a command would look through more records than the policy allows",
    Settings,
    events,
    needed_options=needed_options,
    noted=(("form-save", "client"), ("form-save", "stream")),
    mistakes=mistakes,
    doubts=doubts,
)
