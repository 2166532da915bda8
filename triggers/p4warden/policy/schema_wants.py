"""The values that a part of the policy's schema accepts: a description, and a test of one value.

A description is, for example, `a whole number from 0 to 20`.
"""

from __future__ import annotations

import functools
import json
from typing import Any

import yaml

from p4warden.core.plural import listed
from p4warden.policy import corrections
from p4warden.policy.schema import resolved, schema
from p4warden.policy.values import Builder

MAX_SHOWN_CHARACTERS = 60
TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "key: value pairs",
    "string": "text",
}


@functools.cache
def validator() -> Any:
    """Return the class that validates documents by the policy's schema."""
    import jsonschema  # noqa: PLC0415 - takes a quarter of a start, and most commands check no policy

    # JSON Schema accepts 1.0 as an integer; here it is an error: settings are Python integers.
    draft = jsonschema.Draft202012Validator
    types = draft.TYPE_CHECKER.redefine("integer", lambda _checker, value: type(value) is int)
    return jsonschema.validators.extend(draft, type_checker=types)  # type: ignore[no-untyped-call]


def json_text(value: Any) -> str:
    """Return a wrong policy value as one line of JSON for an error message, cut if it is long."""
    plain = isinstance(value, str) and value.isprintable()
    text = json.dumps(value, ensure_ascii=not plain)
    cut = len(text) > MAX_SHOWN_CHARACTERS
    return f"{text[:MAX_SHOWN_CHARACTERS]}..." if cut else text


def description(part: dict[str, Any]) -> str:
    """Return in words the values that a part of the policy's schema accepts."""
    part = resolved(part)
    if "examples" in part:
        return f"for example {corrections.yaml_text(part['examples'][0])}"
    if "enum" in part:
        return listed([*map(str, part["enum"])], "or")
    words = TYPES[part["type"]]
    if part["type"] == "array":
        return f"a list, each item: {description(part['items'])}"
    if part["type"] == "object" and "properties" in part:
        return ", ".join(f"{key}:" for key in part.get("required", part["properties"]))
    if "minimum" in part:
        return f"{words} from {part['minimum']} to {part['maximum']}"
    return words


def accepts(part: dict[str, Any], text: str) -> bool:
    """Tell whether a part of the policy's schema accepts a value, given as YAML on one line."""
    try:
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError:
        return False
    value = node and Builder(one_line=True).build(node, ())
    return bool(validator()({**part, "$defs": schema()["$defs"]}).is_valid(value))
