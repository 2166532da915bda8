"""Example events that a rule should stop, derived from its settings: one module for each rule.

Each module has `drafts(settings, facts)`, which yields events that the rule is meant to stop, the
simplest first, and `none(settings)`, the reason why a rule may have no such event. Nothing is
judged here: the evaluator judges each draft. Pure; imports `forms` and `core`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts
    from p4warden.rules.witnesses.draft import Draft


class Builder(Protocol):
    """The functions that each module in this room has."""

    def drafts(self, settings: Any, facts: Facts) -> Iterator[Draft]:
        """Yield events that the rule is meant to stop."""

    def none(self, settings: Any) -> str:
        """Return the reason why the rule may stop no event, in words that follow a colon."""


def builder(rule: str) -> Builder:
    """Return the module of a rule's examples; `rule` is a key of `RULES`."""
    module: Any = importlib.import_module(f"{__name__}.{rule}")
    built: Builder = module
    return built
