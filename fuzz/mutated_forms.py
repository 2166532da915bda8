"""Fuzz campaign on client forms broken at random: compare verdicts with P4Python's parser.

A form that P4Python's parser refuses never reaches a trigger. In other forms the engine must
refuse every view with a wide line: one with a wildcard before the end of the first directory below
the depot. The engine may be stricter: it refuses lines that a server would refuse later, and forms
that can be read in two ways. Forms of stream clients are left out.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import form_texts
from campaign import Campaign, CampaignResult, endless, finding

from p4warden.core.records import Event, Facts
from p4warden.forms import form_parser
from p4warden.judge.engine import evaluate
from p4warden.policy.compiled import compile_policy
from vendor import Vendor

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

STEP = 100
BLANKS = " \t\n\v\f\r"
RULE = {"name": "narrow", "rule": "limit_view_scope", "mode": "enforce", "forms": ["client"]}
POLICY = compile_policy({"version": 1, "contact": "us", "rules": [RULE]}, "0" * 64)


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Judge randomly mutated client forms without end; yield the results in batches."""
    with contextlib.closing(Vendor()) as vendor:
        yield from endless(random, STEP, lambda random: _try(random, vendor))


def _try(random: random.Random, vendor: Vendor) -> Iterator[dict[str, Any]]:
    lines = [form_texts.line(random, "client", "ws") for _ in range(random.choice((1, 2, 4)))]
    text = form_texts.mutated(random, form_texts.form(random, "client", "ws", lines))
    event = Event("form-save", "2026-01-01", "client", "ws", form=form_parser.parse(text))
    verdict = evaluate(POLICY, event, Facts()).verdict
    view = vendor.ask(client=text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    if view in (None, ...) or any(ord(c) > 0xD7FF for c in text) or _has_stream(event):
        return
    if verdict == "allow" and any(map(_is_wide, view)):
        yield finding("looser than the vendor's reading", form=text, view=view)


def _has_stream(event: Event) -> bool:
    return bool(event.form and (event.form.value("stream") or "").startswith("//"))


def _is_wide(line: str) -> bool:
    """Tell whether a wildcard comes before the end of the first directory below the depot.

    False for an exclusion. The path is read independently of p4warden.
    """
    path = _first_word(line)
    if path[:1] == "-":
        return False
    path = path[1:] if path[:1] in ("+", "&") else path
    slashes = 0
    for at, letter in enumerate(path):
        if (
            letter == "*"
            or path[at : at + 3] == "..."
            or (letter == "%" and path[at : at + 2] == "%%" and path[at + 2 : at + 3].isdigit())
        ):
            # `//depot/` has three slashes.
            return slashes < 4
        slashes += letter == "/"
    return False


def _first_word(line: str) -> str:
    line = line.lstrip(BLANKS)
    if line[:1] == '"':
        return line[1:].partition('"')[0]
    end = min((at for at in map(line.find, BLANKS) if at >= 0), default=len(line))
    return line[:end]


CAMPAIGN = Campaign("mutated-forms", "forms", runs, 100_000)
