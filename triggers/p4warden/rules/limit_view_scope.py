"""Refuse views that make the server scan a whole depot.

The measure is lexical: the complete literal directories below the depot before the first wildcard,
for each include line. Exclusions do not narrow what is scanned and overlays do not widen it, so
neither changes the count. A line that p4d could not read is a finding, too.

A line that still contains a placeholder word of a proposal maps nothing, and p4d accepts it
silently; such a line is a finding as well, unless a depot or a top directory has that name.

Two more ways to map a depot are judged if the policy limits them: by naming most of its top
directories one by one (the share), and by a view so long or with so many `...` within its paths
that reading it costs the server as much. p4d's map of n lines `//depot/.../NAME/...` has about
2n^2 rows, and 9 such lines with 600 exclusions of the kind have 21,753 (measured with the map of
Perforce's C++ API). So `max_embedded` bounds both the include lines with `...` before their end
and the rows of the map for all lines, exclusions included: one for each line, and 2 *
max_embedded^2 more. `forms/map_rows.py` has the formula.

`max_files` limits the files that a view spans: those in the ranges that p4d scans for its include
lines, each counted once, according to the index that `p4warden index` builds from a checkpoint.
This number measures the cost directly; depth is a substitute. Without an index for this server the
number is unknown, and a view without other findings gets the verdict unknown. `whole_view.py` has
the checks of a view as a whole.
"""

from __future__ import annotations

from p4warden.core.facts import FoldedNames, by_depot
from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.plural import spelled
from p4warden.core.printable import shortened
from p4warden.core.records import Event, Facts, Finding
from p4warden.forms import view_lines
from p4warden.forms.depot_path import WildcardDepot
from p4warden.forms.view_lines import MalformedLine, ViewLinePath
from p4warden.rules import whole_view
from p4warden.rules.proposals.placeholders import WIDER_WORDS, PlaceholderFinder, objection
from p4warden.rules.rule import Rule
from p4warden.rules.view_advice import LateAdvisor, advised, to_advise
from p4warden.rules.view_limits import Settings, View, ViewLineSpan, line_span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from p4warden.core.effort import Effort
    from p4warden.core.records import WideLine
    from p4warden.forms.depot_path import Span
    from p4warden.rules.proposals.narrow import Proposal


def events(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return the trigger events that a rule on views judges: the saves of its form types."""
    return tuple(("form-save", form) for form in settings.forms)


def is_partly_undecided(settings: Settings, event: Event, facts: Facts) -> bool:
    """Tell whether a rule's limits cannot be judged.

    The view's files are not counted, or a stream adds imports to those that it inherits, which no
    facts name.
    """
    if not event.form or not event.type:
        return False
    adds_up = settings.max_files is not None or settings.max_share is not None
    if event.type == "stream" and adds_up and view_lines.adds_to_inherited(event.form):
        return True
    if settings.max_files is None or facts.spanned_files:
        return False
    if event.type == "client" and view_lines.is_of_stream(event.form):
        return True  # the view is the stream's, whose own form is judged
    return bool(whole_view.include_lines(event.form, event.type))


def find(settings: Settings, event: Event, facts: Facts) -> Iterator[Finding]:
    """Yield the findings about a form's view.

    In this order: too many lines, findings about single lines, findings about the view as a whole.
    Lines are counted before any is parsed.
    """
    if event.form is None or event.type is None:
        return
    count = view_lines.include_count(event.form, event.type)
    yield from whole_view.too_many_lines(settings.max_lines, count, event.type)
    depths = by_depot(settings.depots, facts)
    lines = [
        line_span(parsed_line)
        for parsed_line in view_lines.view_line_paths(event.form, event.type)
    ]
    view = View(settings, facts, event, depths, lines, FoldedNames(facts))
    client = (event.name or "CLIENT") if event.type == "client" else None
    advice = LateAdvisor(view, client)
    words = PlaceholderFinder(WIDER_WORDS, facts)
    for line in lines:
        finding = _judge(view, line, words, advice)
        if finding:
            yield finding
    for finding in whole_view.too_large_shares(view.shares(), facts.depots):
        yield to_advise(finding, _used_lines(view, finding, advice))
    yield from whole_view.too_many_rows(
        settings.max_embedded, view.embedded(), event.form, event.type, view.names
    )
    yield from _too_many_files(view, advice)


def _judge(
    view: View, line: ViewLineSpan, words: PlaceholderFinder, advice: LateAdvisor
) -> Finding | None:
    """Judge one view line for `limit_view_scope`, without regard to the other lines of the view.

    Return the finding; None for a line to which the rule does not object.
    """
    parsed_line, span, problem = line
    if isinstance(parsed_line, MalformedLine):
        return _finding(parsed_line, parsed_line.problem)
    if parsed_line.line.number == view_lines.DEFAULT_VIEW_LINE:
        return _default_view(view, parsed_line, advice)
    if span is None:
        wild = isinstance(problem, WildcardDepot)
        text = str(problem)
        return (
            _every_depot(view, parsed_line, text, advice) if wild else _finding(parsed_line, text)
        )
    word = words.first(parsed_line.path)
    if word:
        return _not_replaced(parsed_line, word, advice, unicode=view.facts.unicode)
    # A component is a whole stream by nature, and the form of that stream is judged itself.
    is_stream = parsed_line.field == "Components" and bool(span.directories)
    if is_stream or view.is_narrow(span):
        return None
    depth, need = len(span.directories), view.need(span.depot)
    finding = _finding(parsed_line, too_wide(parsed_line.path, span, need), depth, need)
    return to_advise(
        finding, lambda effort: advice.advisor().instead_of(parsed_line, span, effort)
    )


def _not_replaced(
    parsed_line: ViewLinePath, word: str, advice: LateAdvisor, *, unicode: bool
) -> Finding:
    from p4warden.rules.proposals.placeholder_advice import where_to_look  # noqa: PLC0415 - rare

    problem, hint = objection(word), where_to_look(parsed_line.path, unicode=unicode)

    def advise(finding: Finding, effort: Effort) -> Finding:
        fix = advice.advisor().for_words(parsed_line, effort)
        if fix and fix.lines:
            finding = finding._replace(problem=finding.problem.replace(hint, "", 1))
        return advised(finding, fix)

    return _finding(parsed_line, f"{problem}{hint}")._replace(advise=advise)


def _default_view(view: View, line: ViewLinePath, advice: LateAdvisor) -> Finding | None:
    need = max(view.settings.min_depth, *view.depths.values(), 0)
    if need == 0:
        return None
    problem = (
        "includes no files, and the server's default view maps all depots. Add View lines; each "
        f"names one depot (p4 depots lists them) and at least {spelled(need)} {_noun(need)} below"
    )
    finding = Finding("", "The view", problem, 0, need, counted_things="default view")
    if view.event.type != "client":
        return finding
    return to_advise(finding, lambda effort: advice.advisor().instead_of(line, None, effort))


def _every_depot(
    view: View, parsed_line: ViewLinePath, extent: str, advice: LateAdvisor
) -> Finding:
    need = max(view.settings.min_depth, 1)
    remedy = (
        "name one depot (p4 depots lists them) and at least "
        f"{spelled(need)} {_noun(need)} below it"
    )
    finding = _finding(parsed_line, f"{shortened(extent)}; {remedy}", 0, need)
    return to_advise(
        finding, lambda effort: advice.advisor().instead_of(parsed_line, None, effort)
    )


def too_wide(path: str, span: Span, need: int) -> str:
    """Return the objection to a depot path with too few directories.

    The text is to follow the path in a refusal.
    """
    named_path = "/".join((f"//{span.depot}", *span.directories))
    rest = path[len(named_path) + 1 :]
    extent = f"all of {shortened(named_path)}"
    if rest != "...":
        extent = f"all paths below {shortened(named_path)} that match {shortened(rest)}"
    lack = need - len(span.directories)
    more = "more " if span.directories else ""
    return f"maps {extent}; name at least {spelled(lack)} {more}{_noun(lack)} below it"


def _noun(number: int) -> str:
    return "directory" if number == 1 else "directories"


def _too_many_files(view: View, advice: LateAdvisor) -> Iterator[Finding]:
    parsed_lines = tuple(
        line.parsed_line for line in view.lines if isinstance(line.parsed_line, ViewLinePath)
    )
    spans = [line.span for line in view.lines if isinstance(line.parsed_line, ViewLinePath)]
    limit, spanned = view.settings.max_files, view.facts.spanned_files
    for finding, wide in whole_view.too_many_files(limit, parsed_lines, spanned):
        if wide is None:
            yield finding
        else:
            yield to_advise(
                finding, _narrower_lines(parsed_lines[wide.line], spans[wide.line], wide, advice)
            )


def _narrower_lines(
    parsed_line: ViewLinePath, span: Span | None, wide: WideLine, advice: LateAdvisor
) -> Callable[[Effort], Proposal | None]:
    names = [path for path, _ in wide.narrower_directories]
    return lambda effort: advice.advisor().for_directories(parsed_line, span, names, effort)


def _used_lines(
    view: View, finding: Finding, advice: LateAdvisor
) -> Callable[[Effort], Proposal | None]:
    depot = view.names.folded(finding.item.removeprefix("//").removesuffix("/..."))
    lines = (
        (line.parsed_line, line.span)
        for line in view.lines
        if isinstance(line.parsed_line, ViewLinePath)
        and line.span
        and len(line.span.directories) == 1
        and view.names.folded(line.span.depot) == depot
    )
    return lambda effort: advice.advisor().used_lines(lines, finding.limit or 0, effort)


def _finding(
    parsed_line: ViewLinePath | MalformedLine,
    problem: str,
    value: int | None = None,
    limit: int | None = None,
) -> Finding:
    return Finding(parsed_line.line.text, parsed_line.place, problem, value, limit)


RULE = Rule(
    "a view maps more of a depot than the policy allows",
    Settings,
    events,
    find=find,
    is_partly_undecided=is_partly_undecided,
    fix_heading={
        "client": "Name only the directories you work on, for example:",
        None: "Name only the directories it needs, for example:",
    },
)
