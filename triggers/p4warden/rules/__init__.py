"""The rules, one per file: file name = `rule:` in the policy = field in the log = case directory.

A rule is pure: settings, event and facts in, findings out. Modes, exemptions, logs and exit codes
are handled elsewhere. Imports `forms` and `core`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.rules.rule import Rule


NAMES = (
    "block_client_program",
    "limit_command_rate",
    "limit_command_scope",
    "limit_depot_count",
    "limit_path_length",
    "limit_scanned_rows",
    "limit_top_directories",
    "limit_view_scope",
    "require_client_options",
    "suggest_client_options",
    "suggest_client_view",
)


class _Rules(Mapping[str, "Rule"]):
    """The rules by name, each imported at first use, because a trigger needs only one or two."""

    def __getitem__(self, name: str) -> Rule:
        if name not in NAMES:
            raise KeyError(name)
        rule: Rule = importlib.import_module(f"{__name__}.{name}").RULE
        return rule

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


RULES: Mapping[str, Rule] = _Rules()
