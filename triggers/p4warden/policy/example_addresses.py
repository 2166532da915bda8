"""Addresses that are nobody's: names reserved for examples and tests (RFC 2606, RFC 6761)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden.policy.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.compiled import Policy

_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+")
_RESERVED = re.compile(r"(.*\.)?example\.(com|net|org)|.*\.(example|invalid|localhost|test)")


def doubts(policy: Policy) -> Iterator[Problem]:
    """Yield a warning for a contact or help page of which the policy's author kept the example."""
    for key, text in [("contact", policy.contact), ("help_url", policy.help_url or "")]:
        host = next(filter(_RESERVED.fullmatch, _HOST.findall(text.lower())), None)
        if host:
            yield Problem((key,), f"{host} is an example that reaches nobody (write your own)")
