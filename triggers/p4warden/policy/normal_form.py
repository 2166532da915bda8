"""Convert the accepted spellings in a policy document to the one form that other code expects.

Rates and durations get one notation (`core.rate_notation`), and commands are written as users type
them: `user-fstat`, as in p4d's log, becomes `fstat`. The structure of the document stays the same,
so key paths still lead to the same values in the file.
"""

from __future__ import annotations

from typing import Any

from p4warden.asking import tables
from p4warden.core import rate_notation

_LOG_PREFIX = "user-"


def normal(document: Any) -> Any:
    """Return a policy document with the rules' rates, durations and command names in one spelling.

    Values that are not valid stay unchanged.
    """
    if not isinstance(document, dict) or not isinstance(document.get("rules"), list):
        return document
    return {**document, "rules": [_rule(rule) for rule in document["rules"]]}


def _rule(rule: Any) -> Any:
    if not isinstance(rule, dict):
        return rule
    normal_rule = dict(rule)
    if isinstance(rule.get("commands"), list):
        normal_rule["commands"] = [_command(name) for name in rule["commands"]]
    if isinstance(rule.get("limits"), list):
        normal_rule["limits"] = [_limit(limit) for limit in rule["limits"]]
    for name in ("max_delay", "max_age", "max_time"):
        if isinstance(rule.get(name), str):
            span = rate_notation.duration(rule[name])
            if span and (name != "max_delay" or span.ns <= tables.max_delay_s() * 10**9):
                # A `max_delay` above its maximum stays as written, so that the error message
                # quotes it.
                normal_rule[name] = span.text
    return normal_rule


def _command(name: Any) -> Any:
    return name.removeprefix(_LOG_PREFIX) if isinstance(name, str) else name


def _limit(limit: Any) -> Any:
    if not isinstance(limit, dict) or not isinstance(limit.get("allow"), str):
        return limit
    rate = rate_notation.rate(limit["allow"])
    return {**limit, "allow": rate.text} if rate else limit
