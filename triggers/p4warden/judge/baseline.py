"""baseline.json: findings that specs had already when a census was taken, and may keep.

One JSON object a file, one spec a line, in the order of their keys, so that a trigger finds its
one spec among a hundred thousand by a few short reads:

    {"format": 1, "specs": {
    "client/ws": [["no-whole-depot", "View line", "//depot/... //ws/...", 0]]
    }}

An entry is the rule's name, the place without its number, the item by its words, and the value
that was measured. So a line may move, and parts that no rule judges may change.
"""

from __future__ import annotations

import json

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.patterns import fold
from p4warden.forms.depot_path import split_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from p4warden.core.records import Facts, Finding

    Mark = tuple[str, str, str]
    Marks = Mapping[Mark, int | None]
    ReadAt = Callable[[int, int], bytes]

FILE_NAME = "baseline.json"
_HEAD, _END = '{"format": 1, "specs": {', "}}"
_STEP_BYTES = 8 * 1024
_JSON = json.JSONDecoder()


def unless_held_back(
    rule: str, findings: Iterable[Finding], facts: Facts, most: int | None
) -> tuple[Finding, ...]:
    """Return findings that are new or worse; without any, the old ones, to be observed.

    Args:
        rule: the rule's name in the policy.
        findings: all that it found.
        facts: with the baseline values of this spec.
        most: return no more than so many; None for all.
    """
    new: list[Finding] = []
    old: list[Finding] = []
    for finding in findings:
        kept = old if _was_so(rule, finding, facts) else new
        if most is None or len(kept) < most:
            kept.append(finding)
        if most is not None and new and (len(new) == most or new[-1].settles):
            break
    return tuple(new) or tuple(
        finding._replace(problem=f"{finding.problem} (in the baseline)", warning=True)
        for finding in old
    )


def marks(rule: str, findings: Iterable[Finding], facts: Facts) -> dict[Mark, int | None]:
    """Return the marks of a spec's findings; of two about one thing the worse counts."""
    found: dict[Mark, int | None] = {}
    for finding in findings:
        mark = _mark(rule, finding, facts)
        if mark not in found or _is_worse(finding, found[mark]):
            found[mark] = finding.value
    return found


def key(spec_type: str, name: str, facts: Facts) -> str:
    """Return under what a spec stands in the file."""
    return f"{spec_type}/{fold(name, case_sensitive=facts.case_sensitive)}"


def write(specs: Mapping[str, Marks]) -> bytes:
    """Return the content of the file: the marks of each spec, by its key."""
    lines = [f"{json.dumps(name)}: {json.dumps(_entries(specs[name]))}" for name in sorted(specs)]
    return "\n".join([_HEAD, ",\n".join(lines), _END, ""]).encode("ascii")


def find(read_at: ReadAt, size_bytes: int, wanted: str) -> Marks:
    """Return the marks of one spec; nothing when the file does not have it.

    Args:
        read_at: returns so many bytes (second) from a place on (first); fewer at the end.
        size_bytes: the file's size.
        wanted: the spec's key.

    Raises:
        ValueError: the file is damaged.
    """
    low, high = 0, size_bytes
    if not read_at(0, len(_HEAD) + 1).startswith(f"{_HEAD}\n".encode()):
        raise ValueError("written by another release")
    while high - low > _STEP_BYTES:
        middle = (low + high) // 2
        start = _line_after(read_at, middle, high)
        name = None if start is None else _name_at(read_at, start)
        if start is None or name is None or wanted < name:
            high = middle
        else:
            low = start
    return _among(read_at, low, high, wanted)


def _among(read_at: ReadAt, low: int, high: int, wanted: str) -> Marks:
    """Return a spec's entry if its line starts between two places."""
    # No JSON text holds a line end, so what follows one is a key.
    start = f"\n{json.dumps(wanted)}: ".encode("ascii")
    found = (b"\n" + read_at(low, high - low + len(start))).find(start)
    if found < 0:
        return {}
    end = _line_after(read_at, low + found, None)
    if end is None:
        raise ValueError("cut short")
    line = read_at(low + found, end - low - found).decode("ascii").rstrip(",\n")
    return {(r, p, i): value for r, p, i, value in json.loads(f"{{{line}}}")[wanted]}


def _line_after(read_at: ReadAt, place: int, before: int | None) -> int | None:
    """Return where the next line starts, None when that is behind a place."""
    while before is None or place < before:
        block = read_at(place, _STEP_BYTES)
        if not block:
            return None
        end = block.find(b"\n")
        if end >= 0:
            start = place + end + 1
            return start if before is None or start <= before else None
        place += len(block)
    return None


def _name_at(read_at: ReadAt, place: int) -> str | None:
    """Return the key of the line that starts at a place; None where it is no spec's."""
    text = read_at(place, _STEP_BYTES).decode("ascii")
    if not text.startswith('"'):
        return None
    name: str = _JSON.raw_decode(text)[0]
    return name


def _entries(found: Marks) -> list[list[str | int | None]]:
    return [[*mark, value] for mark, value in found.items()]


def _was_so(rule: str, finding: Finding, facts: Facts) -> bool:
    mark = _mark(rule, finding, facts)
    was = facts.baseline
    return mark in was and not _is_worse(finding, was[mark])


def _mark(rule: str, finding: Finding, facts: Facts) -> Mark:
    place = "".join(c for c in finding.place if not c.isdigit())
    words = "\t".join(split_words(finding.item)) or finding.measured
    return rule, place.strip(), fold(words, case_sensitive=facts.case_sensitive)


def _is_worse(finding: Finding, then: int | None) -> bool:
    """Tell whether a value is further from its limit than it was."""
    value, limit = finding.value, finding.limit
    if value is None or then is None or finding.grows:
        return False
    return value < then if limit is not None and value < limit else value > then
