"""Example forms and submits with too long paths, for the rule `limit_path_length` to refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.core.facts import by_depot, folded
from p4warden.rules.witnesses.draft import CLIENT, Draft, depots, form_event, saved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts


def drafts(settings: Any, facts: Facts) -> Iterator[Draft]:
    """Yield example forms with a path slightly longer than allowed, then a submit with one."""
    limits = by_depot(settings.depots, facts)
    depot = depots(facts)[0]
    most = limits.get(folded(depot, facts), settings.max_leading)
    directory = f"//{depot}/{'d' * most}/"
    for form_type in settings.forms:
        if form_type == "depot":
            form = f"Depot:\t{CLIENT}\n\nType:\tlocal\n\nMap:\t{'d' * most}/...\n"
            yield Draft(
                f"a depot with a Map of {most} bytes", form_event("form-save", "depot", form)
            )
        else:
            description = (
                f"a {form_type} with a path of {len(directory)} bytes before its first wildcard"
            )
            yield Draft(description, saved(form_type, [f"{directory}..."]))
    if settings.submits:
        files = [{"action": "add", "path": f"{directory}file"}]
        description = f"a submit of a file with a path of {len(directory) + 4} bytes"
        yield Draft(description, {"event": "change-submit", "files": files})


def none(settings: Any) -> str:
    """Return the reason, for a warning, why `limit_path_length` stopped no test event."""
    return f"a path of more than {settings.max_leading} bytes is allowed in all forms and submits"
