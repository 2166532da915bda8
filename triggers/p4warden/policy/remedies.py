from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from p4warden.asking import tables
from p4warden.core import rate_notation
from p4warden.policy import corrections
from p4warden.policy.schema_wants import json_text
from p4warden.policy.selectors import FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.policy.problems import Path

_ON = {"on", "true", "yes", "enabled"}
_OFF = {"off", "false", "no"}
_WORDS_FOR_ALL = {"all", "any", "*"}
_COUNT = re.compile("[1-9][0-9]{0,6}")
_LONGEST_LINE = 100
_RULE_STEPS = 2  # number of steps in the key path of a rule, such as `("rules", 0)`
_CANARY = "a list of selectors, not a percentage (write canary: [{groups: [perforce-team]}])"
_PRESSURE = "write pressure: {medium: 40, high: 80}"


def value_remedy(path: Path, value: Any) -> str | None:
    """Return the special message for a wrong policy value: error and correction.

    None if the general message fits.
    """
    key = path[-1] if path else ""
    text = str(value).strip().lower()
    if key == "mode" and text in _ON:
        return f"{json_text(value)} is not a mode (observe: log only; enforce: refuse; off)"
    if key == "when_pressure" and text in ("low", "none", "any", "always"):
        return f"{json_text(value)} is wrong (omit {key} for a limit that always applies)"
    if key == "when_pressure" and not isinstance(value, dict):
        return f"{json_text(value)} is wrong (write medium, high or {{lock_waiters: 5}})"
    if key == "rules" and text in _WORDS_FOR_ALL and "exemptions" in path:
        return f"{json_text(value)} is not a list (omit rules to exempt from all rules)"
    return _time_remedy(key, value, text) or _shape_remedy(key, value, text)


def _shape_remedy(key: str | int, value: Any, text: str) -> str | None:
    if key == "canary" and not isinstance(value, list | dict) and text[:1].isdigit():
        return f"a canary is {_CANARY}"
    if key == "advice" and isinstance(value, list) and len(value) > 1:
        return f"{json_text(value)} is a list (write advice: | and the lines below it, indented)"
    if key == "pressure" and not isinstance(value, dict):
        return f"{json_text(value)} is not key: value pairs ({_PRESSURE})"
    return None


def _time_remedy(key: str | int, value: Any, text: str) -> str | None:
    if key == "allow" and _COUNT.fullmatch(text):
        return (
            f"{text} has no unit of time (write {text}/s for one second, {text}/m for one minute)"
        )
    if key == "max_delay":
        span, max_s = rate_notation.duration(text), tables.max_delay_s()
        if span and span.ns > max_s * 10**9:
            return f"{value} is too long (at most {max_s}s)"
        write = corrections.duration(value)
        write = f"{text}s or {text}ms" if write == f"{text}s" else write and f"max_delay: {write}"
        return f"{text} has no unit (write {write})" if write else None
    day = corrections.day(value) if key in ("until", "baseline_until") else None
    if day is None or ":" not in text:
        return None
    remark = f"the {'exemption' if key == 'until' else 'baseline'} includes that whole day"
    text = f"{json_text(value)} has a time, but {key} is a day without a time: {remark}"
    return f"{text} (write {key}: {day})"


def pairs_remedy(key: str, value: dict[str, Any], entry: Mapping[str, Any]) -> str:
    """Return the error message for `key: value` pairs that stand where a policy needs a list."""
    first = next(iter(value), "")
    problem = "is key: value pairs instead of a list"
    properties = entry.get("properties", ())
    if value and "name" in properties and all(isinstance(one, dict) for one in value.values()):
        others = ", and the other entries in the same way" if len(value) > 1 else ""
        return f"{problem} (write - name: {first} in place of {first}:{others})"
    # In a canary any of the named people suffices.
    entries = [{field: one} for field, one in value.items()] if key == "canary" else [value]
    replacement = f"{key}: {corrections.yaml_text(entries)}"
    if len(replacement) <= _LONGEST_LINE and set(value) <= set(properties):
        return f"{problem} (write {replacement})"
    return f"{problem} (write - before the first key of each entry, and align its other keys)"


def key_remedy(path: Path, key: str, value: Any) -> str | None:
    """Return the special message for a wrong key in the mapping at `path`, or None."""
    place = path[-1] if path else ""
    if "canary" in path and key in ("percent", "percentage", "share"):
        return f"a canary is {_CANARY}"
    if path[:1] == ("classes",) and key == "classes":
        return "is not a key here (a class names no classes; write the fields of that class)"
    if place == "not" and key == "not" and path[:1] == ("classes",):
        return "is not a key here (write its fields as another class, and name both classes)"
    if place == "not" and key == "not":
        return "is not a key here (make the outer not a class, and write not: {classes: [NAME]})"
    is_of_rule = path[:1] == ("rules",) and len(path) == _RULE_STEPS
    return _rule_key_remedy(key, value) if is_of_rule else None


def _rule_key_remedy(key: str, value: Any) -> str | None:
    if key in ("exclude", "except", "unless"):
        return "unknown key (write for: {not: {groups: [...]}}, or an exemption)"
    if key in FIELDS:
        suggestion = f"write for: {{{key}: [...]}}; to exclude them, write an exemption"
        return f"is not a key here ({suggestion})"
    if key == "until":
        return "is not a key here (remove it; only exemptions have it)"
    if key in ("enabled", "enforce"):
        mode = "off" if str(value).lower() in _OFF else "enforce"
        return f"unknown key (write mode: {mode}, or mode: observe to log only)"
    return None
