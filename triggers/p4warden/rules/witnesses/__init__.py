"""Events that a rule should stop, built from its settings: one file for each rule, of its name.

Each file has `drafts(settings, facts)`, which yields events that the rule is there for, the
plainest first, and `none(settings)`, the words for why a rule may have no such event. Whether an
event is stopped is not decided here: the evaluator judges each draft. Pure; imports `forms` and
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
    """The shape of a rule's file in this room."""

    def drafts(self, settings: Any, facts: Facts) -> Iterator[Draft]:
        """Yield events that the rule is there for."""

    def none(self, settings: Any) -> str:
        """Say why the rule may stop none of them, in words that follow a colon."""


def builder(rule: str) -> Builder:
    """Return the builder of a rule, a key of `RULES`."""
    module: Any = importlib.import_module(f"{__name__}.{rule}")
    built: Builder = module
    return built
