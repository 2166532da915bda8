"""The shape of a policy: the schema, and its complaints in an administrator's words.

The schema is JSON Schema 2020-12: a frame, and one part for each rule. `jsonschema` judges; this
module only words its findings.
"""

from __future__ import annotations

import difflib
import functools
import json
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema

from p4warden.policy.problems import Problem
from p4warden.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_SHOWN_CHARACTERS = 60
MAX_NAMES = 100
_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "key: value pairs",
    "string": "text",
}

# JSON Schema takes 1.0 for a whole number; what reads the policy does not.
_VALIDATOR: Any = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _checker, value: type(value) is int
    ),
)


@functools.cache
def schema() -> dict[str, Any]:
    """Return the whole schema of a policy, the rules' parts included."""
    folder = resources.files("p4warden.policy") / "schema"
    frame: dict[str, Any] = json.loads((folder / "policy.json").read_text("utf-8"))
    rule = frame["$defs"]["rule"]
    rule["properties"]["rule"]["enum"] = sorted(RULES)
    rule["allOf"] = []
    for name in sorted(RULES):
        part = json.loads((folder / "rules" / f"{name}.json").read_text("utf-8"))
        frame["$defs"] |= part.pop("$defs", {})
        part["properties"] |= {key: {} for key in rule["properties"]}
        frame["$defs"][name] = {"type": "object", "additionalProperties": False, **part}
        chosen = {"properties": {"rule": {"const": name}}, "required": ["rule"]}
        rule["allOf"].append({"if": chosen, "then": {"$ref": f"#/$defs/{name}"}})
    return frame


def problems(document: object) -> Iterator[Problem]:
    """Yield everything in which a document has not the shape of a policy, each once."""
    seen: set[Problem] = set()
    for error in _VALIDATOR(schema()).iter_errors(document):
        for problem in _problems(error):
            if problem not in seen:
                seen.add(problem)
                yield problem


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a parenthesis that names the nearest known word, or all of them."""
    names = sorted(known)
    if len(names) > MAX_NAMES:
        return f"(there are {len(names)} others)"
    close = difflib.get_close_matches(word, names, 1)
    return f"(did you mean {close[0]}?)" if close else f"(one of: {', '.join(names)})"


def _problems(error: Any) -> Iterator[Problem]:
    """Put one of jsonschema's errors, whose fields it types loosely, into words."""
    path = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        for key in sorted(set(error.instance) - set(known)):
            yield Problem((*path, key), f"unknown key {nearest(key, known)}", key=True)
    elif error.validator == "required":
        for key in (key for key in error.validator_value if key not in error.instance):
            wanted = _wanted(error.schema["properties"][key])
            yield Problem(path, f"{key} is missing ({wanted})")
    elif "propertyNames" in error.absolute_schema_path:
        yield Problem((*path, error.instance), "is no name (write it alone, no slash)", key=True)
    elif error.validator == "enum" and isinstance(error.instance, str):
        yield Problem(
            path, f"{_what(error)} {nearest(error.instance, map(str, error.validator_value))}"
        )
    elif error.validator != "type" or error.instance in error.schema.get("enum", [error.instance]):
        # A rule's example would tell as many problems as there are rules.
        is_object = error.validator == "type" and error.validator_value == "object"
        wanted = _TYPES["object"] if is_object else _wanted(error.schema)
        yield Problem(path, f"{_what(error)} ({wanted})")


def _what(error: Any) -> str:
    if error.validator == "minItems":
        return "the list is empty"
    shown = json.dumps(error.instance)
    if len(shown) > MAX_SHOWN_CHARACTERS:
        shown = f"{shown[:MAX_SHOWN_CHARACTERS]}..."
    wrong_type = error.validator == "type"
    return f"{shown} is not {_TYPES[error.validator_value]}" if wrong_type else f"{shown} is wrong"


def _wanted(schema: Any) -> str:
    """Say in words what a schema wants."""
    if "$ref" in schema:
        return _wanted(_resolve(schema["$ref"]))
    if "examples" in schema:
        return f"for example {json.dumps(schema['examples'][0])}"
    if "enum" in schema:
        *others, last = (str(value) for value in schema["enum"])
        return f"{', '.join(others)} or {last}" if others else last
    words = _TYPES[schema["type"]]
    if schema["type"] == "array":
        return f"a list, each item: {_wanted(schema['items'])}"
    if "minimum" in schema:
        return f"{words} from {schema['minimum']} to {schema['maximum']}"
    return words


def _resolve(reference: str) -> Any:
    return schema()["$defs"][reference.rpartition("/")[2]]
