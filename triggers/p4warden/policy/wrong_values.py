from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.policy import advice_text, corrections, remedies
from p4warden.policy.schema import resolved
from p4warden.policy.schema_wants import TYPES, accepts, description, json_text
from p4warden.policy.suggested_words import nearest

if TYPE_CHECKING:
    from p4warden.policy.problems import Path

NO_BREAK = "\u00a0\u202f\u2007\u3000"
_ENDLESS = {"unlimited", "infinite", "infinity", "none", "inf", "any", "no limit", "-1", "all"}
_DAYS = ("until", "baseline_until")
_NEVER = {"never", "forever", "none", "unlimited", "always", "permanent"}
_TYPOGRAPHIC = "\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"


class WrongValue(NamedTuple):
    path: Path
    value: Any
    part: dict[str, Any]

    @property
    def key(self) -> str:
        return next((step for step in reversed(self.path) if isinstance(step, str)), "")

    @property
    def expectation(self) -> str:
        return description(self.part)

    @property
    def short_text(self) -> str:
        return json_text(self.value)

    def accepted(self, text: str | None) -> str | None:
        return text if text and accepts(self.part, text) else None

    def write(self, text: str) -> str:
        """Return the instruction to write a text in place of a wrong value: `write mode: off`."""
        stands_alone = not self.path or isinstance(self.path[-1], int)
        return f"write {text}" if stands_alone else f"write {self.path[-1]}: {text}"


def explanation(error: Any, wrong: WrongValue) -> str:
    """Return the error message for a wrong policy value: reason, and correction in parentheses."""
    if error.validator == "minItems":
        return f"the list is empty ({wrong.expectation})"
    if error.validator == "maxItems":
        return f"the list is too long (at most {error.validator_value} entries)"
    if error.validator == "minProperties":
        empty = "measures nothing" if wrong.key == "pressure" else "selects nobody"
        return f"{empty} ({wrong.expectation})"
    if wrong.value is None:
        may_be_empty = wrong.part.get("type") == "array" and "minItems" not in wrong.part
        none = f"{wrong.write('[]')} for none; " if may_be_empty else ""
        return f"the value is missing ({none}{wrong.expectation})"
    special = remedies.value_remedy(wrong.path, wrong.value)
    return special or _unfit(wrong, is_type=error.validator == "type")


def _unfit(wrong: WrongValue, *, is_type: bool) -> str:
    value, kind = wrong.value, wrong.part.get("type")
    if isinstance(value, list) and len(value) == 1 and kind not in ("array", "object"):
        single = wrong.accepted(corrections.yaml_text(value[0]))
        if single:
            return f"{wrong.short_text} is a list ({wrong.write(single)})"
    if "enum" in wrong.part:
        return _not_among(wrong, list(map(str, wrong.part["enum"])))
    return _wrong_type(wrong) if is_type else _wrong_text(wrong)


def _not_among(wrong: WrongValue, words: list[str]) -> str:
    value = wrong.value
    if isinstance(value, str) and value in words:
        return f"{wrong.short_text} is text (write {value} without quotation marks)"
    if len(words) == 1:
        return f"{wrong.short_text} is wrong ({wrong.write(words[0])})"
    if isinstance(value, list | dict):
        return f"{wrong.short_text} is wrong (one of: {', '.join(sorted(words))})"
    return f"{wrong.short_text} is wrong {nearest(str(value).lower(), words)}"


def _wrong_type(wrong: WrongValue) -> str:
    value, kind = wrong.value, wrong.part["type"]
    if kind == "array":
        return _no_list(wrong)
    if kind == "object":
        return _no_pairs(wrong)
    if isinstance(value, list | dict):
        kind_of = "a list" if isinstance(value, list) else "key: value pairs"
        return f"{wrong.short_text} is {kind_of}, not {TYPES[kind]} ({wrong.expectation})"
    return _no_scalar(wrong, kind)


def _no_scalar(wrong: WrongValue, kind: str) -> str:
    value = wrong.value
    reason = f"{wrong.short_text} is not {TYPES[kind]}"
    if kind == "string" and wrong.accepted(corrections.yaml_text(wrong.short_text)):
        # A number can differ from the intended text: without quotation marks, the version 2024.10
        # becomes 2024.1. The message therefore asks for quotation marks.
        return f"{reason} (put it in quotation marks)"
    if isinstance(value, str) and re.search(r"\w#", value):
        return f"{reason} (write a space before the # of a comment)"
    is_endless = isinstance(value, str) and value.strip().lower() in _ENDLESS
    if is_endless and wrong.key.startswith("max") and "default" not in wrong.part:
        return f"{reason} (omit {wrong.key} for no limit)"
    write = wrong.accepted(_by_kind(wrong.key, kind, value))
    return f"{reason} ({wrong.write(write) if write else wrong.expectation})"


def _by_kind(key: str, kind: str, value: Any) -> str | None:
    if kind == "string":
        return _by_key(key, value)
    kinds = {"integer": corrections.whole_number, "number": corrections.share}
    return kinds.get(kind, corrections.boolean)(value)


def _by_key(key: str, value: Any) -> str | None:
    return corrections.BY_KEY[key](value) if key in corrections.BY_KEY else None


def _no_list(wrong: WrongValue) -> str:
    value, key = wrong.value, wrong.key
    if isinstance(value, dict):
        return remedies.pairs_remedy(key, value, resolved(wrong.part["items"]))
    if resolved(wrong.part["items"]).get("type") == "object":
        return f"{wrong.short_text} is not a list ({wrong.expectation})"
    text = str(value)
    if key == "commands":
        text = corrections.command(value) or text
    elif "enum" in resolved(wrong.part["items"]):
        text = ", ".join(text.replace(",", " ").split())
    write = wrong.accepted(corrections.yaml_list(text))
    return (
        f"{wrong.short_text} is not a list ({wrong.write(write) if write else wrong.expectation})"
    )


def _no_pairs(wrong: WrongValue) -> str:
    value, properties = wrong.value, wrong.part.get("properties", {})
    if "version" in properties:
        return _no_policy(value)
    if isinstance(value, str) and (blank := corrections.blank_after_colon(value, properties)):
        return blank
    if isinstance(value, list | str) and "users" in properties:
        is_list = isinstance(value, list)
        users = wrong.accepted(corrections.yaml_text({"users": value if is_list else [value]}))
        kind = "a list" if is_list else "text"
        if users:
            return f"{wrong.short_text} is {kind} ({wrong.write(users)})"
    if isinstance(value, list) and wrong.key == "depots" and len(value) == 1:
        two = "2 = directories a view must name below it"
        return f"{wrong.short_text} is a list (write depots: {{{value[0]}: 2}}; {two})"
    if isinstance(value, list) and len(value) == 1 and "propertyNames" in wrong.part:
        return f"{wrong.short_text} is a list ({wrong.write(f'{{{value[0]}: NUMBER}}')})"
    return f"{wrong.short_text} is not key: value pairs ({wrong.expectation})"


def _no_policy(value: Any) -> str:
    if isinstance(value, list):
        return "is a list (begin with version: and contact:, then put this list below rules:)"
    remedy = "write a colon for each =" if "=" in str(value) else "begin with version: 1"
    return f"{json_text(value)} is not a policy, which is key: value pairs ({remedy})"


def _wrong_text(wrong: WrongValue) -> str:
    value, key = wrong.value, wrong.key
    odd = _odd_text(value, wrong) if isinstance(value, str) else None
    if odd:
        return odd
    write = wrong.accepted(_by_key(key, value))
    if write and write != value:
        return f"{wrong.short_text} is wrong ({wrong.write(write)})"
    if key in _DAYS:
        endless = f"omit {key} for no end, or " if str(value).lower() in _NEVER else ""
        return (
            f"{wrong.short_text} is not a date ({endless}write YYYY-MM-DD, for example 2027-03-31)"
        )
    if key == "commands" and any(sign in str(value) for sign in "*?.("):
        return f"{wrong.short_text} is a pattern (write each command's name, such as files)"
    if key == "allow" and "burst" in str(value):
        return f"{wrong.short_text} is more than a rate (write allow: 50/s, burst: 500)"
    return f"{wrong.short_text} is wrong ({_range(wrong.part) or wrong.expectation})"


def _range(part: dict[str, Any]) -> str:
    if "maximum" not in part:
        return ""
    above = part.get("exclusiveMinimum")
    start = f"from {part.get('minimum')}" if above is None else f"over {above}"
    numbers = f"{TYPES[part['type']]} {start} to {part['maximum']}"
    return f"{numbers}, for example {part['examples'][0]}" if "examples" in part else numbers


def _odd_text(value: str, wrong: WrongValue) -> str | None:
    if not value.strip():
        return f"the text is empty ({wrong.expectation})"
    if wrong.key == "advice":
        return advice_text.misshapen(value, several_lines="programs" not in wrong.path)
    return _odd_character(value, wrong.key)


def _odd_character(value: str, key: str) -> str | None:
    odd = next((c for c in value if c in _TYPOGRAPHIC + NO_BREAK), None)
    if odd:
        return f"{json_text(value)} contains {odd}, a typographic character (write an ASCII one)"
    foreign = next((c for c in value if not c.isascii()), None)
    if foreign and key == "help_url":
        return f"{json_text(value)} contains {foreign}, which is not ASCII (write plain letters)"
    return None
