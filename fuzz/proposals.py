"""Fuzz campaign on what is proposed for random client forms.

The lines that a refusal proposes make a view that the same rule accepts, once names are in place
of placeholders. A form that is shown instead of p4d's differs from it only in the view, and
P4Python reads it if it reads p4d's.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any

import form_texts
from campaign import Campaign, CampaignResult, finding

from support.form_oracle import Core
from support.judged import judging_by
from vendor import Vendor

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from p4warden.asking.judge import Judge

STEP = 200
DIRECTORIES = ("main", "rel 1", "Src", "a", "..b", "c++", "é", "$x", "DIRECTORY")
PLACEHOLDER = re.compile(r"(?<=/)(DIRECTORY|DEPOT|SHORT)(?=/|\s|\"|$)")
RULES: tuple[dict[str, Any], ...] = (
    {"rule": "limit_view_scope", "min_depth": 1},
    {"rule": "limit_view_scope", "min_depth": 3, "depots": {"thirdparty": 0, "x": 1}},
    {"rule": "limit_path_length", "max_leading": 60},
    {"rule": "limit_path_length", "max_leading": 25, "max_client_leading": 30},
)
SHOWN = ({"rule": "suggest_client_view", "min_depth": 1}, {"rule": "suggest_client_view"})


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Ask for proposals for random forms; yield results without end."""
    with contextlib.ExitStack() as stack:
        vendor = stack.enter_context(contextlib.closing(Vendor()))
        core = stack.enter_context(contextlib.closing(Core()))
        saving = [stack.enter_context(judging_by(_policy(rule))) for rule in RULES]
        showing = [stack.enter_context(judging_by(_policy(rule))) for rule in SHOWN]
        while True:
            events = [_event(random) for _ in range(STEP)]
            problems = [*_refused(random.choice(saving), events)]
            problems += _shown(random.choice(showing), events, core, vendor)
            yield CampaignResult(STEP, tuple(problems))


def _policy(rule: dict[str, Any]) -> dict[str, Any]:
    return {"rules": [{"name": "views", "mode": "enforce", **rule}]}


def _event(random: random.Random) -> dict[str, Any]:
    lines = [form_texts.line(random, "client", "ws") for _ in range(random.choice((1, 2, 5)))]
    text = form_texts.form(random, "client", "ws", lines)
    if random.random() < 0.2:
        text = form_texts.mutated(random, text)
    depots = {
        name: {"type": "local", "directories": random.sample(DIRECTORIES, random.randint(0, 5))}
        for name in random.sample(form_texts.DEPOTS, random.randint(0, 4))
        if name != "Depot"
    }
    facts = {"depots": depots, "case_sensitive": random.random() < 0.7, "unicode": True}
    return {"type": "client", "name": "ws", "client": "ws", "form": text, "facts": facts}


def _refused(judge: Judge, events: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    saved = [event | {"event": "form-save"} for event in events]
    asked = [
        (event, answer["fix"], event | {"form": _with_view(answer["fix"])})
        for event, answer in zip(saved, judge.answers(saved), strict=True)
        if answer["verdict"] == "refuse" and answer["fix"]
    ]
    answers = judge.answers(corrected for *_, corrected in asked)
    for (event, fix, _), answer in zip(asked, answers, strict=True):
        if answer["verdict"] != "allow":
            yield finding("a proposal is refused", event=event, fix=fix, answer=answer)


def _with_view(fix: str) -> str:
    """Return a form with these lines, and other names in place of placeholders."""
    lines = (PLACEHOLDER.sub("n", line) for line in fix.splitlines())
    return "Client:\tws\nView:\n" + "".join(f"\t{line}\n" for line in lines)


def _shown(
    judge: Judge, events: list[dict[str, Any]], core: Core, vendor: Vendor
) -> Iterator[dict[str, Any]]:
    opened = [event | {"event": "form-out"} for event in events]
    for event, answer in zip(opened, judge.answers(opened), strict=True):
        shown = answer["form"]
        if shown is None:
            continue
        before, after = (core.ask(ask="fields", text=text) for text in (event["form"], shown))
        if after[0] or _others(before[1]) != _others(after[1]):
            yield finding("other fields than the view differ", event=event, shown=shown)
        if any(ord(letter) > 0xD7FF for letter in shown):
            continue
        first, second = (vendor.ask(client=text) for text in (event["form"], shown))
        if first not in (None, ...) and (not second or second is ...):
            yield finding("the vendor cannot read it", event=event, shown=shown)


def _others(fields: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: lines for name, lines in fields.items() if name != "view"}


CAMPAIGN = Campaign("proposals", "forms", runs, 200_000)
