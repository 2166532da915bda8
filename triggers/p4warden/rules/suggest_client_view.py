"""Propose a narrow view to new clients, in place of the whole depots that p4d proposes.

Why: p4d's own proposal for a new client maps every depot whole (p4 help client), so a rule against
such views only annoys without a better one. Perforce's advice to sites is the same ("Tight views",
knowledge base 1238).

Only the form of a new client is changed, and only lines that map more than the demanded depth
allows; a narrow view from a template stays unchanged. Applying the rule twice has the same result
as once.
"""

from __future__ import annotations

from p4warden.core.facts import by_depot, folded
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.forms.depot_path import MalformedPath, path_span, split_flag, split_words
from p4warden.forms.new_client import is_new
from p4warden.rules.proposals.placeholders import CLIENT
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from p4warden.core.records import Event, Facts, Suggestion


class Settings(NamedTuple):
    """Settings of the policy rule `suggest_client_view`.

    Attributes:
        views: each with a `view`, in which `//CLIENT/` stands for `//` and the client's name, and
            the `groups` to whose users it is proposed, or none for all users; the first matching
            entry is used.
        min_depth: for all other users, the number of complete directories below the depot that a
            view line must name.
        depots: other depths by depot name; a name is matched whole.
    """

    views: tuple[Mapping[str, Any], ...] = ()
    min_depth: int = 1
    depots: Mapping[str, int] = {}


def events(settings: Settings) -> tuple[tuple[str, str], ...]:  # noqa: ARG001
    """Return the trigger event of a rule that suggests client views: showing a client form."""
    return (("form-out", "client"),)


def suggest(settings: Settings, event: Event, facts: Facts) -> Suggestion | None:
    """Return a new client's form with a narrow view that the policy proposes.

    None to leave the form unchanged.
    """
    if event.form is None or not is_new(event.form):
        return None
    from p4warden.rules.proposals import new_view  # noqa: PLC0415 - few forms are new

    depths = by_depot(settings.depots, facts)

    def need_of(depot: str) -> int:
        return depths.get(folded(depot, facts), settings.min_depth)

    return new_view.suggestion(event.form, event, facts, settings.views, need_of)


def mistakes(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield errors in a rule that suggests client views: key path within it, and message."""
    for place, line in _proposed_lines(rule):
        problem = _problem(line)
        if problem:
            yield place, problem


def doubts(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield warnings about a rule that suggests client views: key path within it, and message."""
    for place, line in _proposed_lines(rule):
        words = split_words(line)
        if _problem(line) is None and not words[0].startswith("-") and _is_exact(words[0]):
            depot, client = (word.rstrip("/") for word in words)
            is_bare = words[0].endswith("/")
            problem = "ends in / and maps no file" if is_bare else "maps one file"
            doubt = f"{words[0]} {problem} (for a directory write {depot}/... {client}/...)"
            yield place, doubt


def _is_exact(path: str) -> bool:
    return path_span(split_flag(path)[1]).is_exact


def _proposed_lines(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    views = rule.get("views")
    for index, entry in enumerate(views if isinstance(views, list) else ()):
        view = entry.get("view") if isinstance(entry, dict) else None
        for number, line in enumerate(view if isinstance(view, list) else ()):
            if isinstance(line, str):
                yield ("views", index, "view", number), line


def _not_two(words: tuple[str, ...]) -> str:
    path = words[0].rstrip("/") if len(words) == 1 else ""
    depot, slash, rest = path.removeprefix("//").partition("/")
    if path.startswith("//") and depot and slash:
        rest = rest.removesuffix("...").rstrip("/")
        to = f"{CLIENT}{rest}/..." if rest else f"{CLIENT}..."
        return f"the client path is missing (write //{depot}/{rest}/... {to})"
    return f"is not a depot path and a client path (//depot/dir/... {CLIENT}dir/...)"


def _problem(line: str) -> str | None:
    """Return the reason why a policy's view line cannot be proposed, None if it can."""
    words = split_words(line)
    if len(words) != 2:  # noqa: PLR2004 - a client's view maps one path to one
        return _not_two(words)
    if not words[1].startswith(CLIENT):
        return f"{words[1]} does not start with {CLIENT} (CLIENT is replaced by the client's name)"
    flag, path = split_flag(words[0])
    try:
        span = path_span(path)
    except MalformedPath as problem:
        return f"{words[0]} {problem}"
    if flag != "-" and not span.is_exact and not span.directories:
        return f"{words[0]} proposes a whole depot (add a directory)"
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
