from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def everywhere(part: Any) -> Iterator[str]:
    """Yield every policy key in a part of the policy's JSON schema, nested keys included."""
    if isinstance(part, dict):
        properties = part.get("properties")
        yield from properties if isinstance(properties, dict) else ()
        for value in part.values():
            yield from everywhere(value)
    elif isinstance(part, list):
        for entry in part:
            yield from everywhere(entry)


def places(frame: dict[str, Any], key: str) -> str:
    """Return in words the parts of a policy where a key is allowed; "" for an unknown key."""
    definitions = frame["$defs"]
    common = definitions["rule"]["properties"]
    parts = {"the top level": frame, "an exemption": definitions["exemption"]}
    parts |= {"an entry of rules": definitions["rule"], "canary": common["canary"]}
    parts |= {"an entry of limits": definitions["limit"]}
    names = [place for place, part in parts.items() if key in part["properties"]]
    kinds = common["rule"]["enum"]
    rules = [kind for kind in kinds if key in definitions[kind]["properties"]]
    return " or ".join(names) or (f"the rule {' or '.join(rules)}" if rules else "")
