from __future__ import annotations

import functools
import json
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

ABOUT = ("why", "page")
"""Keys of a rule's file for its page alone, not part of the schema."""


@functools.cache
def schema() -> dict[str, Any]:
    """Return the complete JSON schema of a policy, including the parts of all kinds of rules."""
    frame: dict[str, Any] = json.loads((_folder() / "policy.json").read_text("utf-8"))
    _add_selectors(frame["$defs"])
    rule = frame["$defs"]["rule"]
    rule["properties"]["rule"]["enum"] = list(kinds())
    rule["allOf"] = []
    for name in kinds():
        part = {key: value for key, value in _part(name).items() if key not in ABOUT}
        frame["$defs"] |= part.pop("$defs", {})
        part["properties"] = part["properties"] | {key: {} for key in rule["properties"]}
        frame["$defs"][name] = {"type": "object", "additionalProperties": False, **part}
        condition = {"properties": {"rule": {"const": name}}, "required": ["rule"]}
        rule["allOf"].append({"if": condition, "then": {"$ref": f"#/$defs/{name}"}})
    return frame


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of the policy's schema together with the definition that its `$ref` names."""
    if "$ref" not in part:
        return part
    return {**schema()["$defs"][part["$ref"].rpartition("/")[2]], **part}


def _add_selectors(definitions: dict[str, Any]) -> None:
    """Derive from the selector those that lack a field, and the fields of an exemption."""
    selector = definitions["selector"]
    for name, without in {
        "excluded": ("not",),
        "class": ("classes",),
        "excluded_from_class": ("not", "classes"),
    }.items():
        fields = {key: part for key, part in selector["properties"].items() if key not in without}
        definitions[name] = {**selector, "properties": fields}
    of_class = {**selector["properties"]["not"], "$ref": "#/$defs/excluded_from_class"}
    definitions["class"]["properties"]["not"] = of_class
    exemption = definitions["exemption"]
    exemption["properties"] = selector["properties"] | exemption["properties"]


@functools.cache
def kinds() -> tuple[str, ...]:
    """Return the names of all kinds of rules, sorted."""
    files = (_folder() / "rules").iterdir()
    return tuple(
        sorted(file.name.removesuffix(".json") for file in files if file.name.endswith(".json"))
    )


def with_defaults(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return a checked rule with its defaults, and its settings in the order of the schema."""
    properties = _part(rule["rule"])["properties"]
    settings = {name: part["default"] for name, part in properties.items() if "default" in part}
    settings |= {name: value for name, value in rule.items() if name in properties}
    common = {name: value for name, value in rule.items() if name not in properties}
    return common | {name: settings[name] for name in properties if name in settings}


def why(kind: str) -> str:
    """Return who is hurt without a kind of rule, with the source, for its page."""
    return "\n".join(_part(kind).get("why", ()))


def page(kind: str) -> dict[str, Any]:
    """Return the prose of a rule's page.

    The keys are `instead` and `false_refusals` with texts, and `levers`, entries of `lever`,
    `since`, `difference` and `source`, or a text `no_levers`; the levers of the rule `levers_of`
    are levers of this rule, too.
    """
    prose: dict[str, Any] = _part(kind).get("page", {})
    return prose


@functools.cache
def _part(kind: str) -> dict[str, Any]:
    part: dict[str, Any] = json.loads((_folder() / "rules" / f"{kind}.json").read_text("utf-8"))
    return part


def _folder() -> Traversable:
    return resources.files("p4warden.policy") / "schema"
