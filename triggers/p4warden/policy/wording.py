from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.policy import corrections, remedies, wrong_values
from p4warden.policy.problems import Path, Problem
from p4warden.policy.schema import kinds, schema
from p4warden.policy.schema_wants import description, validator
from p4warden.policy.suggested_words import nearest, suggested

if TYPE_CHECKING:
    from collections.abc import Iterator

_RULE_STEPS = 2  # number of steps in the key path of a rule, such as `("rules", 0)`


def problems(document: object) -> Iterator[Problem]:
    """Yield every violation of the policy's schema in a document, without duplicates."""
    reported_problems: set[Problem] = set()
    for error in validator()(schema()).iter_errors(document):
        for problem in _problems(error):
            if problem not in reported_problems:
                reported_problems.add(problem)
                yield problem


def _problems(error: Any) -> Iterator[Problem]:
    """Yield the policy problems that one error of the `jsonschema` library describes.

    Nothing is yielded if another error describes them as well.
    """
    path: Path = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        for key in sorted(set(error.instance) - set(error.schema["properties"])):
            text = _unknown_key((*path, key), error.instance[key], error.schema["properties"])
            yield Problem((*path, key), text, key=True)
    elif error.validator == "required":
        for key in (key for key in error.validator_value if key not in error.instance):
            yield _missing(path, key, error)
    elif "propertyNames" in error.absolute_schema_path:
        yield Problem((*path, error.instance), _bad_name(error), key=True)
    elif _is_told_elsewhere(error):
        return
    else:
        wrong = wrong_values.WrongValue(path, error.instance, error.schema)
        yield Problem(path, wrong_values.explanation(error, wrong))


def _is_told_elsewhere(error: Any) -> bool:
    """Tell whether a `jsonschema` error repeats the report of another error.

    An `enum` error also reports a wrong type, and a wrong type of a whole rule is reported once
    instead of once for each part of `allOf`.
    """
    if error.validator != "type":
        return False
    if "allOf" in error.absolute_schema_path and len(error.absolute_path) == _RULE_STEPS:
        return True
    return error.instance not in error.schema.get("enum", [error.instance])


def _missing(path: Path, key: str, error: Any) -> Problem:
    properties = error.schema["properties"]
    for other in sorted(set(error.instance) - set(properties)):
        if "rule" in properties and other in properties["rule"].get("enum", ()):
            text = f"is a type of rule (write name:, rule: {other} and mode: on separate lines)"
            return Problem((*path, other), text, key=True)
        if other.partition(":")[0] == key or suggested(other, list(properties)) == key:
            text = _unknown_key((*path, other), error.instance[other], properties)
            return Problem((*path, other), text, key=True)
    value = description(properties[key])
    value = f"write {key}: {value}" if len(properties[key].get("enum", "")) == 1 else value
    return Problem(path, f"{key} is missing ({value})")


def _unknown_key(path: Path, value: Any, properties: dict[str, Any]) -> str:
    key = str(path[-1])
    special = remedies.key_remedy(path[:-1], key, value)
    if special:
        return special
    if any(character in key for character in wrong_values.NO_BREAK):
        return "contains a no-break space (write a normal space)"
    if value is None and (blank := corrections.blank_after_colon(key, properties)):
        return blank
    suggestion = suggested(key, list(properties))
    if suggestion:
        return f"unknown key (did you mean {suggestion}?)"
    elsewhere = _places(key)
    return _misplaced(path, elsewhere) if elsewhere else f"unknown key {nearest(key, properties)}"


def _misplaced(path: Path, elsewhere: str) -> str:
    if elsewhere.startswith("the rule "):
        remedy = "indent it below the rule that it is for" if len(path) == 1 else "remove it"
        return f"belongs to {elsewhere} ({remedy})"
    return f"is not a key here (it belongs to {elsewhere})"


def _bad_name(error: Any) -> str:
    key = str(error.instance)
    if error.validator == "enum":
        return f"unknown {nearest(key, map(str, error.validator_value))}"
    correction = corrections.depot(key)
    return f"is not the name of a depot (write {correction or 'only the name, without slashes'})"


def _places(key: str) -> str:
    """Return in words the parts of a policy where a key is allowed; "" for an unknown key."""
    definitions = schema()["$defs"]
    parts = {"the top level": schema(), "an exemption": definitions["exemption"]}
    parts |= {"an entry of rules": definitions["rule"], "a selector": definitions["selector"]}
    parts |= {"an entry of limits": definitions["limit"]}
    names = [place for place, part in parts.items() if key in part["properties"]]
    rules = [kind for kind in kinds() if key in definitions[kind]["properties"]]
    return " or ".join(names) or (f"the rule {' or '.join(rules)}" if rules else "")
