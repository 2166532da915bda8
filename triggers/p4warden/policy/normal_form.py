"""Convert the accepted spellings in a policy document to the one form that other code expects.

Rates and durations get one notation (`core.rate_notation`), and commands are written as users type
them: `user-fstat`, as in p4d's log, becomes `fstat`. The structure of the document stays the same,
so key paths still lead to the same values in the file.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from p4warden.asking import tables
from p4warden.core import rate_notation
from p4warden.policy.problems import entries

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden.core.rate_notation import Duration, Rate

_LOG_PREFIX = "user-"


def normal(document: Any) -> Any:
    """Return a policy document with the rules' rates, durations and command names in one spelling.

    Values that are not valid stay unchanged.
    """
    normal_document = copy.deepcopy(document)
    for _, rule in entries(normal_document, "rules"):
        if isinstance(rule.get("commands"), list):
            rule["commands"] = [_command(name) for name in rule["commands"]]
        for _, limit in entries(rule, "limits"):
            _write(limit, "allow", rate_notation.rate)
        _write(rule, "max_delay", _delay)
        _write(rule, "max_time", rate_notation.duration)
        _write(rule, "max_age", rate_notation.duration)
    return normal_document


def _command(name: Any) -> Any:
    return name.removeprefix(_LOG_PREFIX) if isinstance(name, str) else name


def _write(
    fields: dict[str, Any], key: str, read: Callable[[str], Duration | Rate | None]
) -> None:
    value = fields.get(key)
    notation = read(value) if isinstance(value, str) else None
    if notation:
        fields[key] = notation.text


def _delay(text: str) -> Duration | None:
    """Return None if it is too long as well, so that the error message quotes it as written."""
    delay = rate_notation.duration(text)
    return delay if delay and delay.ns <= tables.max_delay_s() * 10**9 else None
