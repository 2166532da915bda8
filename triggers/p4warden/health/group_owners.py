from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from p4warden.core.patterns import any_matches
from p4warden.core.plural import some
from p4warden.core.printable import printable
from p4warden.health import GOOD, Check
from p4warden.home import active_policy, off_mark, server_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from p4warden.health import CheckedInstallation
    from p4warden.policy.compiled import Policy
    from p4warden.policy.selectors import Selector

_MOST = 5


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Say who owns the groups that a policy names: an owner may make others exempt."""
    policy, names = active_policy.policy_if_any(place.home), server_names.last(place.home)
    if policy is None or names is None or off_mark.is_uninstalled(place.home):
        return
    facts = active_policy.facts_if_any(place.home)
    patterns = {name for one in _selectors(policy) for name in _groups(one, policy.classes)}
    is_named = functools.partial(
        any_matches, patterns, case_sensitive=facts is None or facts.case_sensitive
    )
    owned = [group for group in sorted(names.owners) if is_named([group])]
    if owned:
        owners = some(owned, _MOST, lambda group: _owned(group, names.owners[group]))
        line = f"their owners may change who is in the groups of the policy: {owners}"
        yield Check("group owners", GOOD, line)


def _owned(group: str, owners: Sequence[str]) -> str:
    return f"{printable(group)} ({some(owners, _MOST, printable)})"


def _selectors(policy: Policy) -> Iterator[Selector]:
    yield from (one.selector for one in policy.exemptions)
    for rule in policy.rules:
        yield from (one for one in (rule.selector, *(rule.canary or ())) if one)


def _groups(selector: Selector, classes: Mapping[str, Selector]) -> Iterator[str]:
    """Yield also those under `not`: an owner may remove a member."""
    yield from selector.get("groups", ())
    inner = [classes[name] for name in selector.get("classes", ())]
    for one in (*inner, *([selector["not"]] if "not" in selector else [])):
        yield from _groups(one, classes)
