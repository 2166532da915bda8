from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox.depot_paths import pattern
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import INVALID_TYPE, REGEX_ERROR
from p4warden_sandbox.words import split_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden_sandbox.specs import Spec

# `p4 help triggers`, server release 2024.2.
TYPES = frozenset(
    """
    archive auth-check auth-check-2fa auth-check-sso auth-init-2fa auth-pre-2fa auth-pre-sso
    auth-set bgtask change-commit change-content change-failed change-submit command edge-content
    edge-submit failed-back failed-over fix-add fix-delete form-commit form-delete form-in form-out
    form-save graph-fork-repo graph-lfs-push graph-push-complete graph-push-reference
    graph-push-reference-complete graph-push-start heartbeat-dead heartbeat-missing
    heartbeat-resumed journal-rotate journal-rotate-lock pull-archive push-commit push-content
    push-submit service-check shelve-commit shelve-delete shelve-submit
    """.split()
)
# Paths of lines for form triggers (P4 Server Administration Guide, "Triggering on forms").
FORM_TYPES = frozenset(
    """
    branch change client depot extension group job label ldap protect remote repo server spec
    stream triggers typemap user
    """.split()
)

_MATCH = {"anywhere": re.search, "start": re.match, "whole": re.fullmatch}


class Row(NamedTuple):
    name: str
    type: str
    path: str
    command: str


def rows(table: Spec) -> list[Row]:
    """Return the lines of a triggers table in order, which is the order of execution."""
    return [Row(*split_words(line)) for line in table.lines("Triggers")]


def check(table: Spec) -> None:
    """Raise CommandError for a line that the server refuses to save.

    That the path of form, fix and auth lines is checked is in the release notes of 2012.1. The
    texts of refusals, and that the path of a line of type `command` must be a valid regular
    expression, are inferred.
    """
    for row in rows(table):
        if row.type not in TYPES:
            raise CommandError(INVALID_TYPE, type="trigger type", arg=row.type)
        paths = _paths(row.type)
        if paths and row.path not in paths:
            raise CommandError(INVALID_TYPE, type="trigger path", arg=row.path)
        if row.type == "command":
            _check_expression(row.path)


def _paths(kind: str) -> frozenset[str]:
    """Empty if any path is allowed."""
    family, _, _ = kind.partition("-")
    if family == "form":
        return FORM_TYPES
    return frozenset({family}) if family in {"fix", "auth"} else frozenset()


def _check_expression(path: str) -> None:
    try:
        re.compile(path, re.ASCII)
    except re.error as error:
        raise CommandError(REGEX_ERROR, text=str(error)) from None


def form_rows(table: Spec, kind: str, form: str) -> Iterator[Row]:
    """Yield all lines of a form event, also those with the same name (release notes 2009.1)."""
    return (row for row in rows(table) if row.type == kind and row.path == form)


def command_rows(table: Spec, event: str, way: str) -> Iterator[Row]:
    """Yield the trigger lines for a command event such as `pre-user-fstat`.

    The path is a regular expression, by default not anchored at the end: `pre-user-change` also
    matches `pre-user-changes` (`p4 help triggers`, release notes 2014.1). That the start is not
    anchored either is inferred; `way` is a value of the variant `command-pattern`.
    """
    matches = _MATCH[way]
    matching = (row for row in rows(table) if row.type == "command")
    return (row for row in matching if matches(row.path, event, re.ASCII))


def change_rows(
    table: Spec, kind: str, files: Iterable[str], *, case_sensitive: bool
) -> Iterator[Row]:
    """Yield the first line of each trigger to run for an event such as `change-submit`.

    Lines of that type that have one name and follow each other are one trigger with the first
    line's command; paths after a `-` are exclusions (`p4 help triggers`). That the last matching
    path decides, as in views, is inferred.
    """
    names = list(files)
    of_kind = (row for row in rows(table) if row.type == kind)
    for _, run in groupby(of_kind, key=lambda row: row.name):
        first, *others = run
        paths = [_path(row, case_sensitive=case_sensitive) for row in (first, *others)]
        if any(_maps(paths, name) for name in names):
            yield first


def _path(row: Row, *, case_sensitive: bool) -> tuple[bool, re.Pattern[str]]:
    """Return whether the path includes files, as without a `-`, and its pattern."""
    path = row.path.removeprefix("-")
    return path == row.path, pattern(path, case_sensitive=case_sensitive)


def _maps(paths: list[tuple[bool, re.Pattern[str]]], name: str) -> bool:
    return next((includes for includes, path in reversed(paths) if path.fullmatch(name)), False)
