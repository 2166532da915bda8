"""Tests that docs/messages.md, a page edited by hand, shows p4warden's actual refusal messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from p4warden.policy import meaning, schema, wording
from support.messages_page import CONTACT, FRAME, Message, messages, shown, wrapped

README = Path(__file__).parents[2] / "README.md"
FAULTS = Path(__file__).parents[1] / "cases" / "refusals" / "faults.json"
MESSAGES = [pytest.param(message, id=message.title) for message in messages()]
OF_RULES = [one for one in MESSAGES if "rule" in one.values[0].case]  # type: ignore[union-attr]


def fault_text() -> str:
    """Return the refusal if p4warden itself fails; Rust's tests run the same case."""
    faults = json.loads(FAULTS.read_text("utf-8"))["faults"]
    lines: list[str] = next(one["text"] for one in faults if one["contact"] == CONTACT)
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("message", MESSAGES)
def test_the_page_shows_each_message_as_p4_displays_it(message: Message) -> None:
    is_fault = message.case.get("fault")
    expected = wrapped(message.case["event"], fault_text()) if is_fault else shown(message.case)
    assert message.terminal == expected


def test_the_readme_shows_the_first_message_with_other_line_ends() -> None:
    words = messages()[0].terminal.split()
    assert " ".join(words) in " ".join(README.read_text("utf-8").split())


@pytest.mark.parametrize("message", OF_RULES)
def test_each_rule_on_the_page_is_valid(message: Message) -> None:
    policy = FRAME | {"rules": [message.case["rule"]]}
    assert [*wording.problems(policy), *meaning.problems(policy)] == []


def test_every_rule_is_on_the_page() -> None:
    rules_on_page = {one.case["rule"]["rule"] for one in messages() if "rule" in one.case}
    assert rules_on_page == {*schema.kinds()}
