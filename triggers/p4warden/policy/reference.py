from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.asking import tables
from p4warden.policy import rule_page
from p4warden.policy.reference_prose import (
    ARGUMENTS,
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
from p4warden.policy.schema import kinds, schema
from p4warden.policy.schema_wants import resolved
from p4warden.policy.schema_words import table

if TYPE_CHECKING:
    from collections.abc import Iterator


def text() -> str:
    """Return the reference page of the policy language as Markdown."""
    return "".join(_parts())


def _parts() -> Iterator[str]:
    document = schema()
    yield START
    yield "".join(f"- [`{name}`](rules/{name}.md): {_first_sentence(name)}\n" for name in kinds())
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
    yield from rule_page.inner_tables(rule)
    yield BASELINE
    yield OBSERVING
    yield f"{NAMES}{_names()}\n"
    yield f"Commands needed to repair a server, which no rule limits: {never}.\n\n"
    yield ARGUMENTS
    yield CASES
    yield EVENTS


def _names() -> str:
    rows = (
        f"| `{name}` | `{' '.join(words).rstrip()}` |\n"
        for name, words in tables.synonyms().items()
    )
    return "".join(rows)


def _first_sentence(rule: str) -> str:
    words: str = schema()["$defs"][rule]["description"]
    first = words.partition(". ")[0].rstrip(".")
    return f"{first[0].lower()}{first[1:]}"
