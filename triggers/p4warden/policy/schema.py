from __future__ import annotations

import functools
import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from p4warden.policy import wording
from p4warden.policy.schema_wants import VALIDATOR
from p4warden.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.problems import Problem


@functools.cache
def schema() -> dict[str, Any]:
    """Return the complete JSON schema of a policy, including the parts of all kinds of rules."""
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
        condition = {"properties": {"rule": {"const": name}}, "required": ["rule"]}
        rule["allOf"].append({"if": condition, "then": {"$ref": f"#/$defs/{name}"}})
    return frame


def problems(document: object) -> Iterator[Problem]:
    """Yield every violation of the policy's schema in a document, without duplicates."""
    reported_problems: set[Problem] = set()
    for error in VALIDATOR(schema()).iter_errors(document):
        for problem in wording.problems(error, schema()):
            if problem not in reported_problems:
                reported_problems.add(problem)
                yield problem
