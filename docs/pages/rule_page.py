from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from p4warden.policy.compiled import compile_policy, rule_lines
from p4warden.policy.schema import page, schema, why
from pages.schema_tables import entries, example, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = "triggers/p4warden/policy/schema/rules"
LEVERS = "| lever | since | how it differs | source |\n|---|---|---|---|\n"


def text(kind: str, refusal: str) -> str:
    """Return the page of one kind of rule as Markdown; `refusal` is the section with an answer.

    Raises:
        ValueError: the rule's schema lacks a part of its page; the text names it.
    """
    if missing := lacking(kind):
        raise ValueError(f"{FOLDER}/{kind}.json lacks {', '.join(missing)}")
    return "".join(_parts(kind, refusal))


def lacking(kind: str) -> list[str]:
    """Name the parts of a rule's page that its schema lacks."""
    return missing_parts(why(kind), page(kind))


def missing_parts(reason: str, prose: Mapping[str, Any]) -> list[str]:
    """Name the parts that a page lacks of its reason (`why`) and its prose (`page`)."""
    missing = [] if reason else ["why"]
    missing += [f"page.{name}" for name in ("instead", "false_refusals") if not prose.get(name)]
    has_levers = prose.get("levers") or prose.get("no_levers")
    return missing if has_levers else [*missing, "page.levers (or page.no_levers)"]


def example_policy(kind: str) -> dict[str, Any]:
    """Return a small example policy that contains only the given rule."""
    settings = example(schema()["$defs"][kind])
    header = {"name": kind.replace("_", "-"), "rule": kind, "mode": "observe"}
    return {"version": 1, "contact": "p4-admins@example.com", "rules": [header | settings]}


def _parts(kind: str, refusal: str) -> Iterator[str]:
    part = schema()["$defs"][kind]
    yield f"# {kind}\n\n<!-- Written by `make docs`; edit {FOLDER}/{kind}.json. -->\n\n"
    yield f"{part['description']} {_subjects_sentence(kind, part)}\n\n"
    yield f"## Who is hurt\n\n{why(kind)}\n\n{refusal}"
    yield f"## To write instead\n\n{_items(page(kind)['instead'])}\n"
    yield f"## The vendor's own levers\n\n{_levers(kind)}\n"
    yield f"## Known false refusals\n\n{_items(page(kind)['false_refusals'])}\n"
    yield from _settings(kind, part)


def _items(texts: list[str]) -> str:
    return "".join(f"- {text}\n" for text in texts)


def _levers(kind: str) -> str:
    levers = page(kind).get("levers", ())
    keys = ("lever", "since", "difference", "source")
    rows = (f"| {' | '.join(lever[key] for key in keys)} |\n" for lever in levers)
    own = f"{LEVERS}{''.join(rows)}" if levers else f"{page(kind)['no_levers']}\n"
    other = page(kind).get("levers_of")
    more = f"\nAlso [those of {other}]({other}.md#the-vendors-own-levers).\n" if other else ""
    return own + more


def _settings(kind: str, part: dict[str, Any]) -> Iterator[str]:
    common = frozenset(schema()["$defs"]["rule"]["properties"])
    yield "## Settings\n\nBeside those [of every rule](../policy-reference.md#rules):\n\n"
    yield f"{table(part, common)}\n"
    yield from inner_tables(part)
    options: dict[str, Any] = {"sort_keys": False, "default_flow_style": None, "width": 100}
    yield f"```yaml\n{yaml.safe_dump(example_policy(kind), **options)}```\n"


def inner_tables(part: dict[str, Any]) -> Iterator[str]:
    """Yield a table of each setting that has settings of its own."""
    for where, inner in entries(part):
        yield f"{where}\n\n{table(inner)}\n"


def _subjects_sentence(kind: str, part: dict[str, Any]) -> str:
    [lines] = rule_lines(compile_policy(example_policy(kind), ""))
    subjects: dict[str, list[str]] = {}
    for event, subject in lines.events:
        subjects.setdefault(event, []).extend([subject] if subject else [])
    words = [_event(event, of, part["properties"]) for event, of in subjects.items()]
    running = "the commands that `commands` lists, while they run"
    return f"It judges {'; '.join(words) or running}."


_EVENTS = {
    "command": "the commands that `commands` lists",
    "change-submit": "submits",
    "shelve-submit": "shelves",
}
_FORMS = {"form-save": "forms that are saved", "form-out": "forms that are shown"}


def _event(event: str, subjects: list[str], settings: dict[str, Any]) -> str:
    if event in _EVENTS:
        return _EVENTS[event]
    forms_note = ", or those that `forms` lists" if "forms" in settings else ""
    return f"{_FORMS[event]}: {', '.join(subjects)}{forms_note}"
