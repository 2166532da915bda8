"""Check that comments in a p4warden policy state a source for each number in its rules."""

import re
from collections.abc import Iterator
from typing import Any

from p4warden.policy import source

# Pattern of a source that a policy's comment may give for a number: a title with its year, a
# numbered issue, a titled part of a vendor's guide, the page of a rule, an observation of this
# server, or "our choice:" followed by a reason.
SOURCE = re.compile(
    r'"[^"]+"[^"]*\b(19|20)\d\d\b|\bissues? (\w+ )?\d+|Guide, "[^"]+"|this server \w+'
    r"|[Oo]ur choice: \w+|docs/rules/\w+\.md"
)
_RATE = re.compile(r"([0-9]+) per ([0-9]+)(?:ms|s|m|h|d)")
_VERSION = re.compile(r"v?([0-9]+(?:\.[0-9]+)*)")
_DURATION = re.compile(r"([0-9]+)(?:ms|s|m|h|d)")


def unsourced(text: str) -> list[str]:
    """Return `RULE: NUMBER` for each number in a policy's rules without a source in a comment.

    The comments above and within a rule belong to it. They explain a number if they contain the
    number and either a source or a choice with its reason (see SOURCE).
    """
    results = source.parse(text.encode())
    lines = text.splitlines()
    start_lines = [
        results.values["rules", n].line - 1 for n in range(len(results.document["rules"]))
    ]
    first = next(n for n, line in enumerate(lines) if line.startswith("rules:")) + 1
    problems, comment_start = [], first
    for rule, start, after in zip(
        results.document["rules"], start_lines, [*start_lines[1:], len(lines)], strict=True
    ):
        end = _end(lines, start, after)
        comment = " ".join(_comment(line) for line in lines[comment_start:end])
        problems += [f"{rule['name']}: {number}" for number in _missing(rule, comment)]
        comment_start = end
    return problems


def _end(lines: list[str], start: int, after: int) -> int:
    """Return the line index just after a policy rule's last line.

    Comments up to there state the sources of the rule's numbers; later ones are for the next rule.
    """
    return 1 + max(n for n in range(start, after) if lines[n].split("#")[0].strip())


def _comment(line: str) -> str:
    return line.partition("#")[2].strip() if re.search(r"(^|\s)#", line) else ""


def _missing(rule: dict[str, Any], comment: str) -> Iterator[str]:
    citation = SOURCE.search(comment)
    for number in _numbers(rule):
        if not citation or not re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d,.]*\d)", comment):
            yield number


def _numbers(value: Any) -> Iterator[str]:
    """Yield all numbers in a policy rule's settings, as written in the policy.

    Of a rate such as `20 per 1m`, a duration or a version these are the numbers in it.
    """
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _numbers(part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, str):
        rate = _RATE.fullmatch(value) or _DURATION.fullmatch(value) or _VERSION.fullmatch(value)
        yield from rate.groups() if rate else ()
