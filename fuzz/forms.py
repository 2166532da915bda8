"""Fuzz campaign on random forms: compare verdicts with the known depth of the view lines.

Variations of a form must get the same verdict as the form: another order of lines, an additional
exclusion, and another case on a server that folds case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import form_texts
from campaign import Campaign, CampaignResult, endless, finding

from p4warden.core.records import Event, Facts
from p4warden.forms import form_parser
from p4warden.judge.engine import evaluate
from p4warden.policy.compiled import Policy, compile_policy

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from form_texts import Line

STEP = 200
DEPTHS = {"thirdparty": 2, "x": 0, "Depot": 3}


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Judge random client, branch and label forms; yield results without end."""
    return endless(random, STEP, _try)


def _try(random: random.Random) -> Iterator[dict[str, Any]]:
    form_type, folds = random.choice(("client", "branch", "label")), random.random() < 0.4
    need, name = random.choice((0, 1, 1, 2, 3)), random.choice(("ws", "a ws", "é"))
    lines = [form_texts.line(random, form_type, name) for _ in range(random.choice((1, 2, 5, 20)))]
    policy, facts = _policy(need), Facts(case_sensitive=not folds)
    # p4d gives a client or branch without include lines its default view, of all depots.
    is_default = form_type != "label" and all(line.text.startswith(("-", '"-')) for line in lines)
    expected = is_default or any(
        _is_wide(path, need, folds=folds) for line in lines for path in line.paths
    )
    text = form_texts.form(random, form_type, name, lines)
    if _refuses(policy, facts, form_type, text) != expected:
        yield finding(
            "depth", need=need, folds=folds, type=form_type, form=text, expected=expected
        )
    for kind, other in _equal_forms(random, form_type, name, lines, folds=folds):
        if _refuses(policy, facts, form_type, other) != expected:
            yield finding(kind, need=need, folds=folds, type=form_type, form=other, was=text)


def _is_wide(path: tuple[str, int] | None, need: int, *, folds: bool) -> bool:
    if path is None:
        return True
    depot, depth = path
    depths = {name.lower(): n for name, n in DEPTHS.items()} if folds else DEPTHS
    return depth < depths.get(depot.lower() if folds else depot, need)


def _equal_forms(
    random: random.Random, form_type: str, name: str, lines: list[Line], *, folds: bool
) -> Iterator[tuple[str, str]]:
    """Yield variations of a form that must get the same verdict, each named by its change."""
    form = lambda lines: form_texts.form(random, form_type, name, lines)  # noqa: E731
    yield "order", form(random.sample(lines, len(lines)))
    if form_type != "label":
        excluded = next(iter(line.text for line in lines if "#" not in line.text), None)
        if excluded and excluded[0] not in '-+&"':
            yield "exclusion", form([*lines, lines[0]._replace(text=f"-{excluded}")])
    other = [line._replace(text=line.text.swapcase()) for line in lines]
    # If the form in swapped case contains `DEPOT`, it is left out: in capitals only, this word is
    # refused as the placeholder of proposed view lines.
    if folds and all(line.text.isascii() and "DEPOT" not in line.text for line in other):
        yield "case", form(other)


def _policy(need: int) -> Policy:
    rule = {"name": "narrow", "rule": "limit_view_scope", "mode": "enforce"}
    settings = {"forms": ["client", "branch", "label"], "min_depth": need, "depots": DEPTHS}
    document = {"version": 1, "contact": "us", "rules": [rule | settings]}
    return compile_policy(document, "0" * 64)


def _refuses(policy: Policy, facts: Facts, form_type: str, text: str) -> bool:
    event = Event("form-save", "2026-01-01", form_type, "ws", form=form_parser.parse(text))
    return evaluate(policy, event, facts).verdict == "refuse"


CAMPAIGN = Campaign("forms", "forms", runs, 300_000)
