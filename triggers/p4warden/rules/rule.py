"""The record by which the engine, the gate's compiler and the documents know a rule."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from p4warden.core.records import Event, Facts, Finding, Suggestion

    Remark = tuple[tuple[str | int, ...], str]


def _never(_settings: Any, _event: Event, _facts: Facts) -> bool:
    return False


def _no_options(_settings: Any) -> set[str]:
    return set()


def _no_remarks(_rule: Mapping[str, Any]) -> Iterable[Remark]:
    return ()


class Rule(NamedTuple):
    """A rule: the names of its module that other rooms use. Every rule's module has one, `RULE`.

    Attributes:
        text: the module's docstring, for the policy reference.
        summary: the rule's objection, the same words every time.
        settings: the type of its settings, a frozen record; its defaults are those of the schema.
        events: settings -> the events that it judges, as pairs: an event, and a form's type or a
            command.
        find: settings, event, facts -> its findings in the order of the form; None where the gate
            judges, or where the rule suggests.
        suggest: settings, event, facts -> a better form to show, or None; None for other rules.
        is_undecidable: settings, event, facts -> whether the facts are too few for a verdict.
        is_partly_undecided: settings, event, facts -> whether a part of the rule could not be
            judged; asked after a `find` that found nothing.
        server_facts: by event the facts to ask the server for (`files`, `directories`, `depots`).
        needed_options: settings -> options of a trigger line that not every policy needs.
        noted: events that are noted, not judged: a command is judged by the form that was saved.
        reason: a sentence for refusals, on the cost or the way out.
        fix_heading: the words before the lines to write instead; by form type where they differ,
            with None for other types.
        mistakes: the rule as YAML -> errors in it, each with its place within the rule.
        doubts: the rule as YAML -> doubtful parts of it, likewise.
    """

    text: str | None
    summary: str
    settings: Callable[..., Any]
    events: Callable[[Any], tuple[tuple[str, str | None], ...]]
    find: Callable[[Any, Event, Facts], Iterable[Finding]] | None = None
    suggest: Callable[[Any, Event, Facts], Suggestion | None] | None = None
    is_undecidable: Callable[[Any, Event, Facts], bool] = _never
    is_partly_undecided: Callable[[Any, Event, Facts], bool] = _never
    server_facts: Mapping[str, frozenset[str]] = {}
    needed_options: Callable[[Any], set[str]] = _no_options
    noted: tuple[tuple[str, str | None], ...] = ()
    reason: str = ""
    fix_heading: str | Mapping[str | None, str] = ""
    mistakes: Callable[[Mapping[str, Any]], Iterable[Remark]] = _no_remarks
    doubts: Callable[[Mapping[str, Any]], Iterable[Remark]] = _no_remarks
