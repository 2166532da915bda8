"""Turn a finding into the text that people read in a terminal or in a graphical client's dialog.

One line with the refused item and the reason, the remedy, the contact, and a last line for
programs. The text is printable ASCII; on a server in unicode mode visible characters beyond ASCII
stay as they are. All text chosen by users is cut, so that no form can draw on the screen or push
the advice out of sight.
"""

from __future__ import annotations

import itertools

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.plural import amount
from p4warden.core.printable import cut, printable
from p4warden.core.records import MAX_FINDINGS
from p4warden.core.visible import fitted, shown
from p4warden.judge.tampered import ADVICE
from p4warden.rules import RULES

if TYPE_CHECKING:
    from p4warden.core.records import Event, Finding, Judgement, Outcome
    from p4warden.policy.compiled import Policy

MAX_TEXT_BYTES = 2048
"""Size in bytes of a refusal that the gate passes on; the parts below are cut to fit."""

MAX_PROBLEM_BYTES = 300
MAX_FIX_BYTES = 480
_SHOWN = ((2, 5), (0, 5), (0, 2), (0, 0))
"""Further findings and lines to copy, from most to fewest: the first two numbers that fit."""


def refusal(policy: Policy, event: Event, outcome: Outcome, *, unicode: bool) -> str:
    """Return the refusal that the developer reads; the outcome must be a refusal.

    Args:
        policy: the policy.
        event: the refused event.
        outcome: its outcome.
        unicode: whether the server is known to be in unicode mode.
    """
    judgement = outcome.decisive
    if judgement is None:
        raise ValueError("an event that was allowed has no refusal")
    for most in _SHOWN:
        lines = _lines(policy, event, judgement, *most, unicode=unicode)
        text = "".join(f"{shown(line, unicode=unicode)}\n" for line in lines)
        if len(text.encode()) <= MAX_TEXT_BYTES:
            break
    return text


def _lines(
    policy: Policy,
    event: Event,
    judgement: Judgement,
    more_findings: int,
    fix_lines: int,
    *,
    unicode: bool,
) -> list[str]:
    """Return the lines of a refusal.

    Args:
        event: the refused event.
        judgement: the judgement that refuses it.
        policy: the policy, for the contact.
        more_findings: the largest number of further findings to list.
        fix_lines: the largest number of lines to copy.
        unicode: whether the server is known to be in unicode mode.
    """
    return [
        *_what(event, judgement, more_findings, unicode=unicode),
        *([ADVICE] if event.tampered else _advice(event, judgement, fix_lines)),
        *_whom(policy),
        _for_machines(judgement.rule, judgement.findings[0]),
    ]


def fault(policy_contact: str | None) -> str:
    """Return the message of a refusal because p4warden itself failed, for `on_error: deny`."""
    whom = policy_contact or "your Perforce administrators"
    return (
        "This was refused because p4warden, which checks requests to this server, has failed.\n"
        "Nothing is wrong with your request. "
        f"Please tell {printable(whom)}; the cause is in p4warden's log.\n"
    )


def detail(finding: Finding) -> str:
    """Return one line about a finding: its place, the item, and the problem."""
    item = f" ({cut(finding.item)})" if finding.item else ""
    return f"{finding.place}{item} {finding.problem[:MAX_PROBLEM_BYTES]}"


def fix_lines(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """Return the proposed lines without duplicates.

    The first line of every finding comes first.
    """
    turns = itertools.zip_longest(*(finding.fix for finding in findings))
    return tuple(dict.fromkeys(line for turn in turns for line in turn if line))


def _what(event: Event, judgement: Judgement, most: int, *, unicode: bool) -> list[str]:
    first, *others = judgement.findings
    lines = [f"{_sentence(event, first, unicode=unicode)}."]
    lines += [f"Also: {_further(finding, unicode=unicode)}." for finding in others[:most]]
    if len(others) > most:
        # A rule stops searching after MAX_FINDINGS, so there may be more.
        least = "at least " if len(judgement.findings) >= MAX_FINDINGS else ""
        left = amount(len(others) - most, "more problem")
        verb = "is" if len(others) - most == 1 else "are"
        lines.append(f"There {verb} {least}{left} of this kind.")
    return lines


def _further(finding: Finding, *, unicode: bool) -> str:
    item = f" ({fitted(finding.item, unicode=unicode)})" if finding.item else ""
    problem = fitted(finding.problem, unicode=unicode, most_bytes=MAX_PROBLEM_BYTES)
    return f"{finding.place}{item} {problem}"


def _sentence(event: Event, finding: Finding, *, unicode: bool) -> str:
    """Return the first finding as a sentence about the user's own form or changelist."""
    name = fitted(event.name or event.change or "", unicode=unicode)
    own = f"your {event.type or 'change'} {name}".rstrip()
    problem = fitted(finding.problem, unicode=unicode, most_bytes=MAX_PROBLEM_BYTES)
    if event.tampered:
        return f"{finding.place} {problem}"
    item = fitted(finding.item, unicode=unicode)
    added = f" ({item})" if item not in ("", name) and finding.place != "The view" else ""
    place = finding.place.removeprefix("The ")
    if place == event.type:
        return f"Your{own[4:]}{added} {problem}"
    return f"{finding.place} of {own}{added} {problem}"


def _advice(event: Event, judgement: Judgement, most: int) -> list[str]:
    """Return the remedy, its reason, and the site's own advice on the rule."""
    reason = RULES[judgement.kind].reason
    own = judgement.advice.split("\n") if judgement.advice else ()
    return [*_fix(event, judgement, most), *([reason] if reason else ()), *own]


def _fix(event: Event, judgement: Judgement, most: int) -> list[str]:
    """Return the proposed lines to copy, as many as fit into `MAX_FIX_BYTES`; none is cut."""
    copied: list[str] = []
    lines = fix_lines(judgement.findings)
    for line in lines[:most]:
        if line.isascii() and sum(map(len, [*copied, line])) <= MAX_FIX_BYTES:
            copied.append(f"  {line}")
    if not copied:
        return []
    from p4warden.rules.proposals.placeholder_advice import how_to_choose  # noqa: PLC0415 - likewise

    more = len(lines) - len(copied) + sum(finding.more for finding in judgement.findings)
    heading = RULES[judgement.kind].fix_heading
    if not isinstance(heading, str):
        heading = heading.get(event.type, heading[None])
    return [heading, *sorted(copied), *how_to_choose([line.strip() for line in copied], more)]


def _whom(policy: Policy) -> list[str]:
    lines = [f"Questions: {policy.contact}"]
    return [*lines, f"The policy: {policy.help_url}"] if policy.help_url else lines


def _for_machines(rule: str, finding: Finding) -> str:
    limit, value = (
        "none" if number is None else number for number in (finding.limit, finding.value)
    )
    return f"p4warden: rule={rule} limit={limit} value={value} retry-after=none"
