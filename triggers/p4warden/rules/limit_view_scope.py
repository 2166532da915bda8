"""Refuse views that make the server look through a whole depot.

Why: p4d answers a command without a narrower file argument by scanning, for each include line of
the view, everything below the literal text before the line's first wildcard. RIM refused
whole-depot clients and its recurring stalls of up to 20 minutes ended ("Perforce at RIM", Perforce
User Conference 2007). Perforce's own advice is the same ("Tight views", knowledge base 1238).

The measure is lexical: the complete literal directories below the depot before the first
wildcard, for each include line. Exclusions do not narrow what is scanned and overlays do not widen
it, so neither changes the count. Lines that p4d could not read either are findings too: no one
gets past a rule by breaking a line.

A line that still holds a word which was proposed in place of a name maps nothing, and p4d does not
say so; it is a finding as well, unless the facts know a depot or a top directory of that name.

Two more ways to map a depot are judged where the policy says so: by naming most of its top
directories one by one (the share), and by a view so long or with so many `...` within its paths
that reading it costs the server as much. p4d's map of n lines `//depot/.../NAME/...` has about
2n^2 rows, and 9 such lines with 600 exclusions of the kind have 21,753 (measured with the map of
Perforce's C++ API). So `max_embedded` bounds both the include lines with `...` before their end
and the rows that all lines make, exclusions included: one for each line, and 2 * max_embedded^2
more. `forms/map_rows.py` has the formula.
"""

from __future__ import annotations

from p4warden.core.facts import FoldedNames, by_depot
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.plural import amount
from p4warden.core.records import Event, Facts, Finding, Form
from p4warden.forms import view_lines
from p4warden.forms.depot_path import (
    MalformedPath,
    Scope,
    WildcardDepot,
    is_embedded,
    is_wild_within,
    scope,
)
from p4warden.forms.view_lines import Malformed, Mapped
from p4warden.rules.proposals.placeholders import WIDER_WORDS, Unreplaced, objection, where_to_look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from p4warden.core.effort import Effort
    from p4warden.forms.shares import Shares
    from p4warden.rules.proposals.advisor import Advice
    from p4warden.rules.proposals.budget import Room
    from p4warden.rules.proposals.narrow import Proposal

SUMMARY = "a view maps more of a depot than the policy allows"
INSTEAD = "Map only what you work on, with lines such as these instead:"
# Of the effort for advice: rows of a form that are read again to see what the view has room for.
_ROWS_OF_A_STEP = 4


class Settings(NamedTuple):
    """Settings of `limit_view_scope`; a limit of None is not judged.

    Attributes:
        forms: the form types to judge.
        min_depth: complete directories that a line must name below the depot.
        depots: other depths by depot name; a name is matched whole, never as a prefix.
        max_share: the greatest part of a depot's top directories that a view may name, 0 to 1.
        min_directories: how many top directories a depot must have for the share to count.
        max_lines: the most include lines of a view.
        max_embedded: the most include lines with `...` before their end; the rows of the map,
            exclusions included, may be twice its square more than there are lines.
    """

    forms: tuple[str, ...] = ("client", "stream", "branch")
    min_depth: int = 1
    depots: Mapping[str, int] = {}
    max_share: float | None = None
    min_directories: int = 5
    max_lines: int | None = None
    max_embedded: int | None = None


class _Read(NamedTuple):
    """A line, and how much it spans or why that cannot be told."""

    mapped: Mapped | Malformed
    span: Scope | None = None
    problem: MalformedPath | None = None


class _View(NamedTuple):
    """A form's lines and the limits on them; `depths` are by folded depot name."""

    settings: Settings
    facts: Facts
    event: Event
    depths: Mapping[str, int]
    lines: list[_Read]
    names: FoldedNames

    def need(self, depot: str) -> int:
        if not self.depths:
            return self.settings.min_depth
        return self.depths.get(self.names.folded(depot), self.settings.min_depth)

    def is_narrow(self, span: Scope) -> bool:
        return span.exact or len(span.directories) >= self.need(span.depot)

    def shares(self) -> Shares | None:
        settings = self.settings
        if settings.max_share is None:
            return None
        from p4warden.forms.shares import Shares  # noqa: PLC0415 - not all policies limit shares

        spans = (line.span for line in self.lines if line.span)
        return Shares(spans, self.names, settings.max_share, settings.min_directories)

    def embedded(self) -> int:
        paths = (line.mapped.path for line in self.lines if isinstance(line.mapped, Mapped))
        return sum(map(is_embedded, paths))


def events(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return the judged events: saving a form of one of the types."""
    return tuple(("form-save", form) for form in settings.forms)


def find(settings: Settings, event: Event, facts: Facts) -> Iterator[Finding]:
    """Yield too many lines, lines that are too wide or malformed, then what the whole view does.

    Lines are counted before one is read.
    """
    if event.form is None or event.type is None:
        return
    yield from _too_many_lines(settings, view_lines.include_count(event.form, event.type))
    depths = by_depot(settings.depots, facts)
    lines = [_read(mapped) for mapped in view_lines.of(event.form, event.type)]
    view = _View(settings, facts, event, depths, lines, FoldedNames(facts))
    client = (event.name or "CLIENT") if event.type == "client" else None
    advice = _LateAdvice(view, client)
    words = Unreplaced(WIDER_WORDS, facts)
    for line in lines:
        finding = _judge(view, line, words, advice)
        if finding:
            yield finding
    yield from _shares(view)
    yield from _embedded(view)


class _LateAdvice:
    """Advice for a view, made once a line is refused: most views are narrow."""

    def __init__(self, view: _View, client: str | None) -> None:
        self._view, self._client = view, client
        self._made: Advice | None = None

    def made(self) -> Advice:
        from p4warden.rules.proposals.advisor import Advice  # noqa: PLC0415 - see above

        view = self._view
        if self._made is None:
            names, client = view.names, self._client
            self._made = Advice(view.need, view.facts, names, client, lambda e: _room(view, e))
        return self._made


def _read(mapped: Mapped | Malformed) -> _Read:
    if isinstance(mapped, Malformed):
        return _Read(mapped)
    try:
        return _Read(mapped, scope(mapped.path))
    except MalformedPath as problem:
        return _Read(mapped, None, problem)


def _judge(view: _View, line: _Read, words: Unreplaced, advice: _LateAdvice) -> Finding | None:
    """Judge one line by itself."""
    mapped, span, problem = line
    if isinstance(mapped, Malformed):
        return _finding(mapped, mapped.what)
    if span is None:
        wild = isinstance(problem, WildcardDepot)
        return _every_depot(view, mapped, advice) if wild else _finding(mapped, str(problem))
    word = words.first(mapped.path)
    if word:
        return _not_replaced(mapped, word, advice)
    if view.is_narrow(span):
        return None
    depth, need = len(span.directories), view.need(span.depot)
    what = f"names {_directories(depth)} before its first wildcard, at least {need} needed"
    finding = _finding(mapped, what, depth, need)
    return _to_advise(finding, lambda effort: advice.made().instead_of(mapped, span, effort))


def _not_replaced(mapped: Mapped, word: str, advice: _LateAdvice) -> Finding:
    what, look = objection(word), where_to_look(mapped.path)

    def advise(finding: Finding, effort: Effort) -> Finding:
        fix = advice.made().for_words(mapped, effort)
        if fix and fix.lines:
            finding = finding._replace(what=finding.what.replace(look, "", 1))
        return _advised(finding, fix)

    return _finding(mapped, f"{what}{look}")._replace(advise=advise)


def _every_depot(view: _View, mapped: Mapped, advice: _LateAdvice) -> Finding:
    need = max(view.settings.min_depth, 1)
    least = f"at least {_directories(need)} of it"
    what = f"has a wildcard in its depot's name; name the depot, and {least}"
    finding = _finding(mapped, what, 0, need)
    return _to_advise(finding, lambda effort: advice.made().instead_of(mapped, None, effort))


def _room(view: _View, effort: Effort) -> Room:
    from p4warden.rules.proposals.budget import Room  # noqa: PLC0415 - most views are narrow

    settings, event = view.settings, view.event
    lines, embedded = settings.max_lines, settings.max_embedded
    rows = event.form.lines("view") if event.form else ()
    effort.spend((len(rows) + len(view.lines)) // _ROWS_OF_A_STEP)
    shares = view.shares()
    narrow = (line.mapped for line in view.lines if line.span and view.is_narrow(line.span))
    return Room(
        view.names,
        lines=None if lines is None else lines - len(view.lines),
        embedded=None if embedded is None else embedded - view.embedded(),
        share_of=shares.of if shares else None,
        included=(mapped.path for mapped in narrow if isinstance(mapped, Mapped)),
        excluded=view_lines.excluded(event.form) if event.form else (),
    )


def _shares(view: _View) -> Iterator[Finding]:
    """Yield the depots whose top directories are nearly all named, one by one."""
    shares = view.shares()
    for share in shares.too_large(view.facts.depots) if shares else ():
        named, most = len(share.named), share.most
        what = (
            f"names {named} of its {len(share.tops)} top directories, at most {most} allowed; "
            "map only those you work on"
        )
        yield Finding(f"//{share.depot}/...", "The view", what, named, most)


def _too_many_lines(settings: Settings, count: int) -> Iterator[Finding]:
    limit = settings.max_lines
    if limit is not None and count > limit:
        what = (
            f"has {count} include lines, at most {limit} allowed; map the "
            "directory that several of them share, or split the work between two clients"
        )
        measured = "include lines"
        yield Finding("", "The view", what, count, limit, measured=measured, settles=True)


def _embedded(view: _View) -> Iterator[Finding]:
    limit = view.settings.max_embedded
    if limit is not None and (embedded := view.embedded()) > limit:
        what = (
            f"has {embedded} paths with ... within, at most {limit} allowed; "
            "write the directories out that you work on"
        )
        yield Finding("", "The view", what, embedded, limit, measured="embedded")
    elif limit is not None and view.event.form and view.event.type:
        most = 2 * limit**2
        if _has_more_rows(view.event.form, view.event.type, most):
            what = (
                f"has lines with wildcards within that p4d makes over {most} further rows of; "
                "leave out exclusions with ... before their end, or name their directories"
            )
            yield Finding("", "The view", what, most + 1, most, measured="map rows")


def _has_more_rows(form: Form, form_type: str, most: int) -> bool:
    lines = [*view_lines.in_map(form, form_type)]
    if not any(is_wild_within(path) for _, path, _ in lines):
        return False
    from p4warden.forms.map_rows import Line, has_more_rows  # noqa: PLC0415 - most views are plain

    return has_more_rows((Line(*line) for line in lines), most)


def _directories(number: int) -> str:
    return amount(number, "directory", "directories")


def _finding(
    mapped: Mapped | Malformed,
    what: str,
    value: int | None = None,
    limit: int | None = None,
) -> Finding:
    return Finding(mapped.line.text, mapped.place, what, value, limit)


def _to_advise(finding: Finding, propose: Callable[[Effort], Proposal | None]) -> Finding:
    return finding._replace(advise=lambda same, effort: _advised(same, propose(effort)))


def _advised(finding: Finding, fix: Proposal | None) -> Finding:
    if fix is None:
        return finding
    what = finding.what
    if fix.is_had:
        what = f"{what}; other lines of the view have all of it, so leave this one out"
    return finding._replace(what=what, fix=fix.lines, more=fix.more)
