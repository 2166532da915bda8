"""Refuse views that make the server look through a whole depot.

Why: p4d answers a command without a narrower file argument by scanning, for each include line of
the view, everything below the literal text before the line's first wildcard. RIM refused
whole-depot clients and its recurring stalls of up to 20 minutes ended ("Perforce at RIM", Perforce
User Conference 2007). Perforce's own advice is the same ("Tight views", knowledge base 1238).

The measure is lexical: the complete literal directories below the depot before the first
wildcard, for each include line. Exclusions do not narrow what is scanned and overlays do not widen
it, so neither changes the count. Lines that p4d could not read either are findings too: no one
gets past a rule by breaking a line.

Two more ways to map a depot are judged where the policy says so: by naming most of its top
directories one by one (the share), and by a view so long or with so many `...` within its paths
that reading it costs the server as much (its map of n such lines has about 2n^2 rows, measured
with the map of Perforce's C++ API).
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from p4warden import mappings
from p4warden.facts import by_depot, folded
from p4warden.mappings import Malformed, Mapped
from p4warden.narrower import mapping_of, propose
from p4warden.records import Event, Facts, Finding
from p4warden.views import MalformedPath, Scope, WildcardDepot, is_embedded, scope

SUMMARY = "a view maps more of a depot than the policy allows"
INSTEAD = "Map only what you work on, with lines such as these instead:"


class Settings(NamedTuple):
    """Settings of `limit_view_scope`; what is None is not judged.

    Attributes:
        forms: the form types to judge.
        min_depth: complete directories that a line must name below the depot.
        depots: other depths by depot name; a name is matched whole, never as a prefix.
        max_share: the greatest part of a depot's top directories that a view may name, 0 to 1.
        min_directories: how many top directories a depot must have for the share to count.
        max_lines: the most include lines of a view.
        max_embedded: the most include lines with `...` before their end.
    """

    forms: tuple[str, ...] = ("client", "stream", "branch")
    min_depth: int = 1
    depots: Mapping[str, int] = {}
    max_share: float | None = None
    min_directories: int = 5
    max_lines: int | None = None
    max_embedded: int | None = None


class _View(NamedTuple):
    """What a form's lines are judged by; `depths` are by folded depot name."""

    settings: Settings
    facts: Facts
    client: str | None
    depths: Mapping[str, int]

    def need(self, depot: str) -> int:
        if not self.depths:
            return self.settings.min_depth
        return self.depths.get(folded(depot, self.facts), self.settings.min_depth)


class _Read(NamedTuple):
    """A line, and how much it spans or why that cannot be told."""

    mapped: Mapped | Malformed
    span: Scope | None = None
    problem: MalformedPath | None = None


def events(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return what is judged: saving a form of one of the types."""
    return tuple(("form-save", form) for form in settings.forms)


def find(settings: Settings, event: Event, facts: Facts) -> Iterator[Finding]:
    """Yield the lines that are too wide or malformed, then what is wrong with the whole view."""
    if event.form is None or event.type is None:
        return
    depths = by_depot(settings.depots, facts)
    client = (event.name or "CLIENT") if event.type == "client" else None
    view = _View(settings, facts, client, depths)
    lines = [_read(mapped) for mapped in mappings.of(event.form, event.type)]
    for line in lines:
        finding = _judge(view, line)
        if finding:
            yield finding
    yield from _shares(view, lines)
    yield from _sizes(settings, lines)


def _read(mapped: Mapped | Malformed) -> _Read:
    if isinstance(mapped, Malformed):
        return _Read(mapped)
    try:
        return _Read(mapped, scope(mapped.path))
    except MalformedPath as problem:
        return _Read(mapped, None, problem)


def _judge(view: _View, line: _Read) -> Finding | None:
    """Judge one line by itself."""
    mapped, span, problem = line
    if isinstance(mapped, Malformed):
        return _finding(mapped, mapped.what)
    if span is None:
        wild = isinstance(problem, WildcardDepot)
        return (
            _too_wide(view, mapped, str(problem), None) if wild else _finding(mapped, str(problem))
        )
    if span.exact or len(span.directories) >= view.need(span.depot):
        return None
    what = f"names {_count(len(span.directories))} before its first wildcard"
    return _too_wide(view, mapped, what, span)


def _too_wide(view: _View, mapped: Mapped, what: str, span: Scope | None) -> Finding:
    wide = mapping_of(mapped, span)
    need = view.need(wide.depot) if wide.depot else max(view.settings.min_depth, 1)
    # A component names a stream, and which one is narrower no one but its developers can tell.
    writable = mapped.field != "Components"
    fix = propose(wide, view.need, view.facts, view.client) if writable else ()
    return _finding(mapped, f"{what}, at least {need} needed", len(wide.directories), need, fix)


def _shares(view: _View, lines: list[_Read]) -> Iterator[Finding]:
    """Yield the depots whose top directories are nearly all named, one by one."""
    limit = view.settings.max_share
    if limit is None:
        return
    named_tops = _tops(view, lines)
    for name, depot in view.facts.depots.items():
        tops = {folded(directory, view.facts) for directory in depot.directories or ()}
        if len(tops) < view.settings.min_directories:
            continue
        named = tops & named_tops.get(folded(name, view.facts), set())
        most = math.ceil(limit * len(tops)) - 1
        if len(named) > most:
            what = (
                f"names {len(named)} of its {len(tops)} top directories, which is nearly all of "
                "it; map only those you work on"
            )
            yield Finding(f"//{name}/...", "The view", what, len(named), most)


def _tops(view: _View, lines: list[_Read]) -> dict[str, set[str]]:
    """Return the top directories that lines map whole, by depot; all names folded."""
    tops: dict[str, set[str]] = {}
    for span in (line.span for line in lines):
        if span and not span.exact and len(span.directories) == 1:
            directory = folded(span.directories[0], view.facts)
            tops.setdefault(folded(span.depot, view.facts), set()).add(directory)
    return tops


def _sizes(settings: Settings, lines: list[_Read]) -> Iterator[Finding]:
    """Yield what is too much about the view as a whole."""
    if settings.max_lines is not None and len(lines) > settings.max_lines:
        what = (
            f"has {len(lines)} include lines, at most {settings.max_lines} allowed; map the "
            "directory that several of them share, or split the work between two clients"
        )
        limit = settings.max_lines
        yield Finding("", "The view", what, len(lines), limit, measured="include lines")
    if settings.max_embedded is not None:
        paths = (line.mapped.path for line in lines if isinstance(line.mapped, Mapped))
        embedded = sum(map(is_embedded, paths))
        if embedded > settings.max_embedded:
            what = (
                f"has {embedded} paths with ... within, at most {settings.max_embedded} allowed; "
                "write the directories out that you work on"
            )
            limit = settings.max_embedded
            yield Finding("", "The view", what, embedded, limit, measured="embedded")


def _count(directories: int) -> str:
    return "1 directory" if directories == 1 else f"{directories} directories"


def _finding(
    mapped: Mapped | Malformed,
    what: str,
    value: int | None = None,
    limit: int | None = None,
    fix: tuple[str, ...] = (),
) -> Finding:
    return Finding(mapped.line.text, mapped.place, what, value, limit, fix)
