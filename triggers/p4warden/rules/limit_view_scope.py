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
    from collections.abc import Callable, Iterator, Mapping

WORDS = 2
"""A client view line maps a depot path to a client path."""

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


def events(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return what is judged: saving a form of one of the types."""
    return tuple(("form-save", form) for form in settings.forms)


def find(settings: Settings, event: Event, facts: Facts) -> Iterator[Finding]:
    """Yield the client view's lines that are too wide or malformed.

    A client with a `Stream:` gets its view from the stream when it is saved (p4 help client), so
    the view in its form means nothing.
    """
    form = event.form
    if form is None or form.value("stream"):
        return
    depths = {_folded(depot, facts): depth for depot, depth in settings.depots.items()}

    def need_of(depot: str) -> int:
        return depths.get(_folded(depot, facts), settings.min_depth)

    for line in form.lines("view"):
        finding = _judge(line, event.name or "CLIENT", need_of, facts)
        if finding:
            yield finding


def _judge(
    line: FormLine, client: str, need_of: Callable[[str], int], facts: Facts
) -> Finding | None:
    """Judge one line of a client view."""
    words = split_words(line.text)
    if len(words) != WORDS:
        return _malformed(line, f"has {_count(len(words), 'word')} where a view line has two")
    flag, left = split_flag(words[0])
    if flag == "-":
        return None
    try:
        span = scope(left)
    except WildcardDepot as problem:
        wide = WideMapping(flag, left, words[1], None, ())
        return _too_wide(line, str(problem), wide, need_of, facts, client)
    except MalformedPath as problem:
        return _malformed(line, str(problem))
    if span.exact or len(span.directories) >= need_of(span.depot):
        return None
    wide = WideMapping(flag, left, words[1], span.depot, span.directories)
    what = f"names {_count(len(span.directories), 'directory')} before its first wildcard"
    return _too_wide(line, what, wide, need_of, facts, client)


def _too_wide(
    line: FormLine,
    what: str,
    wide: WideMapping,
    need_of: Callable[[str], int],
    facts: Facts,
    client: str,
) -> Finding:
    need = need_of(wide.depot) if wide.depot else max(need_of(""), 1)
    fix = propose(wide, need_of, facts, client)
    return _finding(line, f"{what}, at least {need} needed", len(wide.directories), need, fix)


def _folded(depot: str, facts: Facts) -> str:
    return fold(depot, case_sensitive=facts.case_sensitive)


def _count(number: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def _malformed(line: FormLine, what: str) -> Finding:
    return _finding(line, what, None, None, ())


def _finding(
    line: FormLine, what: str, value: int | None, limit: int | None, fix: tuple[str, ...]
) -> Finding:
    return Finding(line.text, f"View line {line.number}", what, value, limit, fix)
