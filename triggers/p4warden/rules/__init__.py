"""The rules, one per file: file name = `rule:` in the policy = field in the log = case directory.

A rule is a pure function from (settings, event, facts) to findings. It knows nothing of modes,
exemptions, logs or exit codes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from p4warden.rules import limit_command_rate, limit_view_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from p4warden.records import Event, Facts, Finding


class Rule(Protocol):
    """What every module of this package offers.

    A module may have `mistakes(rule)` and `doubts(rule)` as well, which yield what makes no sense
    in the rule's YAML or should be thought about, each with its place within the rule; and
    `needed_options(settings)`, the options of a trigger line that not every policy needs.

    Attributes:
        SUMMARY: what the rule objects to, the same words every time.
        Settings: the rule's settings, a frozen record; its defaults are those of the schema.
    """

    @property
    def SUMMARY(self) -> str: ...  # noqa: D102, N802 - a module's constant
    @property
    def Settings(self) -> Callable[..., Any]: ...  # noqa: D102, N802 - a module's class

    def events(self, settings: Any) -> tuple[tuple[str, str], ...]:
        """Return what the rule judges, as pairs: an event, and a form's type or a command."""

    def find(
        self,
        settings: Any,
        event: Event,
        facts: Facts,
    ) -> Iterator[Finding]:
        """Yield what is wrong, in form order."""


RULES: Mapping[str, Rule] = {
    "limit_command_rate": limit_command_rate,
    "limit_view_scope": limit_view_scope,
}
