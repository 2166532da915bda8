from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.core.time_spans import age
from p4warden.health import BAD, GOOD, WARNING, Check
from p4warden.home import active_policy, trusted_files
from p4warden.index import contents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation
    from p4warden.policy.compiled import PolicyRule

OLD_S = 8 * 24 * 3600
"""Age of the checkpoint in seconds above which a check warns: sites make one each day or week."""


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Check the checkpoint index if it exists or a rule needs it."""
    policy = active_policy.policy_if_any(place.home)
    rules = [rule for rule in policy.rules if rule.mode != "off"] if policy else []
    if any(map(_needs_it, rules)) or trusted_files.has(place.home, trusted_files.INDEX):
        yield _index(place, rules)


def _needs_it(rule: PolicyRule) -> bool:
    settings = {name for name, value in rule.settings.items() if value is not None}
    return rule.rule == "limit_scanned_rows" or not settings.isdisjoint({"weight", "max_files"})


def _index(place: CheckedInstallation, rules: list[PolicyRule]) -> Check:
    make = f"p4warden index --checkpoint CHECKPOINT --home {place.home}"
    names = ", ".join(rule.name for rule in rules if _needs_it(rule))
    unknown = f"; {names} cannot use it" if names else ""
    if not trusted_files.has(place.home, trusted_files.INDEX):
        return Check("index", WARNING, f"missing{unknown}", make)
    unusable = BAD if names else WARNING
    try:
        with trusted_files.open_file(place.home, trusted_files.INDEX) as file:
            digest = hashlib.sha256()
            while block := file.read(1 << 20):
                digest.update(block)
        head = contents.head(f"{place.home}/{trusted_files.INDEX}")
    except P4WardenError as error:
        return Check("index", unusable, f"{error}{unknown}", make)
    line = f"{digest.hexdigest()[:12]}, {', '.join(_contents(head))}"
    other = _other_server_note(place, head)
    if other:
        return Check("index", unusable, f"{line}; {other}{unknown}", make)
    if head["time_s"] is None:
        return Check("index", GOOD, f"{line}, age unknown")
    age_s = place.now_ns // 10**9 - head["time_s"]
    line = f"{line}, {age(age_s)} old"
    if age_s > OLD_S:
        old = f"{line}, more than {age(OLD_S)}"
        return Check("index", WARNING, old, f"{make}; after each checkpoint")
    return Check("index", GOOD, line)


def _contents(head: dict[str, Any]) -> Iterator[str]:
    yield amount(head["files"], "file")
    yield amount(head["clients"], "client")
    if head["changelist_records"] is None:
        yield "no counts by changelist (ranges of changelists are unknown)"


def _other_server_note(place: CheckedInstallation, head: dict[str, Any]) -> str | None:
    facts = active_policy.facts_if_any(place.home)
    if facts is None:
        return None
    case, server_id = head["case"], head["server_id"]
    if server_id and facts.server_id and server_id != facts.server_id:
        return f"it belongs to the server {server_id}, but this is {facts.server_id}"
    if case == "either" or (case == "sensitive") == facts.case_sensitive:
        return None
    return f"its case handling is {case}, unlike this server's, so it belongs to another server"
