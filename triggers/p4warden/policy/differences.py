"""Differences in meaning between two policies: each changed value, old and new.

Differences such as in YAML comments, or in the reason and owner of an exemption, are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden.policy.compiled import Exemption, Policy, PolicyRule

_EMPTY: tuple[object, ...] = (None, {}, (), [], False)
_SEPARATE_FIELDS = {"digest", "exemptions", "rules", "lines"}


class Difference(NamedTuple):
    """One value that differs between two policies.

    Attributes:
        kind: the changed part of the policy: `rule`, `exemption` or `policy` (the top level).
        name: the rule's name, or the exemption's reason and owner; "" for the top level.
        field: the changed value's keys, such as `depots.thirdparty` or `limits.0.allow`, or `order
            of rules`; "" if the whole rule or exemption is new or gone.
        old: the value in the old policy, None if absent there.
        new: the value in the new policy, None if absent there.
    """

    kind: str
    name: str
    field: str
    old: Any
    new: Any

    def line(self) -> str:
        subject = self.name if self.kind == "rule" else f"exemption {self.name}"
        parts = [subject if self.kind != "policy" else "", self.field]
        text = ": ".join(part for part in parts if part)
        if self.field or self.kind == "policy":
            return f"{text}: {_change(self.old, self.new)}"
        return f"{text}: new, {value_text(self.new)}" if self.old is None else f"{text}: gone"


def between(old: Policy, new: Policy) -> Iterator[Difference]:
    """Yield the differences between two policies: rules, their order, exemptions, top level."""
    before, after = ({rule.name: rule for rule in policy.rules} for policy in (old, new))
    for name, rule in after.items():
        if name not in before:
            yield Difference("rule", name, "", None, _fields(rule))
        else:
            yield from _values("rule", name, _fields(before[name]), _fields(rule))
    for name in before:
        if name not in after:
            yield Difference("rule", name, "", _fields(before[name]), None)
    yield from _order(old, new)
    yield from _exemptions(old.exemptions, new.exemptions)
    yield from _values("policy", "", _other_fields(old), _other_fields(new))


def renames(old: Policy, new: Policy) -> dict[str, str]:
    """Return the new names, by the old ones, of rules that differ in their names alone.

    One with a baseline is not among them, as a baseline keeps names.
    """
    names = [{rule.name for rule in policy.rules} for policy in (old, new)]
    found: dict[str, str] = {}
    for rule in old.rules:
        same = [
            one.name
            for one in new.rules
            if one.name not in names[0] and one._replace(name=rule.name) == rule
        ]
        if rule.name not in names[1] and not rule.baseline and len(same) == 1:
            found[rule.name] = same[0]
    return found


def value_text(value: Any) -> str:
    """Return a policy value on one line, as a list of differences shows it."""
    if value is None:
        return "none"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_inner(one)}" for name, one in value.items())
    return _inner(value)


def _inner(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_inner, value))}]"
    if isinstance(value, dict):
        return f"{{{value_text(value)}}}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _change(old: Any, new: Any) -> str:
    if are_names(old) and are_names(new) and {*old} != {*new}:
        removals = [f"-{name}" for name in old if name not in new]
        additions = [f"+{name}" for name in new if name not in old]
        return f"{value_text(old)} -> {value_text(new)} ({' '.join(additions + removals)})"
    return f"{value_text(old)} -> {value_text(new)}"


def are_names(value: Any) -> bool:
    """Tell whether a policy value is a list of texts."""
    return isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)


def _fields(rule: PolicyRule) -> dict[str, Any]:
    fields: dict[str, Any] = {"mode": rule.mode, "rule": rule.rule}
    fields |= {"for": rule.selector, "canary": rule.canary, "baseline": rule.baseline}
    fields |= {"baseline_until": rule.baseline_until, "advice": rule.advice}
    fields |= rule.settings
    return {name: value for name, value in fields.items() if value not in _EMPTY}


def _other_fields(policy: Policy) -> dict[str, Any]:
    return {
        name: value for name, value in policy._asdict().items() if name not in _SEPARATE_FIELDS
    }


def _values(
    kind: str, name: str, old: Mapping[str, Any], new: Mapping[str, Any], at: str = ""
) -> Iterator[Difference]:
    """Yield the differences between two versions of a policy's rule, exemption or top level.

    If both versions of a value are mappings, or lists of mappings, their values are compared.
    """
    for part in {**old, **new}:
        old_value, new_value = old.get(part), new.get(part)
        if old_value == new_value:
            continue
        field = f"{at}.{part}" if at else part
        outer, inner = _as_mapping(old_value), _as_mapping(new_value)
        if outer is not None and inner is not None:
            yield from _values(kind, name, outer, inner, at=field)
        else:
            yield Difference(kind, name, field, old_value, new_value)


def _as_mapping(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, dict):
        return value
    if isinstance(value, list | tuple) and value and isinstance(value[0], dict):
        return {str(index): one for index, one in enumerate(value)}
    return None


def _order(old: Policy, new: Policy) -> Iterator[Difference]:
    """Yield a difference if the rules that two policies have in common are in another order.

    The order matters, because a refusal names the first rule that refuses.
    """
    before, after = ([rule.name for rule in policy.rules] for policy in (old, new))
    old_order = [name for name in before if name in after]
    new_order = [name for name in after if name in before]
    if old_order != new_order:
        yield Difference("policy", "", "order of rules", old_order, new_order)


def _exemptions(old: tuple[Exemption, ...], new: tuple[Exemption, ...]) -> Iterator[Difference]:
    before, after = ([(_name(one), _effective_fields(one)) for one in each] for each in (old, new))
    old_fields, new_fields = ([fields for _, fields in each] for each in (before, after))
    gone = [one for one in before if one[1] not in new_fields]
    added = [one for one in after if one[1] not in old_fields]
    for name, fields in added:
        old_entry = next((one for one in gone if one[0] == name), None)
        if old_entry:
            gone.remove(old_entry)
            yield from _values("exemption", name, old_entry[1], fields)
        else:
            yield Difference("exemption", name, "", None, fields)
    for name, fields in gone:
        yield Difference("exemption", name, "", fields, None)


def _name(entry: Exemption) -> str:
    return f'"{entry.reason}" of {entry.owner}'


def _effective_fields(entry: Exemption) -> dict[str, Any]:
    fields = {**entry.selector, "rules": entry.rules, "until": entry.until}
    return {name: value for name, value in fields.items() if value is not None}
