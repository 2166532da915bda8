from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from p4warden.core.plural import listed
from p4warden.policy.schema import resolved

if TYPE_CHECKING:
    from collections.abc import Iterator

Part = dict[str, Any]
SELECTOR = "selector"
"""The title of a selector, which has a section of its own in the policy reference."""

_PLAIN = {"boolean": "`true` or `false`", "integer": "whole number", "number": "number"}
_BAR = "\\|"
_DOCUMENT_END = "...\n"
_HEAD = "| setting | value | default | meaning | example |\n|---|---|---|---|---|\n"


def table(part: Part, omitted_keys: frozenset[str] = frozenset()) -> str:
    """Return a Markdown table of the settings in a schema part, except the `omitted_keys`."""
    required_keys = part.get("required", ())
    rows = [
        _row(name, resolved(setting), is_required=name in required_keys)
        for name, setting in part["properties"].items()
        if name not in omitted_keys
    ]
    return _HEAD + "".join(rows)


def entries(part: Part) -> Iterator[tuple[str, Part]]:
    """Yield a section of the policy reference for each setting in a schema part that has keys.

    A section is an introductory text and the schema of the object with the keys. The setting is
    that object, or a list of such objects.
    """
    for name, setting in part["properties"].items():
        inner_setting = resolved(setting)
        inner = resolved(inner_setting.get("items", inner_setting))
        if "properties" in inner and inner.get("title") != SELECTOR:
            each = f"Each entry of `{name}`: {inner['description']}"
            yield each if "items" in inner_setting else f"In `{name}`:", inner


def example(part: Part) -> Any:
    """Return an example value for a part of the policy's schema.

    Without an example in the schema, it is derived from the properties, items or limits there.
    """
    part = resolved(part)
    if "examples" in part:
        return part["examples"][0]
    if part["type"] == "object":
        settings = part["properties"]
        with_examples = [name for name in settings if "examples" in resolved(settings[name])]
        return {name: example(settings[name]) for name in part.get("required", with_examples)}
    if part["type"] == "array":
        return [example(part["items"])]
    return part["enum"][0] if "enum" in part else part["minimum"]


def _row(name: str, part: Part, *, is_required: bool) -> str:
    default = "needed" if is_required else _code(part.get("default"))
    cells = (f"`{name}`", _value(part), default, part["description"], _code(_example_value(part)))
    return f"| {' | '.join(cell.replace('|', _BAR) for cell in cells)} |\n"


def _example_value(part: Part) -> Any:
    if "examples" in part:
        return part["examples"][0]
    item = _example_value(resolved(part["items"])) if "items" in part else None
    return None if item is None else [item]


def _value(part: Part) -> str:
    part = resolved(part)
    if "enum" in part:
        return listed([f"`{value}`" for value in part["enum"]], "or")
    if "then" in part or part.get("title") == SELECTOR:
        return f"{_value(part['then'])}; or a list of them" if "then" in part else "a selector"
    if isinstance(part["type"], list):
        return "text or settings, see below"
    if part["type"] == "array":
        return f"list of {_item_words(part['items'])}"
    if part["type"] == "object":
        return _pairs(part.get("additionalProperties"))
    return _PLAIN.get(part["type"], "text") + _range(part)


def _pairs(values: Part | None) -> str:
    if not values:
        return "settings, see below"
    one = _value(values)
    return f"`name: value` pairs, each {one if one.startswith('a ') else f'a {one}'}"


def _item_words(items: Part) -> str:
    items = resolved(items)
    if "enum" in items:
        return _value(items)
    if items.get("title") == SELECTOR:
        return "selectors"
    return {"object": "entries, see below", "string": "texts"}[items["type"]]


def _range(part: Part) -> str:
    if "exclusiveMinimum" in part:
        return f" over {part['exclusiveMinimum']}, up to {part['maximum']}"
    return f" from {part['minimum']} to {part['maximum']}" if "minimum" in part else ""


def _code(value: Any) -> str:
    """Return a policy value as Markdown code in YAML notation; "" for None, `[]` and `{}`."""
    if value is None or value in ([], {}):
        return ""
    if isinstance(value, str):
        return f"`{value}`"
    text: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=1000)
    return f"`{text.removesuffix(_DOCUMENT_END).strip()}`"
