"""Write the text of a refusal, shown in a terminal or in a graphical client's dialog.

Its lines are the problems with the refused items, proposed lines, advice, the contact, and at the
end a line for programs. The text is printable ASCII; on a server in unicode mode visible
characters beyond ASCII stay as they are. Items chosen by users are cut and proposed lines limited,
so that no form can draw on the screen or push the remedy out of sight.
"""

from __future__ import annotations

import itertools

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.plural import amount
from p4warden.core.printable import CUT, cut, printable
from p4warden.core.records import MAX_FINDINGS
from p4warden.core.visible import cut_to, is_unchanged, visible_excerpt, visible_text
from p4warden.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.core.records import Event, Finding, Judgement, Outcome
    from p4warden.policy.compiled import Policy

MAX_TEXT_BYTES = 2048
"""Largest size of a refusal in bytes. Further findings are left out first, then proposed lines;
then advice is cut. The same size as in `triggers/gate/src/rules/refusal.rs`.
"""

MAX_PROBLEM_BYTES = 300
MAX_FIX_BYTES = 480
_LINE_COUNTS = ((2, 5), (0, 5), (0, 2), (0, 0))
"""Numbers of further findings and of proposed lines that a refusal shows, from most to
fewest: the first pair that fits is used.
"""


def refusal(policy: Policy, event: Event, outcome: Outcome, *, unicode: bool) -> str:
    """Return the refusal text that a developer reads, for a refused event.

    Args:
        policy: the policy.
        event: the refused event.
        outcome: the outcome of judging the event.
        unicode: whether the server is known to be in unicode mode.

    Raises:
        ValueError: the event was allowed.
    """
    judgement = outcome.decisive
    if judgement is None:
        raise ValueError("there is no refusal text: the event was allowed")

    def visible_lines(*lines: str) -> list[str]:
        return [visible_text(line, unicode=unicode) for line in lines]

    advice = visible_lines(*_advice(event, judgement))
    last = visible_lines(
        *_contact_lines(policy), _machine_line(judgement.rule, judgement.findings[0])
    )
    for more_findings, lines_to_copy in _LINE_COUNTS:
        problem_lines = _problem_lines(event, judgement, more_findings, unicode=unicode)
        first = visible_lines(
            *problem_lines, *_fix(event, judgement, lines_to_copy, unicode=unicode)
        )
        room_bytes = MAX_TEXT_BYTES - _size(first) - _size(last)
        if _size(advice) <= room_bytes:
            break
    lines = (*first, *_shortened(advice, room_bytes), *last)
    return "".join(f"{line}\n" for line in lines)


def _shortened(advice: list[str], room_bytes: int) -> list[str]:
    """Cut the longest lines of a refusal's advice, the last of equal ones first, until it fits.

    Only advice with many letters beyond ASCII, each of which takes up to ten bytes, is so long.
    """
    while (over := _size(advice) - room_bytes) > 0:
        length, at = max((len(line.encode()), at) for at, line in enumerate(advice))
        if length <= len(CUT):
            break
        most = max(length - over - len(CUT), 0)
        advice = [*advice[:at], cut_to(advice[at], most), *advice[at + 1 :]]
    return advice


def _size(lines: list[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def fault(policy_contact: str | None) -> str:
    """Return the refusal text for a failure of p4warden itself, for `on_error: deny`."""
    contact = policy_contact or "your Perforce administrators"
    return (
        "Your request was refused because p4warden, the program that checks requests to this "
        "server, has failed.\n"
        "Your request was not checked; this is not your mistake. "
        f"Please tell {printable(contact)}; the cause is in p4warden's log.\n"
    )


def detail(finding: Finding) -> str:
    """Return one line about a finding, for the decision log and lists: place, item, problem."""
    item = f" ({cut(finding.item)})" if finding.item else ""
    return f"{finding.place}{item} {finding.problem[:MAX_PROBLEM_BYTES]}"


def fix_lines(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """Return the lines that a refusal's findings propose, without duplicates.

    The first proposed lines of all findings come before the second ones.
    """
    turns = itertools.zip_longest(*(finding.fix for finding in findings))
    return tuple(dict.fromkeys(line for turn in turns for line in turn if line))


def _problem_lines(event: Event, judgement: Judgement, most: int, *, unicode: bool) -> list[str]:
    first, *others = judgement.findings
    lines = [f"{_sentence(event, first, unicode=unicode)}."]
    lines += [f"Also: {_further_problem(finding, unicode=unicode)}." for finding in others[:most]]
    if len(others) > most:
        # A rule stops searching after `MAX_FINDINGS` findings, so there may be more problems.
        least = "at least " if len(judgement.findings) >= MAX_FINDINGS else ""
        rest = amount(len(others) - most, "more problem")
        verb = "is" if len(others) - most == 1 else "are"
        lines.append(f"There {verb} {least}{rest} of this kind.")
    return lines


def _further_problem(finding: Finding, *, unicode: bool) -> str:
    item = f" ({visible_excerpt(finding.item, unicode=unicode)})" if finding.item else ""
    problem = visible_excerpt(finding.problem, unicode=unicode, most_bytes=MAX_PROBLEM_BYTES)
    return f"{_place(finding)}{item} {problem}"


def _place(finding: Finding) -> str:
    """Return a finding's place in words: `The options`, or `The left side of view line 1`."""
    line, _, side = finding.place.partition(", ")
    if side:
        return f"The {side} of {line[:1].lower()}{line[1:]}"
    return "The options" if finding.place == "Options" else finding.place


def _sentence(event: Event, finding: Finding, *, unicode: bool) -> str:
    """Return the first sentence of a refusal, about its first finding, without the period."""
    name = visible_excerpt(event.name or event.change or "", unicode=unicode)
    own = f"your {event.type or 'change'} {name}".rstrip()
    problem = visible_excerpt(finding.problem, unicode=unicode, most_bytes=MAX_PROBLEM_BYTES)
    item = visible_excerpt(finding.item, unicode=unicode)
    if event.is_tampered:
        return f"{finding.place} ({item}) {problem}" if item else f"{finding.place} {problem}"
    item_words = f" ({item})" if item not in ("", name) and finding.place != "The view" else ""
    place = finding.place.removeprefix("The ")
    if place == event.type:
        return f"Your{own[4:]}{item_words} {problem}"
    return f"{_place(finding)} of {own}{item_words} {problem}"


def _advice(event: Event, judgement: Judgement) -> list[str]:
    """Return advice lines of a refusal: the rule's reason, and the administrators' own text.

    Neither applies to a trigger line that a name broke apart; that finding has its own advice.
    """
    if event.is_tampered:
        return list(judgement.findings[0].fix)
    reason = _of_type(RULES[judgement.kind].reason, event)
    own = judgement.advice.split("\n") if judgement.advice else ()
    return [*([reason] if reason else ()), *own]


def _fix(event: Event, judgement: Judgement, most: int, *, unicode: bool) -> list[str]:
    """Return the proposed lines of a refusal, up to `MAX_FIX_BYTES`, with heading and ending.

    Only whole lines that are shown unchanged are proposed, so that each can be copied.
    """
    if event.is_tampered:
        return []
    shown_lines: list[str] = []
    lines = fix_lines(judgement.findings)
    showable = [line for line in lines if is_unchanged(line, unicode=unicode)]
    for line in showable[:most]:
        if _size([*shown_lines, line]) <= MAX_FIX_BYTES:
            shown_lines.append(f"  {line}")
    if not shown_lines:
        return []
    from p4warden.rules.proposals.placeholder_advice import choice_sentences  # noqa: PLC0415 - likewise

    more = (
        len(lines)
        - len(shown_lines)
        + sum(finding.further_count for finding in judgement.findings)
    )
    rule = RULES[judgement.kind]
    heading = _of_type(rule.fix_heading, event)
    chosen_lines = [line.strip() for line in shown_lines]
    omitted_lines = [line for line in showable if line not in chosen_lines]
    refused_lines = [finding.item for finding in judgement.findings]
    names_bytes = [one.short_bytes for one in judgement.findings if one.short_bytes is not None]
    # For a submit all proposed lines are needed, so there is nothing to choose.
    is_submit = event.type is None
    choice = choice_sentences(
        chosen_lines,
        0 if is_submit else more,
        omitted_lines=omitted_lines,
        refused_lines=refused_lines,
        short_bytes=min(names_bytes, default=None),
    )
    if is_submit and not all(finding.fix for finding in judgement.findings):
        choice.append("Correct the others, too, before you submit.")
    elif is_submit and more:
        choice.append("Do the same for the others.")
    ending = rule.fix_ending.get(event.type, "").replace("CHANGE", event.change_number)
    return [*heading.splitlines(), *sorted(shown_lines), *choice, *ending.splitlines()]


def _of_type(text: str | Mapping[str | None, str], event: Event) -> str:
    return text if isinstance(text, str) else text.get(event.type, text[None])


def _contact_lines(policy: Policy) -> list[str]:
    lines = [f"Questions: {policy.contact}"]
    return [*lines, f"The policy: {policy.help_url}"] if policy.help_url else lines


def _machine_line(rule: str, finding: Finding) -> str:
    limit, value = (
        "none" if number is None else number for number in (finding.limit, finding.value)
    )
    return f"p4warden: rule={rule} limit={limit} value={value} retry-after=none"
