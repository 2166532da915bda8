"""The record that describes a kind of rule to the evaluator, the policy compiler and the docs."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from p4warden.core.records import Event, Facts, Finding, Suggestion


def _never(_settings: Any, _event: Event, _facts: Facts) -> bool:
    return False


def _no_options(_settings: Any) -> set[str]:
    return set()


class Rule(NamedTuple):
    """A kind of policy rule: the parts of its module that other modules use.

    Every rule's module has one such record, `RULE`.

    Attributes:
        summary: the rule's objection, a constant text.
        settings: the type of the rule's settings, a frozen record with the schema's defaults.
        events: settings -> the judged trigger events, as pairs of an event and a form type or
            command.
        find: settings, event, facts -> findings; None if the gate judges the rule, or the rule
            suggests forms.
        suggest: settings, event, facts -> a better form to display, or None; None for other rules.
        is_undecidable: settings, event, facts -> whether the facts do not suffice for a verdict.
        is_partly_undecided: settings, event, facts -> whether a part of the rule could not be
            judged; called after a `find` without findings.
        server_facts: facts to request from the server (`files`, `directories`, `depots`), by
            event.
        needed_options: settings -> options of a trigger line that not every policy needs.
        noted_events: events that are recorded, not judged: a command is judged by the form last
            saved.
        reason: a sentence for refusals, on the cost or the remedy; by form type where it differs,
            with None for other types.
        fix_heading: the lines of text before proposed lines; by form type as in `reason`.
        fix_ending: the lines of text after proposed lines, by form type, with None for submits;
            `CHANGE` stands for the changelist's number.
    """

    summary: str
    settings: Callable[..., Any]
    events: Callable[[Any], tuple[tuple[str, str | None], ...]]
    find: Callable[[Any, Event, Facts], Iterable[Finding]] | None = None
    suggest: Callable[[Any, Event, Facts], Suggestion | None] | None = None
    is_undecidable: Callable[[Any, Event, Facts], bool] = _never
    is_partly_undecided: Callable[[Any, Event, Facts], bool] = _never
    server_facts: Mapping[str, frozenset[str]] = {}
    needed_options: Callable[[Any], set[str]] = _no_options
    noted_events: tuple[tuple[str, str | None], ...] = ()
    reason: str | Mapping[str | None, str] = ""
    fix_heading: str | Mapping[str | None, str] = ""
    fix_ending: Mapping[str | None, str] = {}
