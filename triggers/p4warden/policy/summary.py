"""The content of a policy, and its differences from another, in a few words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from p4warden.policy.differences import between

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.compiled import Policy, PolicyRule

_MODES = ("enforce", "enforce for a canary", "observe", "off")


def mode_of(rule: PolicyRule) -> str:
    """Return a rule's mode, and whether it holds for a canary alone."""
    return "enforce for a canary" if rule.mode == "enforce" and rule.canary else rule.mode


def modes(policy: Policy) -> str:
    """Return how many rules have which mode: `1 enforce, 2 observe`."""
    counted = Counter(map(mode_of, policy.rules))
    return ", ".join(f"{counted[mode]} {mode}" for mode in _MODES if counted[mode])


def changes(old: Policy, new: Policy) -> Iterator[str]:
    """Yield what a policy has otherwise than the one before it, one value a line: old -> new."""
    yield from (difference.line() for difference in between(old, new))
