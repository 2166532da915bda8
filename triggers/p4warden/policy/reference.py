from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from p4warden.asking import policy_lines, tables
from p4warden.policy.compiled import compile_policy, dumps
from p4warden.policy.reference_prose import (
    BASELINE,
    CASES,
    EVENTS,
    EXEMPTIONS,
    HOURS,
    NAMES,
    OBSERVING,
    SELECTORS,
    START,
)
from p4warden.policy.schema import kinds, schema, why
from p4warden.policy.schema_wants import resolved
from p4warden.policy.schema_words import entries, example, table

if TYPE_CHECKING:
    from collections.abc import Iterator


def text() -> str:
    """Return the reference page of the policy language as Markdown."""
    return "".join(_parts())


def example_policy(rule: str) -> dict[str, Any]:
    """Return a small example policy that contains only the given rule."""
    settings = example(schema()["$defs"][rule])
    header = {"name": rule.replace("_", "-"), "rule": rule, "mode": "observe"}
    return {"version": 1, "contact": "p4-admins@example.com", "rules": [header | settings]}


def _parts() -> Iterator[str]:
    document = schema()
    yield START
    yield "".join(f"- [`{name}`](#{name}): {_first_sentence(name)}\n" for name in kinds())
    yield f"\n## The file\n\n{table(document)}\n"
    selector, hours = (document["$defs"][name] for name in ("selector", "hours"))
    yield f"## Selectors\n\n{SELECTORS}{table(selector)}\n"
    yield f"### hours\n\n{HOURS}{table(hours)}\n"
    exemption = resolved(document["properties"]["exemptions"]["items"], document)
    yield f"## exemptions\n\n{EXEMPTIONS}{table(exemption, frozenset(selector['properties']))}\n"
    pressure = document["properties"]["pressure"]
    yield f"## pressure\n\n{pressure['description']}\n\n{table(pressure)}\n"
    rule = document["$defs"]["rule"]
    never = ", ".join(f"`{command}`" for command in sorted(tables.rescue_commands()))
    yield f"## rules\n\nSettings that every rule has in addition to its own:\n\n{table(rule)}\n"
    yield from _inner_tables(rule)
    yield BASELINE
    yield OBSERVING
    yield f"{NAMES}{_names()}\n"
    yield f"Commands needed to repair a server, which no rule limits: {never}.\n\n"
    for name in kinds():
        yield from _rule(name, document["$defs"][name], frozenset(rule["properties"]))
    yield CASES
    yield EVENTS


def _names() -> str:
    rows = (
        f"| `{name}` | `{' '.join(words).rstrip()}` |\n"
        for name, words in tables.synonyms().items()
    )
    return "".join(rows)


def _rule(name: str, part: dict[str, Any], common: frozenset[str]) -> Iterator[str]:
    description = f"{part['description']} {_subjects_sentence(name, part)}"
    yield f"## {name}\n\n{description}\n\n{why(name)}\n\n"
    yield f"{table(part, common)}\n"
    yield from _inner_tables(part)
    yaml_text = yaml.safe_dump(
        example_policy(name), sort_keys=False, default_flow_style=None, width=100
    )
    yield f"```yaml\n{yaml_text}```\n\n"


def _inner_tables(part: dict[str, Any]) -> Iterator[str]:
    for where, inner in entries(part):
        yield f"{where}\n\n{table(inner)}\n"


def _subjects_sentence(name: str, part: dict[str, Any]) -> str:
    [lines] = policy_lines.of_rules(dumps(compile_policy(example_policy(name), "")))
    subjects: dict[str, list[str]] = {}
    for event, subject in lines.events:
        subjects.setdefault(event, []).extend([subject] if subject else [])
    words = [_event(event, of, part["properties"]) for event, of in subjects.items()]
    return f"It judges {'; '.join(words)}."


def _event(event: str, subjects: list[str], settings: dict[str, Any]) -> str:
    if event == "command":
        return "the commands that `commands` lists"
    if event == "change-submit":
        return "submits"
    subject_words = {"form-save": "forms that are saved", "form-out": "forms that are shown"}[
        event
    ]
    forms_note = ", or those that `forms` lists" if "forms" in settings else ""
    return f"{subject_words}: {', '.join(subjects)}{forms_note}"


def _first_sentence(rule: str) -> str:
    words: str = schema()["$defs"][rule]["description"]
    first = words.partition(". ")[0].rstrip(".")
    return f"{first[0].lower()}{first[1:]}"
