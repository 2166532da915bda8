"""Tests that docs/messages.md, a page edited by hand, shows p4warden's actual refusal messages."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from p4warden.policy import meaning, schema
from p4warden.policy.compiled import compile_policy
from support.judged import judging_by
from support.small_index import small_index

PAGE = (Path(__file__).parents[2] / "docs" / "messages.md").read_text("utf-8")
FAULTS = Path(__file__).parents[1] / "cases" / "refusals" / "faults.json"
CONTACT = "Perforce admins <p4-admins@example.com>"
FRAME: dict[str, Any] = {
    "version": 1,
    "contact": CONTACT,
    "help_url": "https://wiki.example.com/p4-policy",
}
WRAPPED = {
    "form-save": "Error in {type} specification.\n'p4warden.form-save.{type}' {failed}: {text}",
    "change-submit": (
        "Submit validation failed -- fix problems then use 'p4 submit -c {change}'.\n"
        "'p4warden.change-submit' {failed}: {text}"
    ),
    "command": "'p4warden.command' {failed}: {text}",
}
MESSAGE = re.compile(
    r"```text\n(.*?)```\n\n<details><summary>[^<]*</summary>\n\n```yaml\n(.*?)```\n\n</details>",
    re.DOTALL,
)


class Message(NamedTuple):
    """Refusal message in docs/messages.md, and its test case."""

    terminal: str
    case: dict[str, Any]


def messages() -> list[Any]:
    results = []
    for section in re.split(r"\n(?=###? )", PAGE)[1:]:
        title = section.partition("\n")[0].strip("# ")
        page_messages = [
            Message(text, yaml.safe_load(case)) for text, case in MESSAGE.findall(section)
        ]
        assert section.count("```text") == len(page_messages), title
        results += [pytest.param(message, id=title) for message in page_messages]
    return results


def fault_text() -> list[str]:
    """Return the lines of the refusal if p4warden itself fails; Rust's tests run the same case."""
    faults = json.loads(FAULTS.read_text("utf-8"))["faults"]
    lines: list[str] = next(one["text"] for one in faults if one["contact"] == CONTACT)
    return lines


def answer(case: dict[str, Any]) -> dict[str, Any]:
    """Return the gate's last answer to the event, perhaps repeated, of a message's case."""
    with tempfile.TemporaryDirectory() as folder:
        server = case.get("server")
        index = str(small_index(Path(folder), **server)) if server else None
        return last_answer(case, index)


def last_answer(case: dict[str, Any], index: str | None) -> dict[str, Any]:
    event = {"time": 1_800_000_000, **case["event"], "facts": case.get("facts", {})}
    policy = compile_policy(FRAME | {"rules": [case["rule"]]}, "0" * 64)
    with judging_by(policy, index=index, flags=["texts"]) as judge:
        return judge.ask(event | {"repeat": case.get("times", 1)})


@pytest.mark.parametrize("message", messages())
def test_the_page_shows_each_message_as_p4_displays_it(message: Message) -> None:
    event = message.case["event"]
    if message.case.get("fault"):
        text = "".join(f"{line}\n" for line in fault_text())
    elif event["event"] == "form-out":
        assert answer(message.case)["form"] == message.terminal
        return
    else:
        text = answer(message.case)["text"]
    words = {"type": event.get("type"), "change": event.get("change"), "text": text}
    expected = WRAPPED[event["event"]].format(failed="validation failed", **words)
    assert message.terminal == expected


@pytest.mark.parametrize("message", [one for one in messages() if "rule" in one.values[0].case])
def test_each_rule_on_the_page_is_valid(message: Message) -> None:
    policy = FRAME | {"rules": [message.case["rule"]]}
    assert [*schema.problems(policy), *meaning.problems(policy)] == []


def test_every_rule_is_on_the_page() -> None:
    cases = (parameter.values[0].case for parameter in messages())
    rules_on_page = {case["rule"]["rule"] for case in cases if "rule" in case}
    assert rules_on_page == {*schema.kinds()}
