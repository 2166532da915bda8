"""The shape of a rule's module, for the type checker; no rule imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Rule(Protocol):
    """The names that every rule's module has; `offered` gives those that only some have.

    Rules that the engine judges offer `find(settings, event, facts)`, which yields findings,
    in form order, or, for a form that is to be shown, `suggest(settings, event, facts)`, which
    returns a `Suggestion` or None; the gate judges the others. Some offer `WHY`, the text of
    a refusal on cost and way out, and `INSTEAD`, the words before the lines to write instead (by
    form type where that differs, with None for others);
    `lacks(settings, event, facts)`, whether known facts do not tell the verdict;
    `undecided(settings, event, facts)`, asked after a `find` that found nothing, whether a part
    of the rule could not be judged;
    `NEEDS`, by event the facts to ask the server for (`files`, `directories`, `depots`);
    `needed_options(settings)`, the options of a trigger line that not every policy needs;
    `mistakes(rule)` and `doubts(rule)`, which yield errors in the rule's YAML and doubtful parts
    of it, each with its place within the rule.

    Attributes:
        SUMMARY: the rule's objection, the same words every time.
        Settings: the rule's settings, a frozen record; its defaults are those of the schema.
    """

    @property
    def SUMMARY(self) -> str: ...  # noqa: D102, N802 - a module's constant
    @property
    def Settings(self) -> Callable[..., Any]: ...  # noqa: D102, N802 - a module's class

    def events(self, settings: Any) -> tuple[tuple[str, str | None], ...]:
        """Return what the rule judges, as pairs: an event, and a form's type or a command."""
