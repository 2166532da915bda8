"""Refuse paths whose leading part is long.

The measure is the bytes before the first wildcard, as the server stores them: UTF-8 on a unicode
server, the client's own bytes on another. A path without a wildcard counts whole. A line that p4d
could not read is a finding, too.

In a client's view the depot side is judged. The same paper advises to map a short depot path to
the long client path that a compiler wants (its own example maps `//epiph/MAN/jsrc/...` to
`//my-client/com/our-company/epiphany-project/...`), so the client side is judged only if
`max_client_leading` sets a limit (db.have and db.working are keyed by client path). No shorter
client path is proposed, because the directories of a package cannot be left out.

The proposal depends on whether the user can choose the path. A client, a label and an import map
existing files, so the proposal maps a directory above them: the nearest one that is short enough
and names at least two directories. A stream's own path, a branch's target and a new file are named
by the user, so the proposal has a shorter name. The remedy is stated in words as well, so that a
refusal without a fitting proposal has one; a depot whose name alone is too long needs a separate
limit. A file opened for add can be moved, or keep its place on the disk by a view line, except in
a stream's client, whose view cannot be edited.

Files are judged only when they are added to the depot, so work on existing long paths is not
affected.
"""

from __future__ import annotations

from p4warden.core.facts import by_depot, depot_named, limit_in
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.plural import at_most
from p4warden.core.records import Event, Facts, Finding
from p4warden.forms import leading_paths
from p4warden.forms.view_lines import MalformedLine
from p4warden.rules.proposals.placeholders import LONGER_WORDS, PlaceholderFinder, objection
from p4warden.rules.proposals.shorten import LengthLimits, shorter_line
from p4warden.rules.proposals.shorter_path import remedy
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden.core.effort import Effort
    from p4warden.forms.leading_paths import LeadingPath

# Computing steps counted for the proposal of a shorter view line: `_STEPS_OF_A_LINE`, and one for
# each `_CHARACTERS_OF_A_STEP` characters of the path.
_STEPS_OF_A_LINE = 10
_CHARACTERS_OF_A_STEP = 100

_ABOVE = "For example, to map everything below the nearest allowed directory:"


class Settings(NamedTuple):
    """Settings of the policy rule `limit_path_length`.

    Attributes:
        max_leading: the largest allowed number of bytes before a path's first wildcard.
        forms: the form types to judge.
        depots: other limits by depot name; a name is matched whole.
        submits: whether files added to the depot by submits are judged as well.
        max_client_leading: the limit in bytes for client paths; None to judge no client path.
    """

    max_leading: int
    forms: tuple[str, ...] = ("client", "stream", "branch", "label", "depot")
    depots: Mapping[str, int] = {}
    submits: bool = True
    max_client_leading: int | None = None


def events(settings: Settings) -> tuple[tuple[str, str | None], ...]:
    """Return the trigger events that a rule on path lengths judges: saves of its form types.

    Submits, too, if its setting `submits` is true.
    """
    forms = tuple(("form-save", form) for form in settings.forms)
    return (*forms, ("change-submit", None)) if settings.submits else forms


def find(settings: Settings, event: Event, facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each path in a form or submit that is too long, or cannot be read.

    In a form, also for each other depot path with a placeholder word that the user did not
    replace.
    """
    limits, words = by_depot(settings.depots, facts), PlaceholderFinder(LONGER_WORDS, facts)
    client = (event.name if event.type == "client" else event.client) or "CLIENT"

    def limit_of(depot: str) -> int:
        return limit_in(depot, limits, settings.max_leading, facts, min)

    limits_of = LengthLimits(limit_of, settings.max_client_leading)

    for path in leading_paths.added_paths(event):
        if isinstance(path, MalformedLine):
            yield Finding(path.line.text, path.place, path.problem, None, None)
            continue
        if path.side == 1:
            yield from _of_client_path(path, settings.max_client_leading)
            continue
        limit, length = limit_of(path.depot), path.length_bytes
        word = words.first(path.path) if event.form else None
        if length > limit:
            long = "is" if path.is_of_depot else f"has a {path.kind}path that is"
            advice = remedy(path, limit, event.change_number)
            problem = f"{long} too long: {_allowed(path, limit)}. {advice}"
            finding = Finding(path.item, path.place, problem, length, limit)
            yield (
                finding
                if path.action and _is_of_streams(path, facts)
                else _to_advise(finding, path, client, limits_of, unicode=facts.unicode)
            )
        elif word:
            yield Finding(path.item, path.place, objection(word), None, None)


def _is_of_streams(path: LeadingPath, facts: Facts) -> bool:
    depot = depot_named(facts, path.depot)
    return depot is not None and depot.type == "stream"


def _of_client_path(path: LeadingPath, limit: int | None) -> Iterator[Finding]:
    length = path.length_bytes
    if limit is not None and length > limit:
        problem = (
            f"has a client path that is too long: {_allowed(path, limit)}. "
            "Shorten the right side of the line"
        )
        yield Finding(path.item, path.place, problem, length, limit)


def _allowed(path: LeadingPath, limit: int) -> str:
    return f"{path.length_bytes} bytes{path.measured_part}; {at_most(limit)}"


def _to_advise(
    finding: Finding, path: LeadingPath, client: str, limits: LengthLimits, *, unicode: bool
) -> Finding:
    def advise(finding: Finding, effort: Effort) -> Finding:
        effort.spend(_STEPS_OF_A_LINE + len(path.item) // _CHARACTERS_OF_A_STEP)
        shorter = shorter_line(path, client, limits, unicode=unicode)
        problem = f"{finding.problem}{shorter.remark}"
        return finding._replace(
            fix=shorter.lines, problem=problem, short_bytes=shorter.short_bytes
        )

    return finding._replace(advise=advise)


RULE = Rule(
    "a path's leading part is longer than the policy allows",
    Settings,
    events,
    find=find,
    server_facts={"change-submit": frozenset({"files"})},
    reason={
        # Clients and labels get no reason, because the paths of the files they map stay unchanged.
        "client": "",
        "label": "",
        None: (
            "The server stores the whole path again for every file, which slows down every "
            "command: at twice the path length, submits of 70,000 files were 20% slower (Perforce "
            "Performance Lab, 2009)."
        ),
    },
    fix_heading={
        "client": _ABOVE,
        "label": _ABOVE,
        "branch": "For example:",
        "stream": "For example:",
        None: (
            "Or, to keep a file that you opened with p4 add where it is on your disk (not with a "
            "stream's client):\n"
            "1. p4 revert -k FILE (FILE: its path on your disk)\n"
            "2. Add the following at the end of your client's view; correct the right side if the "
            "file is elsewhere in your client:"
        ),
    },
    fix_ending={None: "3. p4 add -c CHANGE FILE\n4. p4 submit -c CHANGE"},
)
