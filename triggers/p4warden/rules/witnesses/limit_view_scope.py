"""Events for testing a policy's rule `limit_view_scope`: forms with too wide or too long views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.core.facts import by_depot, folded, to_document
from p4warden.core.records import Depot, Facts
from p4warden.rules.witnesses.draft import DEEP, Draft, depots, saved

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_LINES = 50_000
"""Maximum number of lines in an example view, which fit into a form of 4 MiB, the largest form
that is read."""


def drafts(settings: Any, facts: Facts) -> Iterator[Draft]:
    """Yield example forms with views of whole depots, then views that exceed other limits."""
    for form_type in settings.forms:
        yield from _whole_depots(settings, form_type, facts)
    for form_type in settings.forms:
        yield from _long(settings, form_type, depots(facts)[0])
        yield from _shares(settings, form_type, facts)


def none(settings: Any) -> str:
    """Return the reason, for a warning, why `limit_view_scope` stopped no test event."""
    if settings.min_depth == 0 and not any(settings.depots.values()):
        if settings.max_share or settings.max_files:
            return "min_depth: 0 allows whole depots, and no test view exceeds its other limits"
        return "min_depth: 0 allows whole depots (write min_depth: 1)"
    return "whole depots are allowed in all its forms"


def _whole_depots(settings: Any, form_type: str, facts: Facts) -> Iterator[Draft]:
    depths = by_depot(settings.depots, facts)
    for depot in depots(facts, settings.depots):
        if depths.get(folded(depot, facts), settings.min_depth) > 0:
            path = f"//{depot}/..."
            yield Draft(f"a {form_type} that maps {path}", saved(form_type, [path]))
    if settings.max_files is not None:
        paths = [f"//{depot}/..." for depot in depots(facts)]
        yield Draft(f"a {form_type} that maps every depot", saved(form_type, paths))


def _long(settings: Any, form_type: str, depot: str) -> Iterator[Draft]:
    if settings.max_lines is not None and settings.max_lines < _MOST_LINES:
        lines = [f"//{depot}/{DEEP}/{n}/..." for n in range(settings.max_lines + 1)]
        yield Draft(f"a {form_type} of {len(lines)} lines", saved(form_type, lines))
    if settings.max_embedded is not None:
        lines = [f"//{depot}/{DEEP}/.../{n}/..." for n in range(settings.max_embedded + 1)]
        description = f"a {form_type} of {len(lines)} lines with ... before their end"
        yield Draft(description, saved(form_type, lines))


def _shares(settings: Any, form_type: str, facts: Facts) -> Iterator[Draft]:
    """Yield a view of all top directories of the known depot with most, or of an example depot."""
    if settings.max_share is None:
        return
    depots = [(d.directory_count, name, d.directories) for name, d in facts.depots.items()]
    candidates = [(count, name, tops) for count, name, tops in depots if tops]
    facts_document = None
    if not facts.depots:
        tops = tuple(f"top-{n}" for n in range(settings.min_directories))
        candidates = [(len(tops), "depot", tops)]
        facts_document = to_document(Facts(depots={"depot": Depot("local", tops, len(tops))}))
    for count, name, tops in sorted(candidates, reverse=True)[:1]:
        lines = [f"//{name}/{top}/..." for top in tops]
        description = f"a {form_type} that names all {count} top directories of //{name}"
        yield Draft(description, saved(form_type, lines), facts=facts_document)
