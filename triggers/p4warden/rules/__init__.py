"""The kinds of policy rules, one module each.

The module's name is the `rule:` in a policy. Further modules have code that several rules use. A
rule is pure: settings, event and facts in, findings out. Modes, exemptions, logs and exit codes
are handled elsewhere.
"""

from __future__ import annotations

# `_collections_abc` is the built-in copy of `collections.abc`, imported to spare triggers the time
# of importing `collections`.
from _collections_abc import Mapping

from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from p4warden.rules.rule import Rule


EVENTS = {
    "block_client_program": ("command",),
    "limit_command_rate": ("command",),
    "limit_command_scope": ("command",),
    "limit_depot_count": ("form-save",),
    "limit_path_length": ("form-save", "change-submit"),
    "limit_scanned_rows": ("command", "form-save"),
    "limit_top_directories": ("change-submit",),
    "limit_view_scope": ("form-save",),
    "require_client_options": ("form-save",),
    "suggest_client_options": ("form-out",),
    "suggest_client_view": ("form-out",),
}
"""The trigger events that each kind of rule may judge or record, by the rule's name. With this
table a trigger imports only the rules that may concern its event."""

NAMES = tuple(EVENTS)


class _Rules(Mapping[str, "Rule"]):
    """Read-only mapping of rule names to rules, which imports each rule's module at first use.

    So a trigger imports only the rules that it needs.
    """

    def __getitem__(self, name: str) -> Rule:
        if name not in NAMES:
            raise KeyError(name)
        rule: Rule = __import__(f"{__name__}.{name}", fromlist=("RULE",)).RULE
        return rule

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


RULES: Mapping[str, Rule] = _Rules()


def settings_of(rule: Any) -> Any:
    """Return the settings of a policy's rule as the record that its kind of rule reads."""
    fields = {k: tuple(v) if isinstance(v, list) else v for k, v in rule.settings.items()}
    return RULES[rule.rule].settings(**fields)
