from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox.depot_paths import WILDCARD, check_wildcards, depot_of, pattern
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import LIMIT_VIEW_MIXED, MAP_NOT_UNDER, WILD_MISMATCH
from p4warden_sandbox.words import split_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden_sandbox.specs import Spec
    from p4warden_sandbox.store import Store

_FLAGS = "-+&"


class ViewLine(NamedTuple):
    """`flag` is `-`, `+`, `&` or empty; `right_path` is None in a label's view."""

    flag: str
    left_path: str
    right_path: str | None


def view_lines(lines: list[str]) -> list[ViewLine]:
    """Parse the lines of a spec's View field."""
    return [_view_line(line) for line in lines]


def _view_line(line: str) -> ViewLine:
    left, *right = split_words(line)
    flag = left[:1] if left[:1] in _FLAGS else ""
    return ViewLine(flag, left.removeprefix(flag), right[0] if right else None)


def check_view(spec: Spec, store: Store, right_prefix: str | None) -> None:
    """Raise CommandError for a view line that p4d refuses.

    `right_prefix` is the required start of right sides, such as `//ws/`; None if they are depot
    paths (branch) or missing (label). Limits of wildcards: Perforce API source map/mapitem.cc; the
    prefix named in the error about a path outside of every depot is inferred.
    """
    for line in view_lines(spec.lines("View")):
        left = check_wildcards(line.left_path)
        _check_depot(line.left_path, store)
        if line.right_path is None:
            continue
        if right_prefix is None:
            _check_depot(line.right_path, store)
        elif not store.fold(line.right_path).startswith(store.fold(right_prefix)):
            raise CommandError(
                MAP_NOT_UNDER, depotFile=line.right_path, prefix=f"{right_prefix}..."
            )
        if left != check_wildcards(line.right_path):
            raise CommandError(WILD_MISMATCH, arg=line.left_path, arg2=line.right_path)


def _check_depot(path: str, store: Store) -> None:
    depot = depot_of(path)
    if depot is None or store.find("depot", depot) is not None:
        return
    first = next((depot_spec.name for depot_spec in store.all("depot")), "depot")
    raise CommandError(MAP_NOT_UNDER, depotFile=path, prefix=f"//{first}/...")


def check_limit(spec: Spec, store: Store) -> None:
    """Raise CommandError for a LimitView with both depot paths and paths of the client."""
    start = store.fold(f"//{spec.name}/")
    paths = [store.fold(path.removeprefix("-")) for path in spec.lines("LimitView")]
    if 0 < sum(path.startswith(start) for path in paths) < len(paths):
        raise CommandError(LIMIT_VIEW_MIXED)


class View:
    """`limit` are the lines of a LimitView: the last one for a path must include it.

    How p4d treats a LimitView that only excludes is not published: here it maps nothing.
    """

    def __init__(
        self, lines: list[str], *, case_sensitive: bool, limit: Iterable[str] = ()
    ) -> None:
        self._fold = str if case_sensitive else str.lower
        self._limit = [
            (
                not path.startswith("-"),
                pattern(path.removeprefix("-"), case_sensitive=case_sensitive),
            )
            for path in limit
        ]
        self._lines = [
            _Mapping(line, case_sensitive=case_sensitive)
            for line in reversed(view_lines(lines))
            if line.right_path is not None
        ]

    @property
    def sources(self) -> list[str]:
        return [mapping.source for mapping in self._lines if not mapping.is_exclusion]

    def translate(self, path: str) -> str | None:
        """The last matching view line decides; None if the path is not mapped."""
        for mapping in self._lines:
            if (client_path := mapping.to_right(path)) is not None:
                is_mapped = not mapping.is_exclusion and self._is_within_limit(path, client_path)
                return client_path if is_mapped else None
        return None

    def _is_within_limit(self, path: str, client_path: str) -> bool:
        included = [
            is_included
            for is_included, paths in self._limit
            if paths.fullmatch(path) or paths.fullmatch(client_path)
        ]
        return not self._limit or bool(included and included[-1])

    def reverse(self, path: str) -> str | None:
        for mapping in self._lines:
            depot_path = None if mapping.is_exclusion else mapping.to_left(path)
            if depot_path is not None and self._fold(
                self.translate(depot_path) or ""
            ) == self._fold(path):
                return depot_path
        return None


class _Mapping:
    def __init__(self, line: ViewLine, *, case_sensitive: bool) -> None:
        self.is_exclusion = line.flag == "-"
        self.source = self._left_path = line.left_path
        self._right_path = line.right_path or ""
        self._left_pattern = pattern(self._left_path, case_sensitive=case_sensitive)
        self._right_pattern = pattern(self._right_path, case_sensitive=case_sensitive)

    def to_right(self, path: str) -> str | None:
        match = self._left_pattern.fullmatch(path)
        return _filled(self._left_path, self._right_path, match.groups()) if match else None

    def to_left(self, path: str) -> str | None:
        match = self._right_pattern.fullmatch(path)
        return _filled(self._right_path, self._left_path, match.groups()) if match else None


def _filled(source: str, target: str, values: tuple[str, ...]) -> str:
    """Equal wildcards, such as `*`, are paired in order."""
    pending: dict[str, list[str]] = {}
    for wildcard, value in zip(WILDCARD.findall(source), values, strict=True):
        pending.setdefault(wildcard, []).append(value)
    return WILDCARD.sub(lambda match: pending[match.group()].pop(0), target)
