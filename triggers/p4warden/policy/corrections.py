"""Corrections of wrong values in a policy, for error messages.

A function for a key or for an expected kind of value takes the wrong value and returns the text to
write instead, or None if no correction can be derived.
"""

from __future__ import annotations

import datetime
import json
import re
from typing import TYPE_CHECKING, Any

from p4warden.asking import tables
from p4warden.core import rate_notation
from p4warden.core.near_names import nearest_spelling
from p4warden.policy.known_commands import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_PLAIN = re.compile(r"(?![0-9.]+$)[A-Za-z0-9_][A-Za-z0-9_./ -]*")
_RESERVED = {"true", "false", "null"}
_PERCENT = 2
"""Number from which on a value is taken for a percentage where a policy needs a share, 0 to 1."""
_NUMBER = re.compile(r"([0-9]{1,3}(?:[,_' ][0-9]{3})+|[0-9]+)")
_WORDS = {
    word: number
    for number, word in enumerate("zero one two three four five six seven eight nine ten".split())
}
_YES, _NO = {"yes", "on", "true", "y", "1"}, {"no", "off", "false", "n", "0"}
_DAYS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%Y%m%d",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d %Y",
    "%B %d %Y",
)


def yaml_text(value: Any) -> str:
    """Return a value as it is written in a policy's YAML, on one line, quoted where needed."""
    if isinstance(value, str):
        is_plain = _PLAIN.fullmatch(value) and value.lower() not in _RESERVED
        return value if is_plain else json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(yaml_text, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {yaml_text(one)}' for key, one in value.items())}}}"
    return json.dumps(value)


def blank_after_colon(text: str, keys: Collection[str]) -> str | None:
    """Return the problem of a text such as `mode:off`, or None if it begins with no known key."""
    key, colon, value = text.partition(":")
    is_key = colon and key in keys
    return f"a space is missing after the colon (write {key}: {value.strip()})" if is_key else None


def yaml_list(value: str) -> str:
    """Correct a text where a policy needs a list of names: split it at commas."""
    parts = [part.strip() for part in value.strip("[]").split(",")]
    return yaml_text([part for part in parts if part] or [value])


def whole_number(value: Any) -> str | None:
    """Return in digits the whole number that a policy value such as `ten` stands for, or None."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if not isinstance(value, str):
        return None
    text = value.strip().lower()
    if text in _WORDS:
        return str(_WORDS[text])
    match = re.fullmatch(r"([0-9]{1,6}) ?(k|m|g|thousand|million|e[0-9])", text)
    if match:
        zeros = {"k": 3, "t": 3, "m": 6, "g": 9}.get(match[2][0]) or int(match[2][1])
        return match[1] + "0" * zeros
    text = text.removesuffix("%").rstrip()
    return re.sub("[,_' ]", "", text) if _NUMBER.fullmatch(text) else None


def share(value: Any) -> str | None:
    """Return the share (over 0, up to 1) that a policy value such as `25%` stands for, or None."""
    text = str(value).strip().replace(",", ".")
    match = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,6})?) ?(%?)", text)
    if not match or isinstance(value, bool):
        return None
    number = float(match[1])
    part = number / 100 if match[2] or number >= _PERCENT else number
    return f"{part:g}" if 0 < part <= 1 else None


def boolean(value: Any) -> str | None:
    """Return the boolean, `true` or `false`, that a policy value such as `yes` means, or None."""
    text = str(value).lower()
    return "true" if text in _YES else "false" if text in _NO else None


def day(value: Any) -> str | None:
    """Return the date that a wrong policy value stands for, as `YYYY-MM-DD`.

    None if the value has none of the forms in `_DAYS`; ambiguous ones, such as `3/4/2027`, are not
    among them. A time of day after the date is ignored.
    """
    text = re.sub(r"[T ][0-9]{1,2}:[0-9:.]+Z?$", "", str(value).replace(",", "").strip())
    return next((day for day in map(_read_as, [text] * len(_DAYS), _DAYS) if day), None)


def _read_as(text: str, shape: str) -> str | None:
    try:
        return datetime.datetime.strptime(text, shape).date().isoformat()  # noqa: DTZ007
    except ValueError:
        return None


def command(value: Any) -> str | None:
    """Return the p4 commands, separated by commas, that a wrong policy value means, or None."""
    words = re.split(r"[\s,|]+", str(value).strip().lower().strip("$^()"))
    names = [re.sub("^(?:pre|post)-(?:user-)?|^user-", "", word) for word in words]
    names = [name for name in names if name not in ("p4", "p4d")] or names
    commands = [name if name in COMMANDS else nearest_spelling(name, COMMANDS) for name in names]
    if all(commands):
        return ", ".join(map(str, commands))
    return commands[0]


def rate(value: Any) -> str | None:
    """Return the rate, such as `5/s`, that a wrong policy value probably stands for.

    A number without unit counts as a rate per second. None if no rate can be derived.
    """
    if type(value) is int and value > 0:
        return f"{value}/s"
    text = str(value).lower().strip()
    fraction = re.fullmatch(r"0?\.([1-9]) ?(?:/|per) ?1?([a-z]+)", text)
    if fraction and 10 % int(fraction[1]) == 0:
        return _possible(f"1/{10 // int(fraction[1])}{fraction[2]}")
    match = re.match(
        r"([0-9]{1,7}) *(?:times|commands|requests|x)? *(?:a|an|each|every|in|per|/)", text
    )
    unit_match = re.search(r"([0-9]{1,6})? ?([a-z]+)$", text)
    if not match or not unit_match:
        number_match = re.fullmatch(r"([0-9]{1,7})(?: ?(?:qps|rps|hz|ps))?", text)
        return _possible(f"{number_match[1]}/s") if number_match else None
    if unit_match[2] in ("w", "week", "weeks"):
        return _possible(f"{match[1]}/{7 * int(unit_match[1] or 1)}d")
    return _possible(f"{match[1]}/{unit_match[1] or 1}{unit_match[2]}")


def _possible(text: str) -> str | None:
    rate = rate_notation.rate(text)
    return rate.text if rate and rate.interval_ns else None


def duration(value: Any) -> str | None:
    """Return the delay, such as `2s`, that a wrong policy value probably stands for.

    A whole number, also in quotes, counts as seconds, above the longest delay as milliseconds; a
    fraction counts as seconds. None for any other value, and for a delay that is not allowed.
    """
    if isinstance(value, float):
        return _milliseconds(value * 1000) if value <= tables.max_delay_s() else None
    if isinstance(value, bool) or not re.fullmatch("[0-9]{1,6}", str(value).strip()):
        return None
    number = int(value)
    return f"{number}s" if 0 < number <= tables.max_delay_s() else _milliseconds(number)


def _milliseconds(number: float) -> str | None:
    return f"{round(number)}ms" if 0 < round(number) <= tables.max_delay_s() * 1000 else None


def url(value: Any) -> str | None:
    """Correct a policy's web address to one with https://; None if the value cannot be one."""
    text = str(value).strip().removeprefix("http:/").removeprefix("https:/").strip("/")
    return f"https://{text}" if re.fullmatch(r"[!-~]*[.][!-~]*", text) else None


def rule_name(value: Any) -> str | None:
    """Correct a policy's rule name: hyphens for special characters; None if nothing is left."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", str(value)).strip("-._")[:64]
    return yaml_text(name) if name else None


def depot(value: Any) -> str | None:
    """Correct a depot path where a policy needs a depot name; None without a valid depot name."""
    name = str(value).lstrip("/").partition("/")[0]
    return name if re.fullmatch(r"[^/@#%*\s]+", name) and name != "..." else None


def version(value: Any) -> str | None:
    """Correct a policy's server version to quoted text: `"2024.1"`; None without a version."""
    text = str(value).strip().lower()
    with_part = f"{text}.1" if re.fullmatch("[0-9]{4}", text) else text
    match = re.search(r"[0-9]{1,9}(?:[.][0-9]{1,9})+", with_part)
    return f'"{match[0]}"' if match else None


BY_KEY: dict[str, Callable[[Any], str | None]] = {
    "until": day,
    "baseline_until": day,
    "commands": command,
    "allow": rate,
    "max_delay": duration,
    "help_url": url,
    "name": rule_name,
    "below": version,
    "max_share": share,
}
"""Functions that correct a wrong value, by the policy key (not every key has one)."""
