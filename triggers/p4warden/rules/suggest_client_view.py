"""Propose a narrow view to new clients, in place of the whole depots that p4d proposes.

Why: p4d's own proposal for a new client maps every depot whole (p4 help client), so a rule against
such views only annoys without a better one. Perforce's advice to sites is the same ("Tight views",
knowledge base 1238).

Only the form of a new client is changed, and only lines that map more than the demanded depth
allows; a narrow view from a template stays unchanged. Applying the rule twice has the same result
as once.
"""

from __future__ import annotations

from itertools import islice

from p4warden.core.effort import Effort, EffortSpentError
from p4warden.core.facts import FoldedNames, by_depot, depot_named, folded
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.patterns import any_matches
from p4warden.core.records import Event, Facts, Form, Suggestion
from p4warden.forms import form_editor, view_lines
from p4warden.forms.depot_path import MalformedPath, scope, split_flag, split_words, view_line
from p4warden.forms.new_client import is_new
from p4warden.forms.view_lines import Mapped
from p4warden.rules.proposals.candidate import Asked, WideMapping, mapping_of
from p4warden.rules.proposals.narrow import propose
from p4warden.rules.proposals.placeholders import PLACEHOLDER, where_to_look
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any


CLIENT = "//CLIENT/"
MAX_DEPOTS = 6
MAX_NAMED = 12
MAX_STEPS = 10_000
"""Effort for the lines of one view; lines beyond it are left out."""


class Settings(NamedTuple):
    """Settings of `suggest_client_view`.

    Attributes:
        views: each with `groups` and the `view` to propose to their users, in which `//CLIENT/`
            stands for the client's own name; the first matching entry is used.
        min_depth: for all other users, the number of complete directories below the depot that a
            line must name.
        depots: other depths by depot name; a name is matched whole.
    """

    views: tuple[Mapping[str, Any], ...] = ()
    min_depth: int = 1
    depots: Mapping[str, int] = {}


class _Proposal(NamedTuple):
    """The view to write into a form: its lines, and comments for its editor."""

    lines: tuple[str, ...]
    notes: tuple[str, ...] = ()


def events(settings: Settings) -> tuple[tuple[str, str], ...]:  # noqa: ARG001
    """Return the events whose form is changed: clients about to be displayed."""
    return (("form-out", "client"),)


def suggest(settings: Settings, event: Event, facts: Facts) -> Suggestion | None:
    """Return a new client's form with a narrow view; None to leave the form unchanged."""
    if event.form is None or not is_new(event.form):
        return None
    wide = _wide(settings, event.form, facts)
    if not wide:
        return None
    proposal = _of_group(settings, event, facts) or _placeholders(settings, event, facts, wide)
    if not proposal.lines:
        return None  # a name that cannot be proposed to users: p4d's own form is better than none
    text = form_editor.with_lines(event.form, "View", proposal.lines, proposal.notes)
    if text is None:
        return None
    return Suggestion(text, "could have a narrower view", proposal.lines)


def _wide(settings: Settings, form: Form, facts: Facts) -> dict[int, WideMapping]:
    """Return the lines that map more than allowed, by line number.

    A view that cannot be read is left to the rules that judge it when it is saved.
    """
    wide = {}
    need = _need(settings, facts)
    for line in view_lines.of(form, "client"):
        if not isinstance(line, Mapped):
            return {}
        try:
            span = scope(line.path)
        except MalformedPath:
            return {}
        if not span.exact and len(span.directories) < need(span.depot):
            wide[line.line.number] = mapping_of(line, span)
    return wide


def _of_group(settings: Settings, event: Event, facts: Facts) -> _Proposal | None:
    """Return the view of the first entry for the user's groups."""
    client = f"//{event.name or event.client}/"
    for entry in settings.views:
        groups = entry.get("groups")
        if groups is None or any_matches(
            groups, event.groups, case_sensitive=facts.case_sensitive
        ):
            words = (split_words(line.replace(CLIENT, client)) for line in entry["view"])
            lines = tuple(map(view_line, words))
            return _Proposal(tuple(line for line in lines if line) if all(lines) else ())
    return None


def _placeholders(
    settings: Settings, event: Event, facts: Facts, wide: Mapping[int, WideMapping]
) -> _Proposal:
    """Return the form's view with a placeholder word in each line that is too wide.

    The user chooses the directory, unless the depot has only one.
    """
    form_lines = event.form.lines("view") if event.form else ()
    lines: list[str] = []
    known = _without_choice(facts)
    name, effort = event.name or "CLIENT", Effort(MAX_STEPS)
    asked = Asked(_need(settings, facts), known, FoldedNames(known), name, effort)
    for line in form_lines:
        if line.number not in wide:
            lines.append(line.text)
        elif len(lines) < MAX_DEPOTS:
            lines += _proposed(wide[line.number], asked)
    return _Proposal(tuple(dict.fromkeys(lines)), tuple(dict.fromkeys(_notes(lines, facts))))


def _proposed(mapping: WideMapping, asked: Asked) -> tuple[str, ...]:
    try:
        return propose(mapping, asked).lines
    except EffortSpentError:
        return ()


def _without_choice(facts: Facts) -> Facts:
    """Return the depots that have exactly one directory."""
    depots = {name: depot for name, depot in facts.depots.items() if depot.directory_count == 1}
    return Facts(facts.case_sensitive, depots)


def _notes(lines: Iterable[str], facts: Facts) -> Iterator[str]:
    """Yield instructions for replacing the placeholder words."""
    paths = (split_flag(split_words(line)[0])[1] for line in lines)
    for path in islice((path for path in paths if f"/{PLACEHOLDER}/" in path), MAX_DEPOTS):
        start = path.partition(f"/{PLACEHOLDER}/")[0]
        depot = depot_named(facts, start.removeprefix("//"))
        named = [d for d in (depot and depot.directories) or () if d.isascii() and d.isprintable()]
        more = ", ..." if len(named) > MAX_NAMED else ""
        told = f": {', '.join(named[:MAX_NAMED])}{more}" if named else where_to_look(path)
        if told:
            yield f"{PLACEHOLDER} in {start}{told}"


def _need(settings: Settings, facts: Facts) -> Callable[[str], int]:
    """Return a function from a depot's name to the depth that its lines must have."""
    depths = by_depot(settings.depots, facts)
    return lambda depot: depths.get(folded(depot, facts), settings.min_depth)


def mistakes(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield errors in the rule's settings: the place within the rule, and the reason."""
    for place, line in _proposed_lines(rule):
        problem = _problem(line)
        if problem:
            yield place, problem


def doubts(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield warnings about the rule's settings that are valid but possibly not intended."""
    for place, line in _proposed_lines(rule):
        words = split_words(line)
        if _problem(line) is None and not words[0].startswith("-") and _is_exact(words[0]):
            depot, client = (word.rstrip("/") for word in words)
            is_bare = words[0].endswith("/")
            said = "ends in / and maps no file" if is_bare else "maps one file"
            what = f"{words[0]} {said} (for a directory write {depot}/... {client}/...)"
            yield place, what


def _is_exact(path: str) -> bool:
    return scope(split_flag(path)[1]).exact


def _proposed_lines(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    views = rule.get("views")
    for index, entry in enumerate(views if isinstance(views, list) else ()):
        view = entry.get("view") if isinstance(entry, dict) else None
        for number, line in enumerate(view if isinstance(view, list) else ()):
            if isinstance(line, str):
                yield ("views", index, "view", number), line


def _not_two(words: tuple[str, ...]) -> str:
    path = words[0].rstrip("/") if len(words) == 1 else ""
    depot, slash, below = path.removeprefix("//").partition("/")
    if path.startswith("//") and depot and slash:
        below = below.removesuffix("...").rstrip("/")
        to = f"{CLIENT}{below}/..." if below else f"{CLIENT}..."
        return f"the client path is missing (write //{depot}/{below}/... {to})"
    return f"is not a depot path and a client path (//depot/dir/... {CLIENT}dir/...)"


def _problem(line: str) -> str | None:
    """Return the reason why a line cannot be proposed, None if it can."""
    words = split_words(line)
    if len(words) != 2:  # noqa: PLR2004 - a client's view maps one path to one
        return _not_two(words)
    if not words[1].startswith(CLIENT):
        return f"{words[1]} does not start with {CLIENT} (it stands for the client's own name)"
    flag, path = split_flag(words[0])
    try:
        span = scope(path)
    except MalformedPath as problem:
        return f"{words[0]} {problem}"
    if flag != "-" and not span.exact and not span.directories:
        return f"{words[0]} proposes a whole depot (name a directory of it)"
    return None


RULE = Rule(
    __doc__,
    "a new client's form could have a narrower view",
    Settings,
    events,
    suggest=suggest,
    mistakes=mistakes,
    doubts=doubts,
)
