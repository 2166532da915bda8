"""The numbers in the prose of shipped texts: pages, policies, settings, refusals, advice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.core import shipped_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "triggers" / "p4warden"
RUST = ROOT / "triggers" / "gate" / "src"
GENERATED = ("policy-reference.md", "programs.md")
ROOMS_OF_REFUSALS = ("rules", "judge", "proposals", "contract", "rate")
# Keys of data whose values people read.
PROSE = frozenset(
    "description why instead lever since difference no_levers source false_refusals about title"
    " recommends risk text question".split()
)

_CODE = re.compile(r"(?ms)^```.*?^```|^    [^\n]*$|<!--.*?-->")
# Not what a source says: inline code, targets of links, releases, days, and the names of sources.
_NO_STATEMENT = re.compile(
    r"`[^`]*`|(?<=\])\([^)]*\)|\b(?:19|20)\d\d\.\d(?:P\d+)?\b|\b(?:19|20)\d\d(?:-\d\d-\d\d)?\b"
    r"|\b[Ii]ssues? (?:[a-z]+ )?[\d, and]*\d|#\d+|\bTR-\d+|\btable \d+|\bsection \d[\d.]*"
    r"|\b(?:knowledge base|article|release note|Command Reference) [\d.]+|\bby over 10x\b"
    r"|[A-Za-z]:\d+\b|\[\^\d+\]"
)
# With the word after it, so that "10 minutes" in the list does not hold for "10 times".
_NUMBER = re.compile(r"(?<![\w.,/@=%{\\-])\.?\d(?:[\d.,:]*\d)?[A-Za-z%]*(?:[ -][A-Za-z%]+)?")


def numbers(text: str) -> list[str]:
    """Return the numbers of a text, each with the word after it."""
    return _NUMBER.findall(_NO_STATEMENT.sub(" ", flat(text)))


def flat(text: str) -> str:
    """Return a text without blocks of code, its line breaks and signs of comments as blanks."""
    return re.sub(r"\s*\n[ #]*", " ", _CODE.sub("", text))


def texts() -> dict[str, str]:
    """Return what is read, by the file that says it; of generated pages that is their source."""
    return dict(_texts())


def _texts() -> Iterator[tuple[str, str]]:
    for page in [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/pages/*.in")]:
        if page.name not in GENERATED:
            yield str(page.relative_to(ROOT)), page.read_text("utf-8")
    for policy in [*ROOT.glob("policies/*.yaml"), PACKAGE / "policy" / "starter.yaml.in"]:
        if not policy.name.endswith(".cases.yaml"):
            yield policy.name, _comments(policy.read_text("utf-8"))
    for schema in PACKAGE.rglob("schema/**/*.json"):
        yield schema.name, "\n\n".join(_prose(json.loads(schema.read_text("utf-8"))))
    for data in [*PACKAGE.glob("programs/known/*.yaml"), *PACKAGE.rglob("judged.yaml")]:
        yield data.name, "\n\n".join(_prose(shipped_yaml.load(data.read_text("utf-8"))))
    facts = [
        shipped_yaml.load(file.read_text("utf-8")) for file in PACKAGE.glob("prove/facts/*.yaml")
    ]
    yield "facts of prove", "\n\n".join(_prose(facts))
    modules = [module for room in ROOMS_OF_REFUSALS for module in (RUST / room).rglob("*.rs")]
    yield "refusals", "\n\n".join(_sentences(module.read_text("utf-8")) for module in modules)


def _comments(policy: str) -> str:
    """Return the comments, without the numbers of settings (`sources` holds those)."""
    comments = "\n".join(re.findall(r"(?m)(?:^|\s)#(.*)$", policy))
    settings = set(re.findall(r"\d[\d.]*", re.sub(r"(?m)(?:^|\s)#.*$", "", policy)))
    own = "|".join(re.escape(one) for one in sorted(settings, key=len, reverse=True)) or "(?!)"
    return re.sub(rf"(?<![\w.,])(?:{own})(?![\d,.]*\d)", "N", comments)


def _prose(part: Any, key: str = "") -> Iterator[str]:
    if isinstance(part, dict):
        for name, inner in part.items():
            yield from _prose(inner, str(name))
    elif isinstance(part, list):
        yield "\n".join(one for inner in part for one in _prose(inner, key))
    elif key in PROSE:
        yield str(part)


def _sentences(module: str) -> str:
    code = re.sub(r"(?m)^\s*//.*$", "", module.partition("#[cfg(test)]")[0])
    literals = re.findall(r'"((?:[^"\\\n]|\\.)*)"', code)
    return "\n\n".join(one for one in literals if " " in one)
