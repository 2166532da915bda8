"""The checked policy: records that cannot be changed, and the file `policy.json` with them.

The gate reads the file. Commands such as `p4warden activate` write it. A policy passes its checks
before that; they are not repeated when the file is read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = 1
"""Once a format is released, the next one also gets another file name."""
FILE_NAME = "policy.json"
ON_ERROR = ("allow", "deny")


class CompiledError(ValueError):
    """Error: `policy.json` is not a compiled policy of this p4warden release."""


class Exemption(NamedTuple):
    """An exemption from some or all rules of a policy; every condition that is set must match.

    Attributes:
        users: patterns of user names; None to match any user.
        groups: patterns, of which one must match one of the user's groups; None for no condition.
        clients: patterns of client names; None to match any.
        programs: patterns of client program names; None to match any.
        rules: the names of the rules that the exemption applies to; None for all rules.
        until: the last day of the exemption, `YYYY-MM-DD` in the server's local time; None for an
            exemption without end.
    """

    reason: str
    owner: str
    users: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    clients: tuple[str, ...] | None = None
    programs: tuple[str, ...] | None = None
    rules: tuple[str, ...] | None = None
    until: str | None = None

    @property
    def used_as(self) -> str:
        """The text of a decision record for an event that the exemption allowed."""
        return f"{self.reason} (owner: {self.owner})"


class Canary(NamedTuple):
    """The users for whom a policy rule is already enforced, while it only observes all others.

    Each field is None or a tuple of name patterns. A user belongs to the canary if the user's name
    or one of the user's groups matches.
    """

    users: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None


class PolicyRule(NamedTuple):
    """One entry under `rules:` in a policy.

    Attributes:
        settings: those of its kind, the schema's defaults included; one without a value or a
            default is absent.
        canary: the users for whom `enforce` applies, while for all others `observe` does; None if
            the mode applies to everyone.
        baseline_until: the last day of the baseline, `YYYY-MM-DD`; None for a baseline without
            end.
        advice: the site's text for the rule's refusals, one to three lines; None without such
            text.
    """

    name: str
    rule: str
    mode: str
    settings: Mapping[str, Any]
    canary: Canary | None = None
    baseline: bool = False
    baseline_until: str | None = None
    advice: str | None = None


class Policy(NamedTuple):
    """A policy that passed all checks, as triggers use it.

    Attributes:
        digest: SHA-256 of the policy's YAML file, in hex.
        on_error: `allow` or `deny`, the answer when p4warden itself fails.
        pressure: the percentages from which the host counts as under `medium` and `high` pressure,
            used by the gate; None if the policy does not set them.
    """

    digest: str
    contact: str
    help_url: str | None
    on_error: str
    exemptions: tuple[Exemption, ...]
    rules: tuple[PolicyRule, ...]
    pressure: Mapping[str, int] | None = None


def compile_policy(document: Mapping[str, Any], digest: str) -> Policy:
    """Convert a checked policy document, given as plain values, to a `Policy` record."""
    from p4warden.policy.schema import with_defaults  # noqa: PLC0415 - most commands check no policy

    rules = [*map(with_defaults, document["rules"])]
    return _policy({**document, "rules": rules}, digest)


def _policy(document: Mapping[str, Any], digest: str) -> Policy:
    return Policy(
        digest=digest,
        contact=document["contact"],
        help_url=document.get("help_url"),
        on_error=document.get("on_error", "allow"),
        exemptions=tuple(Exemption(**_frozen(e)) for e in document.get("exemptions", ())),
        rules=tuple(_rule(rule) for rule in document["rules"]),
        pressure=document.get("pressure"),
    )


def dumps(policy: Policy) -> str:
    """Return the text of `policy.json`: each rule and exemption in a line of its own."""
    head = _without_nones(policy._asdict() | {"format": FORMAT})
    exemptions = [_without_nones(exemption._asdict()) for exemption in policy.exemptions]
    lists = {"exemptions": exemptions, "rules": [_rule_document(rule) for rule in policy.rules]}
    parts = [
        json.dumps({name: head[name] for name in head.keys() - lists.keys()}, sort_keys=True)[1:-1]
    ]
    for name, entries in lists.items():
        lines = ",\n".join(json.dumps(entry) for entry in entries)
        parts.append(f'"{name}": [\n{lines}\n]')
    return "{" + ",\n".join(parts) + "}\n"


def _rule_document(rule: PolicyRule) -> dict[str, Any]:
    canary = _without_nones(rule.canary._asdict()) if rule.canary else None
    fields = rule._asdict() | {"canary": canary, "baseline": rule.baseline or None}
    settings = fields.pop("settings")
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
        policy = _policy(document, document["digest"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CompiledError(f"it cannot be read: {error}") from error
    if policy.on_error not in ON_ERROR:
        raise CompiledError("on_error is neither allow nor deny")
    return policy


def _rule(document: Mapping[str, Any]) -> PolicyRule:
    fields = dict(document)
    name, rule, mode = fields.pop("name"), fields.pop("rule"), fields.pop("mode")
    canary = fields.pop("canary", None)
    first = Canary(**_frozen(canary)) if canary else None
    baseline, until = fields.pop("baseline", False), fields.pop("baseline_until", None)
    # YAML keeps the line end of a multi-line text, so it is removed.
    advice = fields.pop("advice", "").strip() or None
    return PolicyRule(name, rule, mode, fields, first, baseline, until, advice)


def _frozen(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()}
