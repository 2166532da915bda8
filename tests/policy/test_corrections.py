"""Tests that the policy check accepts each correction of a wrong value that it proposes."""

from __future__ import annotations

import datetime
import functools
import json
import operator
import re
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from p4warden.policy.check import check_file
from p4warden.policy.schema import resolved, schema
from support.examples import examples

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from p4warden.policy.problems import Path as KeyPath

TODAY = datetime.date(2026, 11, 21)
HOLE = "the corrected value"
RELATED = {"baseline", "baseline_until", "canary", "for", "warn_from"}
"""Settings that can be wrong because of another setting, which a correction does not consider."""

KINDS = schema()["$defs"]["rule"]["properties"]["rule"]["enum"]


def sample(part: dict[str, Any]) -> Any:
    """Return a sample value, with all keys, for a part of the policy's schema."""
    part = resolved(part)
    if "properties" in part:
        return {key: sample(one) for key, one in part["properties"].items() if one}
    for value in ("default", "examples", "enum"):
        if part.get(value) and value == "default":
            return part[value]
        if part.get(value):
            return part[value][0]
    if part["type"] == "array":
        return [sample(part["items"])]
    return {"boolean": True, "object": {"x": 1}}.get(part["type"], "x")


def policy(kind: str) -> dict[str, Any]:
    """Return a policy with one rule of this kind that has all its settings but `RELATED`."""
    parts = schema()["$defs"]
    rule = {**sample(parts["rule"]), **sample(parts[kind]), "rule": kind}
    rule |= {"action": "delay"} if "max_delay" in rule else {}
    exemption = sample(parts["exemption"])
    document = {"version": 1, "contact": "x", "help_url": "https://x.example", "on_error": "allow"}
    document["classes"] = {"builds": {"groups": ["build-farm"]}}
    return {**document, "exemptions": [exemption], "rules": [without(rule, RELATED)]}


def without(fields: dict[str, Any], keys: set[str]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in keys}


def places(value: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    """Yield the key path of each value in a document except the whole."""
    if path:
        yield path
    items = enumerate(value) if isinstance(value, list) else ()
    for key, one in value.items() if isinstance(value, dict) else items:
        yield from places(one, (*path, key))


def put(document: Any, path: KeyPath, value: Any) -> Any:
    """Return a copy of a document with another value at a key path."""
    if not path:
        return value
    copy = document.copy()
    copy[path[0]] = put(document[path[0]], path[1:], value)
    return copy


def proposed(path: KeyPath, text: str) -> str | None:
    """Return the YAML that a message proposes for a key path's value; None without such YAML."""
    key = r"" if isinstance(path[-1], int) else f"{path[-1]}: "
    match = re.search(rf"\((?:write {key}|did you mean )(\S+?|[\[{{\"].*?)(?:; .*|\?)?\)$", text)
    return match[1] if match and "NUMBER" not in match[1] else None


NUMBERS = st.sampled_from(
    ("0", "00", "1", "2", "60", "61", "90", "300", "99999", "1000000", "0.5", "²")
)
UNITS = st.sampled_from(("", "%", "k", "ms", "s", " seconds", "m", "h", " days", " weeks", "Hz"))
PERIODS = st.sampled_from(("/", " per ", " each "))
VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-1, 1)
    | st.sampled_from((60, 61, 90, 2000, 60_001, 10**6, 10**13, 2024))
    | st.sampled_from((0.0, 0.0001, 0.5, 2.0, 60.5, 2024.1, 1e6))
    | NUMBERS
    | st.builds("{}{}".format, NUMBERS, UNITS)
    | st.builds("{}{}{}{}".format, NUMBERS, PERIODS, NUMBERS | st.just(""), UNITS)
    | st.sampled_from(
        (
            "", "x", "yes", "OFF", "enforced", "ten", "1 million", "9e9", "p4 files", "fstat,sync",
            "files foo", "Files", "pre-user-sync", "//depot/...", "v2024", "2024", "r2024.1x",
            "31.12.2027", "2027/02/03 10:00", "30.02.2027", "never", "unlimited", "a b!", "-.-",
            "wiki.example.com", "http:/wiki.example.com", "http://" + "x" * 200 + ".com",
            "P4EXP*", "user", "compress rmdir",
        )
    )
)  # fmt: skip


@given(st.sampled_from(KINDS), st.data())
@settings(max_examples=examples(500))
def test_the_check_accepts_each_correction_that_it_proposes(
    tmp_path_factory: pytest.TempPathFactory, kind: str, data: st.DataObject
) -> None:
    document, file = policy(kind), tmp_path_factory.mktemp("corrected") / "policy.yaml"
    path = data.draw(st.sampled_from(list(places(document))))
    right: Any = functools.reduce(operator.getitem, path, document)  # type: ignore[arg-type]
    value = data.draw(VALUES | st.lists(VALUES, min_size=2, max_size=2) | st.just([right]))
    for text in _reports(file, json.dumps(put(document, path, value)), path):
        correction = proposed(path, text)
        if correction:
            document_text = json.dumps(put(document, path, HOLE)).replace(
                json.dumps(HOLE), correction
            )
            assert _reports(file, document_text, path) == [], f"{text} is wrong, too"


def _reports(file: Path, text: str, path: KeyPath) -> list[str]:
    """Write a policy file; return the texts of the policy's problems at a key path."""
    file.write_text(text, "utf-8")
    return [one.text for one in check_file(str(file), TODAY).problems if one.path == path]
