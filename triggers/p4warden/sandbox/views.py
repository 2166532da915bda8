"""View lines: what a save checks, and where a depot path lands in a client."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.sandbox.depot_paths import WILDCARD, check_wildcards, depot_of, pattern
from p4warden.sandbox.message_stack import CommandError
from p4warden.sandbox.messages import MAP_NOT_UNDER, WILD_MISMATCH
from p4warden.sandbox.words import split_words

if TYPE_CHECKING:
    from p4warden.sandbox.specs import Spec
    from p4warden.sandbox.store import Store

_FLAGS = "-+&"


class ViewLine(NamedTuple):
    """One mapping. `flag` is `-`, `+`, `&` or empty; a label's line has no right side."""

    flag: str
    left: str
    right: str | None


def view_lines(lines: list[str]) -> list[ViewLine]:
    """Return the mappings that lines of a View field hold."""
    return [_view_line(line) for line in lines]


def _view_line(line: str) -> ViewLine:
    left, *right = split_words(line)
    flag = left[:1] if left[:1] in _FLAGS else ""
    return ViewLine(flag, left.removeprefix(flag), right[0] if right else None)


def check_view(spec: Spec, store: Store, right_prefix: str | None) -> None:
    """Check a View field as far as the server does.

    Left sides lie in a depot, both sides have the same wildcards. `right_prefix` is what right
    sides start with; None means that they are depot paths as well (branch) or not there (label).
    Limits of wildcards: Perforce API source map/mapitem.cc; which prefix a path outside of every
    depot is said not to be under is inferred.

    Raises:
        CommandError: a line is not sound.
    """
    for line in view_lines(spec.lines("View")):
        left = check_wildcards(line.left)
        _check_depot(line.left, store)
        if line.right is None:
            continue
        if right_prefix is None:
            _check_depot(line.right, store)
        elif not store.fold(line.right).startswith(store.fold(right_prefix)):
            raise CommandError(MAP_NOT_UNDER, depotFile=line.right, prefix=f"{right_prefix}...")
        if left != check_wildcards(line.right):
            raise CommandError(WILD_MISMATCH, arg=line.left, arg2=line.right)


def _check_depot(path: str, store: Store) -> None:
    depot = depot_of(path)
    if depot is None or store.find("depot", depot) is not None:
        return
    first = next((known.name for known in store.all("depot")), "depot")
    raise CommandError(MAP_NOT_UNDER, depotFile=path, prefix=f"//{first}/...")


class View:
    """A view at work: where depot paths land in a client."""

    def __init__(self, lines: list[str], *, case_sensitive: bool) -> None:
        self._lines = [
            (line, pattern(line.left, case_sensitive=case_sensitive))
            for line in reversed(view_lines(lines))
        ]

    def translate(self, path: str) -> str | None:
        """Return where the view puts a path; None when it leaves it out. The last match counts."""
        for line, left in self._lines:
            found = left.fullmatch(path)
            if found:
                return None if line.flag == "-" else _filled(line, found.groups())
        return None


def _filled(line: ViewLine, values: tuple[str, ...]) -> str:
    """Return the right side with what its wildcards stand for; equal ones pair up in order."""
    waiting: dict[str, list[str]] = {}
    for wildcard, value in zip(WILDCARD.findall(line.left), values, strict=True):
        waiting.setdefault(wildcard, []).append(value)
    return WILDCARD.sub(lambda found: waiting[found.group()].pop(0), line.right or "")
