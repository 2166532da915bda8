r"""Tolerate findings that specs already had at the census that wrote baseline.json.

The file holds one JSON object, with one spec a line in the order of their keys as JSON, so that a
trigger finds one spec among a hundred thousand with a few short reads:

    {"format": 2, "specs": {
    "client/ws": [["no-whole-depot", "View line", "//depot/...\t//ws/...", 0]]
    }}

An entry is the rule's name, the place without its number, the words of the item separated by tabs,
and the measured value. So a line may move within the form, and parts without findings may change.
"""

from __future__ import annotations

from p4warden.core import light_json
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
_HEAD, _END = '{"format": 2, "specs": {', "}}"
_STEP_BYTES = 8 * 1024


def unless_held_back(
    rule: str, findings: Iterable[Finding], facts: Facts, most: int | None
) -> tuple[Finding, ...]:
    """Return those of a rule's findings in a spec that are new or worse than in the baseline.

    If there are none, return the other findings as warnings.

    Args:
        rule: the rule's name in the policy.
        findings: all findings of the rule.
        facts: the facts, with the baseline values of this spec.
        most: the largest number of findings to return; None for all.
    """
    new_findings: list[Finding] = []
    old_findings: list[Finding] = []
    for finding in findings:
        group = old_findings if _was_so(rule, finding, facts) else new_findings
        if most is None or len(group) < most:
            group.append(finding)
        if (
            most is not None
            and new_findings
            and (len(new_findings) == most or new_findings[-1].is_decisive)
        ):
            break
    return tuple(new_findings) or tuple(
        finding._replace(problem=f"{finding.problem} (in the baseline)", is_warning=True)
        for finding in old_findings
    )


def marks(rule: str, findings: Iterable[Finding], facts: Facts) -> dict[Mark, int | None]:
    """Return the baseline entries for a rule's findings in a spec, with the measured values.

    Of two findings about the same item the worse counts.
    """
    worst: dict[Mark, int | None] = {}
    for finding in findings:
        mark = _mark(rule, finding, facts)
        if mark not in worst or _is_worse(finding, worst[mark]):
            worst[mark] = finding.value
    return worst


def key(spec_type: str, name: str, facts: Facts) -> str:
    """Return the key of a spec in baseline.json, such as `client/ws`."""
    return f"{spec_type}/{fold(name, case_sensitive=facts.case_sensitive)}"


def write(specs: Mapping[str, Marks]) -> bytes:
    """Return the content of baseline.json for tolerated findings by the spec's key."""
    lines = [
        f"{light_json.dumps(name)}: {light_json.dumps(_entries(specs[name]))}"
        for name in sorted(specs, key=light_json.dumps)
    ]
    return "\n".join([_HEAD, ",\n".join(lines), _END, ""]).encode("ascii")


def find(read_at: ReadAt, size_bytes: int, spec_key: str) -> Marks:
    """Find a spec's entries in baseline.json; empty if the file does not list the spec.

    Args:
        read_at: reads from an offset (first argument) a number of bytes (second); fewer at the
            end.
        size_bytes: the file's size.
        spec_key: the spec's key.

    Raises:
        ValueError: the file is damaged, or was written by another release.
    """
    low, high, quoted_key = 0, size_bytes, light_json.dumps(spec_key)
    if not read_at(0, len(_HEAD) + 1).startswith(f"{_HEAD}\n".encode()):
        raise ValueError("written by another release")
    while high - low > _STEP_BYTES:
        middle = (low + high) // 2
        start = _line_after(read_at, middle, high)
        name = None if start is None else _quoted_name_at(read_at, start)
        if start is None or name is None or quoted_key < name:
            high = middle
        else:
            low = start
    return _among(read_at, low, high, spec_key)


def _among(read_at: ReadAt, low: int, high: int, spec_key: str) -> Marks:
    """Return a spec's entries if its baseline.json line starts between two offsets, else `{}`."""
    # Each line of baseline.json begins with a spec's key, and no JSON string contains a raw line
    # end: a line end followed by the key occurs only at the spec's own line.
    start = f"\n{light_json.dumps(spec_key)}: ".encode("ascii")
    offset = (b"\n" + read_at(low, high - low + len(start))).find(start)
    if offset < 0:
        return {}
    end = _line_after(read_at, low + offset, None)
    if end is None:
        raise ValueError("cut short")
    line = read_at(low + offset, end - low - offset).decode("ascii").rstrip(",\n")
    return {(r, p, i): value for r, p, i, value in light_json.loads(f"{{{line}}}")[spec_key]}


def _line_after(read_at: ReadAt, place: int, before: int | None) -> int | None:
    """Return the offset of the first line start after `place`; None if none up to `before`."""
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


def _quoted_name_at(read_at: ReadAt, place: int) -> str | None:
    """Return the key, as JSON, of the baseline.json line that begins at an offset, or None."""
    text = read_at(place, _STEP_BYTES).decode("ascii")
    if not text.startswith('"'):
        return None
    return light_json.dumps(light_json.beginning(text))


def _entries(marks: Marks) -> list[list[str | int | None]]:
    return [[*mark, value] for mark, value in marks.items()]


def _was_so(rule: str, finding: Finding, facts: Facts) -> bool:
    mark = _mark(rule, finding, facts)
    marks = facts.baseline
    return mark in marks and not _is_worse(finding, marks[mark])


def _mark(rule: str, finding: Finding, facts: Facts) -> Mark:
    place = "".join(c for c in finding.place if not c.isdigit())
    words = "\t".join(split_words(finding.item)) or finding.counted_things
    return rule, place.strip(), fold(words, case_sensitive=facts.case_sensitive)


def _is_worse(finding: Finding, old_value: int | None) -> bool:
    """Tell whether a finding's value is further beyond its limit than that in baseline.json.

    False without values to compare, and for a value that grows without a change of the spec.
    """
    value, limit = finding.value, finding.limit
    if value is None or old_value is None or finding.is_growing:
        return False
    return value < old_value if limit is not None and value < limit else value > old_value
