"""Refuse views that make the server look through a whole depot.

Why: p4d answers a command without a narrower file argument by scanning, for each include line of
the view, everything below the literal text before the line's first wildcard. RIM refused
whole-depot clients and its recurring stalls of up to 20 minutes ended ("Perforce at RIM", Perforce
User Conference 2007). Perforce's own advice is the same ("Tight views", knowledge base 1238).

The measure is lexical: the complete literal directories below the depot before the first
wildcard, for each include line. Exclusions do not narrow what is scanned and overlays do not widen
it, so neither changes the count. Lines that p4d could not read either are findings too: no one
gets past a rule by breaking a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.narrower import Mapping as WideMapping
from p4warden.narrower import propose
from p4warden.patterns import fold
from p4warden.records import Event, Facts, Finding, FormLine
from p4warden.views import MalformedPath, WildcardDepot, scope, split_flag, split_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SUMMARY = "a view maps more of a depot than the policy allows"


class Settings(NamedTuple):
    """Settings of `limit_view_scope`.

    Attributes:
        forms: the form types to judge.
        min_depth: complete directories that a line must name below the depot.
        depots: other depths by depot name; a name is matched whole, never as a prefix.
    """

    forms: tuple[str, ...] = ("client",)
    min_depth: int = 1
    depots: Mapping[str, int] = {}


def concerns(settings: Settings, event: Event) -> bool:
    """Tell whether the event saves a form of a judged type."""
    return event.event == "form-save" and event.type in settings.forms


def find(settings: Settings, event: Event, facts: Facts) -> Iterator[Finding]:
    """Yield the client view's lines that are too wide or malformed.

    A client with a `Stream:` gets its view from the stream when it is saved (p4 help client), so
    the view in its form means nothing.
    """
    form = event.form
    if form is None or form.value("stream"):
        return
    needs = {_folded(depot, facts): need for depot, need in settings.depots.items()}
    for line in form.lines("view"):
        finding = _judge(line, event.name or "CLIENT", settings.min_depth, needs, facts)
        if finding:
            yield finding


def _judge(
    line: FormLine, client: str, min_depth: int, needs: Mapping[str, int], facts: Facts
) -> Finding | None:
    """Judge one line of a client view; needs are depths by folded depot name."""
    words = split_words(line.text)
    flag, left = split_flag(words[0])
    if len(words) != 2:  # noqa: PLR2004 - a client view maps depot paths to client paths
        return _malformed(line, f"has {len(words)} words where a view line has two")
    if flag == "-":
        return None
    try:
        span = scope(left)
    except WildcardDepot as problem:
        fix = propose(WideMapping(flag, left, words[1], None, ()), min_depth, facts, client)
        return _finding(line, str(problem), 0, max(min_depth, 1), fix)
    except MalformedPath as problem:
        return _malformed(line, str(problem))
    need = needs.get(_folded(span.depot, facts), min_depth)
    depth = len(span.directories)
    if span.exact or depth >= need:
        return None
    wide = WideMapping(flag, left, words[1], span.depot, span.directories)
    what = f"names {_directories(depth)} before its first wildcard, at least {need} needed"
    return _finding(line, what, depth, need, propose(wide, need, facts, client))


def _folded(depot: str, facts: Facts) -> str:
    return fold(depot, case_sensitive=facts.case_sensitive)


def _directories(count: int) -> str:
    return "1 directory" if count == 1 else f"{count} directories"


def _malformed(line: FormLine, what: str) -> Finding:
    return _finding(line, what, None, None, ())


def _finding(
    line: FormLine, what: str, value: int | None, limit: int | None, fix: tuple[str, ...]
) -> Finding:
    return Finding(line.text, f"View line {line.number}", what, value, limit, fix)
