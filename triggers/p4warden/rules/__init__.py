"""The rules, one per file: file name = `rule:` in the policy = field in the log = case directory.

A rule is pure: settings, event and facts in, findings out. It knows nothing of modes,
exemptions, logs or exit codes. Imports `forms` and `core`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


NAMES = (
    "block_client_program",
    "limit_command_rate",
    "limit_command_scope",
    "limit_depot_count",
    "limit_path_length",
    "limit_top_directories",
    "limit_view_scope",
    "require_client_options",
    "suggest_client_options",
    "suggest_client_view",
)


class Rule(Protocol):
    """What every module of this package offers; `offered` gives what only some do.

    Rules that the engine judges offer `find(settings, event, facts)`, which yields what is wrong,
    in form order, or, for a form that is to be shown, `suggest(settings, event, facts)`, which
    returns a `Suggestion` or None; the gate judges the others. Some offer `WHY`, what a refusal
    says of the cost and the way out, and `INSTEAD`, what introduces the lines to write instead (by
    form type where that differs, with None for what has no other);
    `lacks(settings, event, facts)`, whether what is known does not tell the verdict;
    `NEEDS`, by event what the server is to be asked for (`files`, `directories`, `depots`);
    `needed_options(settings)`, the options of a trigger line that not every policy needs;
    `mistakes(rule)` and `doubts(rule)`, which yield what makes no sense in the rule's YAML or
    should be thought about, each with its place within the rule.

    Attributes:
        SUMMARY: what the rule objects to, the same words every time.
        Settings: the rule's settings, a frozen record; its defaults are those of the schema.
    """

    @property
    def SUMMARY(self) -> str: ...  # noqa: D102, N802 - a module's constant
    @property
    def Settings(self) -> Callable[..., Any]: ...  # noqa: D102, N802 - a module's class

    def events(self, settings: Any) -> tuple[tuple[str, str | None], ...]:
        """Return what the rule judges, as pairs: an event, and a form's type or a command."""


class _Rules(Mapping[str, Rule]):
    """The rules by name, each imported when it is asked for: a trigger needs one or two."""

    def __getitem__(self, name: str) -> Rule:
        if name not in NAMES:
            raise KeyError(name)
        return cast("Rule", importlib.import_module(f"{__name__}.{name}"))

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


RULES: Mapping[str, Rule] = _Rules()


def offered(rule: str, name: str, otherwise: Any) -> Any:
    """Return what a rule's module has under a name, or what it means that it has nothing."""
    return getattr(RULES[rule], name, otherwise)
