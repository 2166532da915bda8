from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy, PolicyRule

_MODES = ("enforce", "enforce for a canary", "observe", "off")


def mode_of(rule: PolicyRule) -> str:
    """Return a policy rule's mode; if enforced for some users only, `enforce for a canary`."""
    return "enforce for a canary" if rule.mode == "enforce" and rule.canary else rule.mode


def modes(policy: Policy) -> str:
    """Return the number of a policy's rules in each mode, such as `1 enforce, 2 observe`."""
    modes = Counter(map(mode_of, policy.rules))
    return ", ".join(f"{modes[mode]} {mode}" for mode in _MODES if modes[mode])
