"""Test events that a policy rule should stop, derived from its settings; one module per rule.

The module of a rule has `drafts(settings, facts)`, which yields events that the rule is meant to
stop, the simplest first, and `none(settings)`, the reason why a rule may have no such event.
Nothing is judged in this package: the evaluator judges each draft. Pure; imports `forms` and
`core`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts
    from p4warden.rules.witnesses.draft import Draft


class Builder(Protocol):
    """Interface of the modules here that each derive test events for one kind of rule."""

    def drafts(self, settings: Any, facts: Facts) -> Iterator[Draft]:
        """Yield example events that a rule with these settings should stop, the simplest first."""

    def none(self, settings: Any) -> str:
        """Return the reason why a rule with these settings may stop no event.

        The text is to follow a colon.
        """


def builder(rule: str) -> Builder:
    """Return the module that derives example events for a kind of rule, a key of `RULES`."""
    module: Any = importlib.import_module(f"{__name__}.{rule}")
    module_builder: Builder = module
    return module_builder
