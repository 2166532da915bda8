"""Fuzz campaign on the two parsers of forms, on texts broken at random: both must give the same.

Compared are the fields of each form or the problem in words, and what rules use of its lines. For
the differences on purpose `tests/cases/forms/differences.json` has cases.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import form_texts
from campaign import Campaign, CampaignResult, finding

from support import form_oracle

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

STEP = 500
_TYPES = ("client", "branch", "label", "stream", "depot")
_TEXT_TYPES = ("client", "client", "branch", "label")


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Compare the fields of random forms without end; yield the results in batches."""
    with contextlib.closing(form_oracle.Rust()) as rust:
        while True:
            yield CampaignResult(STEP, tuple(_try(random, rust)))


def _try(random: random.Random, rust: form_oracle.Rust) -> Iterator[dict[str, Any]]:
    texts = [_text(random) for _ in range(STEP)]
    questions: list[dict[str, Any]] = [{"ask": "fields", "text": text} for text in texts]
    for text in texts[:: STEP // 10]:
        known = {"text": text, "name": "//streams/a b", "type": random.choice(_TYPES)}
        questions.append({"ask": "form", **known})
    for difference in form_oracle.differences(rust, questions):
        yield finding("languages differ", **difference)


def _text(random: random.Random) -> str:
    form_type = random.choice(_TEXT_TYPES)
    lines = [form_texts.line(random, form_type, "ws") for _ in range(random.choice((1, 2, 4)))]
    return form_texts.mutated(random, form_texts.form(random, form_type, "ws", lines))


CAMPAIGN = Campaign("form-parsers", "forms", runs, 2_000_000)
