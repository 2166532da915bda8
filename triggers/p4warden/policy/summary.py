"""The content of a policy, and its differences from another, in a few words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from p4warden.core.plural import amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.compiled import Exemption, Policy, PolicyRule

_MODES = ("enforce", "enforce for a canary", "observe", "off")
_ELSEWHERE = {"digest", "exemptions", "rules"}
"""Fields of a policy that have words of their own."""


def mode_of(rule: PolicyRule) -> str:
    """Return a rule's mode, and whether it holds for a canary alone."""
    return "enforce for a canary" if rule.mode == "enforce" and rule.canary else rule.mode


def modes(policy: Policy) -> str:
    """Return how many rules have which mode: `1 enforce, 2 observe`."""
    counted = Counter(map(mode_of, policy.rules))
    return ", ".join(f"{counted[mode]} {mode}" for mode in _MODES if counted[mode])


def changes(old: Policy, new: Policy) -> Iterator[str]:
    """Yield what a policy has otherwise than the one before it, one thing a line.

    Texts that only say why, as a reason, an owner or a comment of the YAML, are no change.
    """
    before, after = ({rule.name: rule for rule in policy.rules} for policy in (old, new))
    for name, rule in after.items():
        if name not in before:
            yield f"{name}: new, {mode_of(rule)}"
        elif rule != before[name]:
            yield f"{name}: {', '.join(_differing(_fields(before[name]), _fields(rule)))}"
    yield from (f"{name}: gone" for name in before if name not in after)
    yield from _exemptions(old.exemptions, new.exemptions)
    yield from _differing(_others(old), _others(new))


def _fields(rule: PolicyRule) -> dict[str, Any]:
    return {
        "mode": mode_of(rule),
        "rule": rule.rule,
        "canary": rule.canary,
        "baseline": rule.baseline,
        **rule.settings._asdict(),
    }


def _others(policy: Policy) -> dict[str, Any]:
    return {name: value for name, value in policy._asdict().items() if name not in _ELSEWHERE}


def _differing(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield the names with other values; a short value is told."""
    for name in {**old, **new}:
        was, now = old.get(name), new.get(name)
        if was == now:
            continue
        told = all(isinstance(value, str | int | None) for value in (was, now))
        yield f"{name} {_shown(now)} (was {_shown(was)})" if told else f"other {name}"


def _shown(value: str | int | None) -> str:
    return (
        "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    )


def _exemptions(old: tuple[Exemption, ...], new: tuple[Exemption, ...]) -> Iterator[str]:
    before, after = (
        {entry._replace(reason="", owner="") for entry in all_} for all_ in (old, new)
    )
    more, gone = len(after - before), len(before - after)
    if more or gone:
        yield f"exemptions: {more} new, {gone} gone; {amount(len(new), 'exemption')} now"
