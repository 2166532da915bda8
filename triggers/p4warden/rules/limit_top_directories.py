"""Refuse submits that add first-level directories to a depot beyond a maximum number.

Submits to existing directories are never refused, whatever the number.
"""

from __future__ import annotations

from p4warden.core.facts import by_depot, depot_named, folded, limit_in
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.plural import amount, at_most
from p4warden.core.records import MOVABLE, Depot, Event, Facts, Finding
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_NO_LIMIT = 2**63


class Settings(NamedTuple):
    """Settings of the policy rule `limit_top_directories`; a limit of None is not judged.

    Attributes:
        max: the largest allowed number of first-level directories in a depot.
        depots: other limits by depot name; a name is matched whole.
        warn_from: the number of first-level directories from which on a new one gives a warning.
    """

    max: int | None = None
    depots: Mapping[str, int] = {}
    warn_from: int | None = None


class _NewDirectory(NamedTuple):
    """A first-level directory that a submit adds to a depot.

    Attributes:
        depot: the depot's name.
        directory: the directory's name.
        record: the depot in the facts about the server.
        number: the number of first-level directories in the depot, including this one.
        is_movable: whether `p4 move` accepts all of its files.
    """

    depot: str
    directory: str
    record: Depot
    number: int
    is_movable: bool


def events(settings: Settings) -> tuple[tuple[str, None], ...]:  # noqa: ARG001
    """Return the trigger event that a rule on first-level directories judges: every submit."""
    return (("change-submit", None),)


def is_undecidable(settings: Settings, event: Event, facts: Facts) -> bool:  # noqa: ARG001
    """Tell whether the facts about the server leave open which top directories a submit adds."""
    depots = [depot_named(facts, name) for name in {depot for depot, _ in _tops(event)}]
    return any(depot is None or _directories(depot) is None for depot in depots)


def find(settings: Settings, event: Event, facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each first-level directory that a submit adds beyond a depot's limit.

    A directory within the limit gives a warning if it is number `warn_from` or later in the depot.
    The findings are in the order of the submit's files.
    """
    limits = by_depot(settings.depots, facts)
    default = _NO_LIMIT if settings.max is None else settings.max
    for new in _new_directories(event, facts):
        limit = limit_in(new.depot, limits, default, facts, min)
        if new.number > limit:
            finding = _finding(new, _one_too_many(new, limit), limit)
            yield _with_remedy(finding, new, event, unicode=facts.unicode)
        elif settings.warn_from is not None and new.number >= settings.warn_from:
            place = f"is directory number {new.number:,} directly below //{new.depot}"
            problem = f"{place}, reported from {settings.warn_from} on"
            yield _finding(new, problem, settings.warn_from)._replace(is_warning=True)


def _new_directories(event: Event, facts: Facts) -> Iterator[_NewDirectory]:
    """Yield the first-level directories that a submit adds.

    Each has the depot's number of first-level directories up to and including it.
    """
    directories_of: dict[str, set[str]] = {}
    additions: dict[str, int] = {}
    branched = _tops(event, movable=False)
    branched_tops = {(folded(depot, facts), folded(top, facts)) for depot, top in branched}
    for name, directory in _tops(event):
        key, top = folded(name, facts), folded(directory, facts)
        depot = depot_named(facts, name)
        if depot is None:
            continue
        if key not in directories_of:
            directories_of[key] = {
                folded(directory, facts) for directory in _directories(depot) or ()
            }
        if top not in directories_of[key]:
            directories_of[key].add(top)
            additions[key] = additions.get(key, 0) + 1
            number = depot.directory_count + additions[key]
            yield _NewDirectory(name, directory, depot, number, (key, top) not in branched_tops)


def _directories(depot: Depot) -> tuple[str, ...] | None:
    if depot.directories is None and depot.confirmed_directories is None:
        return None
    return (depot.directories or ()) + (depot.confirmed_directories or ())


def _tops(event: Event, *, movable: bool = True) -> dict[tuple[str, str], None]:
    """Return the distinct pairs of depot and first-level directory of a submit's new files.

    Files directly below a depot are left out; those that `p4 move` accepts, too, if not `movable`.
    """
    new_files = (file for file in event.files or () if file.is_new)
    new_paths = (file.path for file in new_files if movable or file.action not in MOVABLE)
    parts = (path.removeprefix("//").split("/", 2) for path in new_paths)
    return dict.fromkeys((part[0], part[1]) for part in parts if len(part) > 2)  # noqa: PLR2004


def _one_too_many(new: _NewDirectory, limit: int) -> str:
    total = f"{amount(new.number, 'directory', 'directories')} directly below it"
    return f"is not allowed: //{new.depot} would have {total}; {at_most(limit)}"


def _finding(new: _NewDirectory, problem: str, limit: int) -> Finding:
    item = f"//{new.depot}/{new.directory}/..."
    return Finding(item, "The new directory", problem, new.number, limit)


def _with_remedy(finding: Finding, new: _NewDirectory, event: Event, *, unicode: bool) -> Finding:
    """Return a finding with the remedy in words, and as a p4 command where it is safe to copy.

    `p4 move` accepts only files that are opened for add or edit, and a stream's client maps no
    other stream (p4 help move, p4 help streamintro). A directory that is called like a placeholder
    gets no command, because the name would be taken for one.
    """
    if new.record.type == "stream":
        return _with_sentence(finding, "Add the files to an existing stream")
    if not new.is_movable:
        return _with_sentence(
            finding, "Revert the new files, then branch them to an existing directory"
        )
    from p4warden.core.visible import is_unchanged  # noqa: PLC0415 - few submits are refused
    from p4warden.rules.proposals.placeholder_advice import is_plain  # noqa: PLC0415 - likewise
    from p4warden.rules.proposals.placeholders import PLACEHOLDER, SHORT  # noqa: PLC0415 - likewise

    names = (
        name
        for name in new.record.directories or ()
        if is_plain(f"//{name}") and is_unchanged(name, unicode=unicode)
    )
    new_item = f"//{new.depot}/{next(names, PLACEHOLDER)}/{new.directory}/..."
    is_placeholder = new.directory in (PLACEHOLDER, SHORT)
    is_safe = is_plain(finding.item) and is_plain(new_item) and not is_placeholder
    command = f"p4 move -c {event.change_number} {finding.item} {new_item}"
    worded_finding = _with_sentence(finding, "Move the new files to an existing directory")
    return worded_finding._replace(fix=(command,)) if is_safe else worded_finding


def _with_sentence(finding: Finding, remedy: str) -> Finding:
    return finding._replace(problem=f"{finding.problem}. {remedy}")


RULE = Rule(
    "a submit adds more first-level directories than the policy allows",
    Settings,
    events,
    find=find,
    is_undecidable=is_undecidable,
    server_facts={"change-submit": frozenset({"files", "directories"})},
    fix_heading="For example, if your client maps that directory:",
    fix_ending={None: "Then: p4 submit -c CHANGE"},
)
