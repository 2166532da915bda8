"""The checked policy: records that cannot be changed, and the file `policy.json` with them.

The gate reads the file. Commands such as `p4warden activate` write it. A policy passes its checks
before that; they are not repeated when the file is read.
"""

from __future__ import annotations

import datetime
import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden import __version__
from p4warden.asking import policy_lines
from p4warden.policy import selectors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from p4warden.asking.policy_lines import RuleLines
    from p4warden.policy.selectors import Selector

    Convert = Callable[[Selector], dict[str, Any]]

FORMAT = 1
"""Once a format is released, the next one also gets another file name."""
FILE_NAME = "policy.json"
ON_ERROR = ("allow", "deny")


class CompiledError(ValueError):
    """Error: `policy.json` is not a compiled policy of this p4warden release."""


class Exemption(NamedTuple):
    """An exemption from some or all rules of a policy; every condition that is set must match.

    Attributes:
        selector: for whom, where and when it holds, as `selectors.from_document` returns it.
        rules: the names of the rules that the exemption applies to; None for all rules.
        until: the last day of the exemption, `YYYY-MM-DD` in the server's local time; None for an
            exemption without end.
    """

    reason: str
    owner: str
    selector: Selector
    rules: tuple[str, ...] | None = None
    until: str | None = None

    @property
    def used_as(self) -> str:
        """The text of a decision record for an event that the exemption allowed."""
        return f"{self.reason} (owner: {self.owner})"


class PolicyRule(NamedTuple):
    """One entry under `rules:` in a policy.

    Attributes:
        settings: those of its kind, the schema's defaults included; one without a value or a
            default is absent.
        selector: of the events that the rule is about; None for all.
        canary: the selectors for which `enforce` applies, while for all others `observe` does;
            None if the mode applies to everyone.
        baseline_until: the last day of the baseline, `YYYY-MM-DD`; None for a baseline without
            end.
        advice: the site's text for the rule's refusals, one to three lines; None without such
            text.
    """

    name: str
    rule: str
    mode: str
    settings: Mapping[str, Any]
    selector: Selector | None = None
    canary: tuple[Selector, ...] | None = None
    baseline: bool = False
    baseline_until: str | None = None
    advice: str | None = None


class Policy(NamedTuple):
    """A policy that passed all checks, as triggers use it.

    Attributes:
        digest: SHA-256 of the policy's YAML file, in hex.
        classes: selectors by name, which other selectors name.
        on_error: `allow` or `deny`, the answer when p4warden itself fails.
        pressure: how the gate measures the load: the percentages from which the host counts as
            under `medium` and `high` pressure, and the server's `monitor_file`.
        lines: rules with what each needs of trigger lines, as this release's gate told when the
            policy was activated; empty for a policy that was not.
    """

    digest: str
    contact: str
    help_url: str | None
    on_error: str
    exemptions: tuple[Exemption, ...]
    rules: tuple[PolicyRule, ...]
    pressure: Mapping[str, int | str] | None = None
    classes: Mapping[str, Selector] = MappingProxyType({})
    log_arguments: bool = False
    lines: tuple[tuple[PolicyRule, RuleLines], ...] = ()


def rule_lines(policy: Policy) -> tuple[RuleLines, ...]:
    """Return what each rule of a policy needs of trigger lines, in policy order.

    Raises:
        GateError: the policy was not activated by this release, and the gate cannot be asked.
    """
    known = {rule.name: (rule, lines) for rule, lines in policy.lines}
    if all(known.get(rule.name, (None,))[0] == rule for rule in policy.rules):
        return tuple(known[rule.name][1] for rule in policy.rules)
    return policy_lines.of_rules(dumps(policy._replace(lines=())))


def with_lines(policy: Policy) -> Policy:
    """Add what its rules need of trigger lines to a policy, or raise `GateError`."""
    return policy._replace(lines=tuple(zip(policy.rules, rule_lines(policy), strict=True)))


def compile_policy(document: Mapping[str, Any], digest: str) -> Policy:
    """Convert a checked policy document, given as plain values, to a `Policy` record."""
    from p4warden.policy.schema import with_defaults  # noqa: PLC0415 - most commands check no policy

    rules = [*map(with_defaults, document["rules"])]
    exemptions = [{**entry, "for": entry} for entry in document.get("exemptions", ())]
    whole = {**document, "rules": rules, "exemptions": exemptions}
    return _policy(whole, digest, selectors.from_document)


def _policy(document: Mapping[str, Any], digest: str, read: Convert) -> Policy:
    classes = document.get("classes", {})
    rules = tuple(_rule(rule, read) for rule in document["rules"])
    return Policy(
        digest=digest,
        contact=document["contact"],
        help_url=document.get("help_url"),
        on_error=document.get("on_error", "allow"),
        exemptions=tuple(_exemption(entry, read) for entry in document.get("exemptions", ())),
        rules=rules,
        pressure=document.get("pressure"),
        classes={name: read(selector) for name, selector in classes.items()},
        log_arguments=document.get("log_arguments", False),
        lines=_lines(document.get("lines"), rules),
    )


def _lines(
    document: Mapping[str, Any] | None, rules: Sequence[PolicyRule]
) -> tuple[tuple[PolicyRule, RuleLines], ...]:
    """Return none if another release wrote them, as that of before an upgrade."""
    if document is None or document["release"] != __version__:
        return ()
    pairs = zip(rules, document["rules"], strict=True)
    return tuple((rule, policy_lines.of_short(rule.name, rule.rule, one)) for rule, one in pairs)


def dumps(policy: Policy, year: int | None = None) -> str:
    """Return the text of `policy.json`: each rule and exemption in a line of its own.

    The needs of trigger lines come last, as far as the policy has them.

    Args:
        policy: the policy.
        year: the present one, for the changes of time zones.
    """
    year = year or datetime.datetime.now(datetime.timezone.utc).year

    def compiled(selector: Selector) -> dict[str, Any]:
        return selectors.compiled(selector, policy.classes, year)

    classes = {name: compiled(one) for name, one in policy.classes.items()} or None
    own = {"format": FORMAT, "classes": classes, "log_arguments": policy.log_arguments or None}
    own["lines"] = None
    head = _without_nones(policy._asdict() | own)
    exemptions = [_exemption_document(exemption, compiled) for exemption in policy.exemptions]
    rules = [_rule_document(rule, compiled) for rule in policy.rules]
    lists = {"exemptions": exemptions, "rules": rules}
    parts = [json.dumps({name: head[name] for name in sorted(head.keys() - lists.keys())})[1:-1]]
    for name, entries in lists.items():
        lines = ",\n".join(json.dumps(entry) for entry in entries)
        parts.append(f'"{name}": [\n{lines}\n]')
    if policy.lines:
        needs = [policy_lines.short(lines) for _, lines in policy.lines]
        stored = {"release": __version__, "rules": needs}
        parts.append(f'"lines": {json.dumps(stored, separators=(",", ":"))}')
    return "{" + ",\n".join(parts) + "}\n"


def _exemption_document(exemption: Exemption, compiled: Convert) -> dict[str, Any]:
    fields = exemption._asdict()
    fields["for"] = compiled(fields.pop("selector")) or None
    return _without_nones(fields)


def _rule_document(rule: PolicyRule, compiled: Convert) -> dict[str, Any]:
    canary = [*map(compiled, rule.canary)] if rule.canary else None
    fields = rule._asdict() | {"canary": canary, "baseline": rule.baseline or None}
    selector, settings = fields.pop("selector"), fields.pop("settings")
    fields["for"] = compiled(selector) if selector else None
    return _without_nones(fields | settings)


def _without_nones(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def loads(text: str | bytes) -> Policy:
    """Read a policy from the text of `policy.json`.

    Raises:
        CompiledError: the text is not a policy in the format that this release reads.
    """
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise CompiledError(f"it has format {document['format']}, this release reads {FORMAT}")
        policy = _policy(document, document["digest"], selectors.written)
    except json.JSONDecodeError as error:
        raise CompiledError("it cannot be read: it is no whole JSON") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CompiledError(f"it cannot be read: {error}") from error
    if policy.on_error not in ON_ERROR:
        raise CompiledError("on_error is neither allow nor deny")
    return policy


def _exemption(document: Mapping[str, Any], read: Convert) -> Exemption:
    rules = document.get("rules")
    return Exemption(
        document["reason"],
        document["owner"],
        read(document.get("for", {})),
        None if rules is None else tuple(rules),
        document.get("until"),
    )


def _rule(document: Mapping[str, Any], read: Convert) -> PolicyRule:
    fields = dict(document)
    name, rule, mode = fields.pop("name"), fields.pop("rule"), fields.pop("mode")
    selector, canary = fields.pop("for", None), fields.pop("canary", None)
    selector = read(selector) if selector else None
    canary = tuple(map(read, canary)) if canary else None
    baseline, until = fields.pop("baseline", False), fields.pop("baseline_until", None)
    # YAML keeps the line end of a multi-line text, so it is removed.
    advice = fields.pop("advice", "").strip() or None
    return PolicyRule(name, rule, mode, fields, selector, canary, baseline, until, advice)
