"""Propose a narrow view for a new client, in place of the whole depots that p4d proposes."""

from __future__ import annotations

from itertools import islice

from p4warden.core.effort import Effort, EffortSpentError
from p4warden.core.facts import FoldedNames, depot_named
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.patterns import any_matches
from p4warden.core.records import Facts, Suggestion
from p4warden.core.visible import is_unchanged
from p4warden.forms import form_editor, view_lines
from p4warden.forms.depot_path import MalformedPath, path_span, split_flag, split_words, view_line
from p4warden.forms.view_lines import ViewLinePath
from p4warden.rules.proposals.candidate import Context, WideMapping, mapping_of
from p4warden.rules.proposals.narrow import propose
from p4warden.rules.proposals.placeholder_advice import listing_advice
from p4warden.rules.proposals.placeholders import CLIENT, PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from p4warden.core.records import Event, Form

MAX_DEPOTS = 6
MAX_NAMED = 12
MAX_STEPS = 10_000
"""Maximum number of computing steps for the view proposed to a new client; lines of p4d's form for
which no steps remain are left out of that view."""


class _Proposal(NamedTuple):
    """A proposed view for a new client's form: view lines, and comments for the user."""

    lines: tuple[str, ...]
    notes: tuple[str, ...] = ()


def suggestion(
    form: Form,
    event: Event,
    facts: Facts,
    views: Iterable[Mapping[str, Any]],
    need_of: Callable[[str], int],
) -> Suggestion | None:
    """Return a new client's form with a narrow view; None to leave the form unchanged.

    Args:
        form: the form that p4d proposes.
        event: the trigger event, with the user and the client's name.
        facts: the known facts about the server's depots.
        views: entries of the policy with a `view` and the `groups` it is for; the first matching
            entry is used.
        need_of: maps a depot's name to the number of complete directories that its view lines must
            name.
    """
    wide = _wide(form, need_of)
    if not wide:
        return None
    proposal = _of_group(views, event, facts) or _placeholders(form, event, facts, wide, need_of)
    if not proposal.lines:
        return None  # no line can be proposed, so p4d's form stays unchanged
    text = form_editor.with_lines(form, "View", proposal.lines, proposal.notes)
    if text is None:
        return None
    return Suggestion(text, "could have a narrower view", proposal.lines)


def _wide(form: Form, need_of: Callable[[str], int]) -> dict[int, WideMapping]:
    """Return the lines of a new client's view that name too few directories, by line number.

    Empty for a view with a line that cannot be read; rules judge it when it is saved.
    """
    wide = {}
    for line in view_lines.view_line_paths(form, "client"):
        if not isinstance(line, ViewLinePath):
            return {}
        try:
            span = path_span(line.path)
        except MalformedPath:
            return {}
        if not span.is_exact and len(span.directories) < need_of(span.depot):
            wide[line.line.number] = mapping_of(line, span)
    return wide


def _of_group(views: Iterable[Mapping[str, Any]], event: Event, facts: Facts) -> _Proposal | None:
    """Return the view in the first policy entry for all users or for a group of the user.

    None without such an entry.
    """
    client = f"//{event.name or event.client}/"
    for entry in views:
        groups = entry.get("groups")
        if groups is None or any_matches(
            groups, event.groups, case_sensitive=facts.case_sensitive
        ):
            words = (split_words(line.replace(CLIENT, client)) for line in entry["view"])
            lines = tuple(view_line(pair, unicode=facts.unicode) for pair in words)
            return _Proposal(tuple(line for line in lines if line) if all(lines) else ())
    return None


def _placeholders(
    form: Form,
    event: Event,
    facts: Facts,
    wide: Mapping[int, WideMapping],
    need_of: Callable[[str], int],
) -> _Proposal:
    """Return a new client's view with a placeholder for a directory in each line that is too wide.

    If the depot is known to have only one directory, its name is used instead. Wide lines are
    left out once the new view has `MAX_DEPOTS` lines.
    """
    lines: list[str] = []
    plain_facts = _without_choice(facts)
    name, effort = event.name or "CLIENT", Effort(MAX_STEPS)
    context = Context(need_of, plain_facts, FoldedNames(plain_facts), name, effort)
    for line in form.lines("view"):
        if line.number not in wide:
            lines.append(line.text)
        elif len(lines) < MAX_DEPOTS:
            lines += _proposed(wide[line.number], context)
    return _Proposal(tuple(dict.fromkeys(lines)), tuple(dict.fromkeys(_notes(lines, facts))))


def _proposed(mapping: WideMapping, context: Context) -> tuple[str, ...]:
    try:
        return propose(mapping, context).lines
    except EffortSpentError:
        return ()


def _without_choice(facts: Facts) -> Facts:
    depots = {name: depot for name, depot in facts.depots.items() if depot.directory_count == 1}
    return Facts(facts.case_sensitive, depots, unicode=facts.unicode)


def _notes(lines: Iterable[str], facts: Facts) -> Iterator[str]:
    """Yield comments for a new client's form on the placeholders that the user must replace."""
    paths = (split_flag(split_words(line)[0])[1] for line in lines)
    placeholder_paths = [
        *islice((path for path in paths if f"/{PLACEHOLDER}/" in path), MAX_DEPOTS)
    ]
    for path in placeholder_paths:
        start = path.partition(f"/{PLACEHOLDER}/")[0]
        depot = depot_named(facts, start.removeprefix("//"))
        directories = [
            name
            for name in (depot and depot.directories) or ()
            if is_unchanged(name, unicode=facts.unicode)
        ]
        more = ", ..." if len(directories) > MAX_NAMED else ""
        hint = (
            f": {', '.join(directories[:MAX_NAMED])}{more}"
            if directories
            else listing_advice(path, unicode=facts.unicode)
        )
        yield f"Replace {PLACEHOLDER} with a directory in {start}{hint}"
    if placeholder_paths:
        yield "To map more directories, add one line for each; delete the lines you do not need."
