"""Fuzz campaign on client forms broken at random: compare them with P4Python's parser.

A form that P4Python's parser refuses never reaches a trigger. Of other forms the core must read
the same view, or refuse them, as it does those that can be read in two ways. It must refuse every
view with a wide line, unless it is of a stream client: one with a wildcard before the end of the
first directory below the depot. It may be stricter about lines that a server would refuse later.
"""

from __future__ import annotations

import contextlib
from itertools import takewhile
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

STEP = 100
BLANKS = " \t\n\v\f\r"
RULE = {"name": "narrow", "rule": "limit_view_scope", "mode": "enforce", "forms": ["client"]}


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Judge randomly mutated client forms without end; yield the results in batches."""
    with (
        contextlib.closing(Vendor()) as vendor,
        contextlib.closing(Core()) as core,
        judging_by({"rules": [RULE]}) as judge,
    ):
        while True:
            texts = [_text(random) for _ in range(STEP)]
            yield CampaignResult(STEP, tuple(_problems(texts, vendor, core, judge)))


def _text(random: random.Random) -> str:
    lines = [form_texts.line(random, "client", "ws") for _ in range(random.choice((1, 2, 4)))]
    return form_texts.mutated(random, form_texts.form(random, "client", "ws", lines))


def _problems(
    texts: list[str], vendor: Vendor, core: Core, judge: Judge
) -> Iterator[dict[str, Any]]:
    known = {"event": "form-save", "type": "client", "name": "ws"}
    answers = judge.answers(known | {"form": text} for text in texts)
    readings = core.ask_all([{"ask": "fields", "text": text} for text in texts])
    for text, answer, (problem, fields) in zip(texts, answers, readings, strict=True):
        asked = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        vendor_fields = vendor.ask(client=asked)
        if vendor_fields in (None, ...) or any(ord(c) > 0xD7FF for c in text):
            continue
        view = vendor_fields.get("View", ())
        read = core.words(fields.get("view", ()))
        vendor_words = map(_without_comment, core.words(view))
        if problem is None and read != [words for words in vendor_words if words]:
            yield finding("another view than the vendor's", form=text, view=view, read=read)
        is_of_stream = vendor_fields.get("Stream", "").startswith("//")
        if answer["verdict"] == "allow" and not is_of_stream and any(map(_is_wide, view)):
            yield finding("looser than the vendor's reading", form=text, view=view)
        if problem is not None and answer["verdict"] != "refuse":
            yield finding("allowed unread", form=text, problem=problem)


def _without_comment(words: list[str]) -> list[str]:
    """Return a line's words without a comment of two `#`, which P4Python keeps."""
    return [*takewhile(lambda word: not word.startswith("##"), words)]


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


CAMPAIGN = Campaign("mutated-forms", "forms", runs, 2_000_000)
