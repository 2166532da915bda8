"""Tests that whatever the policy's schema offers passes `check` and `activate` and judges events.

Each policy has rules of one kind, all its example with one more setting: a rule for each word that
the schema allows for it, and for each key that it may have.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner
from pages import rule_page
from pages.schema_tables import example

from p4warden.asking import tables
from p4warden.commands.activate import activate
from p4warden.commands.check import check
from p4warden.commands.evaluate import evaluate
from p4warden.policy import schema

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Fields = dict[str, Any]
HEAD = {
    "version": 1,
    "contact": "admins",
    "classes": {"builds": {"groups": ["build-farm"]}},
    "pressure": {"monitor_file": "/p4/1/root/monfile.mem"},
}
NAMES = ("name", "rule")
BESIDE: dict[str, Fields] = {
    "baseline_until": {"baseline": True},
    "delay": {"max_delay": "2s"},
    "max_delay": {"action": "delay"},
    "weight": {"unknown_as": 10},
    "unknown_as": {"weight": "files"},
    "groups": {"line_end": "unix"},
    "hosts": {"line_end": "unix"},
    "ips": {"line_end": "unix"},
}
"""What a setting, or a value, needs beside it; groups, hosts and ips are those of a demand."""
FORM = "Client: ws\nOwner: ann\nRoot: /ws\nView:\n\t//depot/... //ws/...\n"
FACTS = {"depots": {"depot": {"type": "local", "directories": ["main", "rel"]}}}
EVENTS: list[Fields] = [
    {"event": "form-save", "type": "client", "name": "ws", "form": FORM},
    {"event": "form-out", "type": "client", "name": "ws", "form": FORM},
    {"event": "change-submit", "change": "9", "files": [{"path": "//depot/a/b", "action": "add"}]},
]


def values(part: Fields) -> Iterator[Any]:
    """Yield at least one value for a part of the schema."""
    part = schema.resolved(schema.resolved(part).get("then", part))
    if "enum" in part:
        yield from part["enum"]
    elif part.get("type") == "boolean":
        yield from (True, False)
    elif "items" in part and {"enum", "properties"} & {*schema.resolved(part["items"])}:
        yield from ([value] for value in values(part["items"]))
    elif "properties" in part:
        keys = part["properties"]
        required = {name: example(keys[name]) for name in part.get("required", ())}
        for name, value in each(keys):
            others = {key: one for key, one in beside(name, value).items() if key in keys}
            yield required | others | {name: value}
    else:
        yield example(part)


def each(settings: Fields) -> Iterator[tuple[str, Any]]:
    for name, part in settings.items():
        yield from ((name, value) for value in values(part))


def beside(name: str, value: Any) -> Fields:
    return BESIDE.get(name, {}) | BESIDE.get(str(value), {})


def rules(kind: str) -> Iterator[Fields]:
    parts = schema.schema()["$defs"]
    common = {key: one for key, one in parts["rule"]["properties"].items() if key not in NAMES}
    # One kind is enough to try every value of the settings that all kinds have.
    every = dict(each(common)).items() if kind != "limit_view_scope" else each(common)
    [smallest] = rule_page.example_policy(kind)["rules"]
    own = {name: part for name, part in parts[kind]["properties"].items() if part}
    for number, (name, value) in enumerate([*every, *each(own)]):
        if not name.startswith("baseline") or "form-save" in tables.events(kind):
            yield smallest | beside(name, value) | {name: value, "name": f"rule-{number}"}


def events(rules: list[Fields]) -> list[Fields]:
    commands = {command for rule in rules for command in rule.get("commands", ["fstat"])}
    sent = [{"event": "command", "command": one, "args": ["//depot/..."]} for one in commands]
    common: Fields = {"user": "ann", "groups": [], "client": "ws", "facts": FACTS}
    return [{"id": id_, **common, **event} for id_, event in enumerate([*EVENTS, *sent])]


@pytest.mark.parametrize("kind", schema.kinds())
def test_each_setting_of_the_schema_is_accepted_and_judges(kind: str, tmp_path: Path) -> None:
    file, home = tmp_path / "policy.yaml", str(tmp_path / "home")
    all_rules = [*rules(kind)]
    file.write_text(yaml.safe_dump({**HEAD, "rules": all_rules}))
    runner = CliRunner()
    for command in (check, activate):
        result = runner.invoke(command, [str(file), "--home", home])
        assert result.exit_code == 0, result.output
    lines = [*map(json.dumps, events(all_rules))]
    result = runner.invoke(evaluate, ["--home", home], input="\n".join(lines))
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, len(lines)), result.output
