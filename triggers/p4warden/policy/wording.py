"""A finding of jsonschema in an administrator's words: what is wrong, and what to write."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.policy import corrections, known_keys
from p4warden.policy.problems import Path, Problem
from p4warden.policy.suggested_words import nearest, suggested

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_SHOWN_CHARACTERS = 60
_RULE_STEPS = 2  # rules, and a number
TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "key: value pairs",
    "string": "text",
}
_ENDLESS = {"unlimited", "infinite", "infinity", "none", "inf", "any", "no limit", "-1", "all"}
_DAYS = ("until", "baseline_until")
_NEVER = {"never", "forever", "none", "unlimited", "always", "permanent"}
_TYPOGRAPHIC = "\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"
_NO_BREAK = "\u00a0\u202f\u2007\u3000"


def problems(error: Any, frame: dict[str, Any]) -> Iterator[Problem]:
    """Yield the problems that one error of jsonschema, whose fields it types loosely, is about.

    Args:
        error: the error.
        frame: the whole schema.
    """
    path: Path = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        for key in sorted(set(error.instance) - set(error.schema["properties"])):
            told = _unknown_key(key, error.instance[key], error.schema["properties"], frame)
            yield Problem((*path, key), told, key=True)
    elif error.validator == "required":
        for key in (key for key in error.validator_value if key not in error.instance):
            yield _missing(path, key, error, frame)
    elif "propertyNames" in error.absolute_schema_path:
        yield Problem((*path, error.instance), _bad_name(error), key=True)
    elif _is_told_elsewhere(error):
        return
    else:
        yield Problem(path, _value(error, _Wrong(path, error.instance, error.schema, frame)))


def _is_told_elsewhere(error: Any) -> bool:
    """Tell whether an enum, which knows the words, or the first of many parts tells of it."""
    if error.validator != "type":
        return False
    if "allOf" in error.absolute_schema_path and len(error.absolute_path) == _RULE_STEPS:
        return True
    return error.instance not in error.schema.get("enum", [error.instance])


def _missing(path: Path, key: str, error: Any, frame: dict[str, Any]) -> Problem:
    """Tell of a key that is missing, or of the unknown one that stands for it."""
    known = error.schema["properties"]
    for other in sorted(set(error.instance) - set(known)):
        if "rule" in known and other in known["rule"].get("enum", ()):
            told = f"is a kind of rule (write name:, rule: {other} and mode: below one another)"
            return Problem((*path, other), told, key=True)
        if known_keys.places(frame, other):
            continue
        if other.partition(":")[0] == key or suggested(other, list(known)) == key:
            told = _unknown_key(other, error.instance[other], known, frame)
            return Problem((*path, other), told, key=True)
    wanted = _wanted(known[key], frame)
    wanted = f"write {key}: {wanted}" if len(known[key].get("enum", "")) == 1 else wanted
    return Problem(path, f"{key} is missing ({wanted})")


def _unknown_key(key: str, value: Any, known: dict[str, Any], frame: dict[str, Any]) -> str:
    if any(character in key for character in _NO_BREAK):
        return "holds a no-break space, which looks like a blank (write blanks)"
    before, colon, after = key.partition(":")
    if colon and value is None and suggested(before, list(known)) == before:
        return f"a blank is missing after the colon (write {before}: {after})"
    meant = suggested(key, list(known))
    if meant:
        return f"unknown key (did you mean {meant}?)"
    elsewhere = known_keys.places(frame, key)
    if elsewhere:
        return f"is no key here (it belongs to {elsewhere})"
    return f"unknown key {nearest(key, known)}"


def _bad_name(error: Any) -> str:
    key = str(error.instance)
    if error.validator == "enum":
        return f"unknown {nearest(key, map(str, error.validator_value))}"
    meant = corrections.depot(key)
    return f"is no name (write {meant or 'it alone, no slash'})"


class _Wrong(NamedTuple):
    """A wrong value, its place, and the part of the schema that it does not fit."""

    path: Path
    value: Any
    part: dict[str, Any]
    frame: dict[str, Any]

    @property
    def key(self) -> str:
        """The nearest key above the value."""
        return next((step for step in reversed(self.path) if isinstance(step, str)), "")

    @property
    def wanted(self) -> str:
        return _wanted(self.part, self.frame)

    @property
    def shown(self) -> str:
        return _shown(self.value)

    def write(self, text: str) -> str:
        """Return the words that tell to write a text in place of the value."""
        stands_alone = not self.path or isinstance(self.path[-1], int)
        return f"write {text}" if stands_alone else f"write {self.path[-1]}: {text}"


def _value(error: Any, wrong: _Wrong) -> str:
    """Say of a wrong value why it is, and what to write."""
    if error.validator == "minItems":
        return f"the list is empty ({wrong.wanted})"
    if error.validator == "maxItems":
        return f"the list is too long (at most {error.validator_value} entries)"
    if error.validator == "minProperties":
        return f"names no user ({wrong.wanted})"
    if wrong.value is None:
        may_be_empty = wrong.part.get("type") == "array" and "minItems" not in wrong.part
        none = f"{wrong.write('[]')} for none; " if may_be_empty else ""
        return f"the value is missing ({none}{wrong.wanted})"
    if "enum" in wrong.part:
        return _not_among(wrong, list(map(str, wrong.part["enum"])))
    return _wrong_type(wrong) if error.validator == "type" else _wrong_text(wrong)


def _not_among(wrong: _Wrong, known: list[str]) -> str:
    value = wrong.value
    if isinstance(value, str) and value in known:
        return f"{wrong.shown} is text (write {value} without quotation marks)"
    if len(known) == 1:
        return f"{wrong.shown} is wrong ({wrong.write(known[0])})"
    if isinstance(value, list) and len(value) == 1 and value[0] in known:
        return f"{wrong.shown} is a list ({wrong.write(value[0])})"
    if isinstance(value, list | dict):
        return f"{wrong.shown} is wrong (one of: {', '.join(sorted(known))})"
    return f"{wrong.shown} is wrong {nearest(str(value).lower(), known)}"


def _wrong_type(wrong: _Wrong) -> str:
    value, kind = wrong.value, wrong.part["type"]
    if kind == "array":
        return _no_list(wrong)
    if kind == "object":
        return _no_pairs(wrong)
    if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], list | dict):
        return f"{wrong.shown} is a list ({wrong.write(corrections.written(value[0]))})"
    if isinstance(value, list | dict):
        kind_of = "a list" if isinstance(value, list) else "key: value pairs"
        return f"{wrong.shown} is {kind_of}, not {TYPES[kind]} ({wrong.wanted})"
    return _no_scalar(wrong, kind)


def _no_scalar(wrong: _Wrong, kind: str) -> str:
    value = wrong.value
    said = f"{wrong.shown} is not {TYPES[kind]}"
    if kind == "string" and wrong.key not in ("allow", "max_delay", *_DAYS):
        return f"{said} (put it in quotation marks)"  # YAML's number may have lost a zero
    if isinstance(value, str) and re.search(r"\w#", value):
        return f"{said} (write a blank before the # of a comment)"
    is_endless = isinstance(value, str) and value.strip().lower() in _ENDLESS
    if is_endless and "default" not in wrong.part:
        return f"{said} (leave {wrong.key} out for no limit)"
    write = _by_kind(wrong.key, kind, value)
    return f"{said} ({wrong.write(write) if write else wrong.wanted})"


def _by_kind(key: str, kind: str, value: Any) -> str | None:
    if kind == "string":
        return corrections.BY_KEY[key](value)
    kinds = {"integer": corrections.whole_number, "number": corrections.share}
    return kinds.get(kind, corrections.boolean)(value)


def _no_list(wrong: _Wrong) -> str:
    value, key = wrong.value, wrong.key
    if isinstance(value, dict):
        return f"is key: value pairs where a list belongs (begin each entry of {key} with - )"
    if _resolved(wrong.part["items"], wrong.frame).get("type") == "object":
        return f"{wrong.shown} is not a list ({wrong.wanted})"
    text = str(value)
    if key == "commands":
        text = corrections.command(value) or text
    elif "enum" in _resolved(wrong.part["items"], wrong.frame):
        text = ", ".join(text.replace(",", " ").split())
    return f"{wrong.shown} is not a list ({wrong.write(corrections.listed(text))})"


def _no_pairs(wrong: _Wrong) -> str:
    value, known = wrong.value, wrong.part.get("properties", {})
    if "version" in known:
        return _no_policy(value)
    before, colon, after = value.partition(":") if isinstance(value, str) else ("", "", "")
    if colon and before in known:
        return f"a blank is missing after the colon (write {before}: {after.strip()})"
    if isinstance(value, list) and "users" in known:
        return (
            f"{wrong.shown} is a list ({wrong.write(f'{{users: {corrections.written(value)}}}')})"
        )
    if isinstance(value, list) and len(value) == 1 and "propertyNames" in wrong.part:
        return f"{wrong.shown} is a list ({wrong.write(f'{{{value[0]}: NUMBER}}')})"
    return f"{wrong.shown} is not key: value pairs ({wrong.wanted})"


def _no_policy(value: Any) -> str:
    if isinstance(value, list):
        return "is a list (begin with version: and contact:, then put this list below rules:)"
    remedy = "write a colon for each =" if "=" in str(value) else "begin with version: 1"
    return f"{_shown(value)} is no policy, which is key: value pairs ({remedy})"


def _wrong_text(wrong: _Wrong) -> str:
    """Say why a value of the right type is wrong."""
    value, key = wrong.value, wrong.key
    if isinstance(value, str):
        odd = (
            _odd_character(value, key) if value.strip() else f"the text is empty ({wrong.wanted})"
        )
        if odd:
            return odd
    write = corrections.BY_KEY[key](value) if key in corrections.BY_KEY else None
    if write and write != value:
        return f"{wrong.shown} is wrong ({wrong.write(write)})"
    if key in _DAYS:
        endless = f"leave {key} out for no end, or " if str(value).lower() in _NEVER else ""
        return f"{wrong.shown} is no day ({endless}write YYYY-MM-DD, for example 2027-03-31)"
    if key == "commands" and any(sign in str(value) for sign in "*?.("):
        return f"{wrong.shown} is a pattern (write each command's name, such as files)"
    if key == "allow" and "burst" in str(value):
        return f"{wrong.shown} is more than a rate (write allow: 50/s, burst: 500)"
    return f"{wrong.shown} is wrong ({_range(wrong.part) or wrong.wanted})"


def _range(part: dict[str, Any]) -> str:
    """Return the numbers that a part allows, and an example of them."""
    if "maximum" not in part:
        return ""
    above = part.get("exclusiveMinimum")
    start = f"from {part.get('minimum')}" if above is None else f"over {above}"
    told = f"{TYPES[part['type']]} {start} to {part['maximum']}"
    return f"{told}, for example {part['examples'][0]}" if "examples" in part else told


def _odd_character(value: str, key: str) -> str | None:
    odd = next((c for c in value if c in _TYPOGRAPHIC + _NO_BREAK), None)
    if odd:
        return f"{_shown(value)} holds {odd}, a typographic character (write plain ones)"
    foreign = next((c for c in value if not c.isascii()), None)
    if foreign and key in ("contact", "advice", "help_url"):
        return f"{_shown(value)} holds {foreign}, which is not ASCII (write plain letters)"
    return None


def _shown(value: Any) -> str:
    plain = isinstance(value, str) and value.isprintable()
    shown = json.dumps(value, ensure_ascii=not plain)
    cut = len(shown) > MAX_SHOWN_CHARACTERS
    return f"{shown[:MAX_SHOWN_CHARACTERS]}..." if cut else shown


def _wanted(part: dict[str, Any], frame: dict[str, Any]) -> str:
    """Say in words what a part of the schema wants."""
    part = _resolved(part, frame)
    if "examples" in part:
        return f"for example {corrections.written(part['examples'][0])}"
    if "enum" in part:
        *others, last = (str(value) for value in part["enum"])
        return f"{', '.join(others)} or {last}" if others else last
    words = TYPES[part["type"]]
    if part["type"] == "array":
        return f"a list, each item: {_wanted(part['items'], frame)}"
    if part["type"] == "object" and "properties" in part:
        return ", ".join(f"{key}:" for key in part.get("required", part["properties"]))
    if "minimum" in part:
        return f"{words} from {part['minimum']} to {part['maximum']}"
    return words


def _resolved(part: dict[str, Any], frame: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in part:
        return part
    target: dict[str, Any] = frame["$defs"][part["$ref"].rpartition("/")[2]]
    return {**target, **part}
