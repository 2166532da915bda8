from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.asking import tables
from p4warden.policy.schema import kinds, resolved, schema
from pages import rule_page
from pages.schema_tables import table

if TYPE_CHECKING:
    from collections.abc import Iterator

_INSERTION = re.compile(r"<!-- insert (\w+) -->\n")


def text() -> str:
    """Return the reference page of the policy language as Markdown."""
    prose = Path(__file__).with_name("reference.md.in").read_text("utf-8")
    parts = dict(_parts())
    return _INSERTION.sub(lambda insertion: parts[insertion[1]], prose)


def _parts() -> Iterator[tuple[str, str]]:
    """Yield the parts of the page that `reference.md.in` does not have, by the names in it."""
    document = schema()
    kind_lines = (f"- [`{name}`](rules/{name}.md): {_first_sentence(name)}\n" for name in kinds())
    yield "kinds", "".join(kind_lines)
    yield "policy", table(document)
    selector, hours, rule = (document["$defs"][name] for name in ("selector", "hours", "rule"))
    yield "selector", table(selector)
    yield "hours", table(hours)
    exemption = resolved(document["properties"]["exemptions"]["items"])
    yield "exemption", table(exemption, frozenset(selector["properties"]))
    pressure = document["properties"]["pressure"]
    yield "pressure", table(pressure)
    yield "rule", "\n".join([table(rule), *rule_page.inner_tables(rule)])
    yield "synonyms", _names()
    never = ", ".join(f"`{command}`" for command in sorted(tables.rescue_commands()))
    yield "never", f"Commands needed to repair a server, which no rule limits: {never}.\n"


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
