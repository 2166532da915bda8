"""Fuzz campaign on random forms: compare verdicts with the known depth of the view lines.

Variations of a form must get the same verdict as the form: another order of lines, an additional
exclusion, and another case on a server that folds case.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

import form_texts
from campaign import Campaign, CampaignResult, finding

from support.judged import judging_by

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from form_texts import Line

    from p4warden.asking.judge import Judge

STEP = 200
DEPTHS = {"thirdparty": 2, "x": 0, "Depot": 3}
NEEDS = (0, 1, 1, 2, 3)


class Form(NamedTuple):
    event: dict[str, Any]
    need: int
    is_wide: bool
    variation: str


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Judge random client, branch and label forms; yield results without end."""
    with contextlib.ExitStack() as stack:
        judges = {need: stack.enter_context(judging_by(_policy(need))) for need in {*NEEDS}}
        while True:
            forms = [form for _ in range(STEP) for form in _forms(random)]
            problems = (_problems(judges[need], _of(forms, need)) for need in judges)
            yield CampaignResult(STEP, tuple(one for found in problems for one in found))


def _of(forms: list[Form], need: int) -> list[Form]:
    return [form for form in forms if form.need == need]


def _problems(judge: Judge, forms: list[Form]) -> Iterator[dict[str, Any]]:
    answers = judge.answers(form.event for form in forms)
    for form, answer in zip(forms, answers, strict=True):
        if answer["verdict"] != ("refuse" if form.is_wide else "allow"):
            yield finding(form.variation, **form._asdict(), answer=answer)


def _forms(random: random.Random) -> Iterator[Form]:
    form_type, folds = random.choice(("client", "branch", "label")), random.random() < 0.4
    need, name = random.choice(NEEDS), random.choice(("ws", "a ws", "é"))
    lines = [form_texts.line(random, form_type, name) for _ in range(random.choice((1, 2, 5, 20)))]
    # p4d gives a client or branch without include lines its default view, of all depots.
    is_default = form_type != "label" and all(line.text.startswith(("-", '"-')) for line in lines)
    is_wide = is_default or any(
        _is_wide(path, need, folds=folds) for line in lines for path in line.paths
    )
    known = {"event": "form-save", "type": form_type, "name": name}
    known |= {"facts": {"case_sensitive": not folds}}
    texts = {"depth": form_texts.form(random, form_type, name, lines)}
    texts |= dict(_equal_forms(random, form_type, name, lines, folds=folds))
    for variation, text in texts.items():
        yield Form(known | {"form": text}, need, is_wide, variation)


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


def _policy(need: int) -> dict[str, Any]:
    rule = {"name": "narrow", "rule": "limit_view_scope", "mode": "enforce"}
    settings = {"forms": ["client", "branch", "label"], "min_depth": need, "depots": DEPTHS}
    return {"rules": [rule | settings]}


CAMPAIGN = Campaign("forms", "forms", runs, 300_000)
