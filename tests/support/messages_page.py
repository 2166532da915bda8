"""The messages on docs/messages.md, and the gate's answers to their events."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from p4warden.core import shipped_yaml
from p4warden.policy.compiled import compile_policy
from support.judged import judging_by
from support.refusal_text import without_id
from support.small_index import small_index

PAGE = Path(__file__).parents[2] / "docs" / "messages.md"
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
    "running": "Command terminated by 'p4 monitor terminate'.\n{text}",
}
MESSAGE = re.compile(
    r"```text\n(.*?)```\n\n<details><summary>[^<]*</summary>\n\n```yaml\n(.*?)```\n\n</details>",
    re.DOTALL,
)


class Message(NamedTuple):
    """A message under its headings, and its case: a rule with the event that causes it."""

    chapter: str
    title: str
    terminal: str
    case: dict[str, Any]


def messages() -> list[Message]:
    results, chapter = [], ""
    for section in re.split(r"\n(?=###? )", PAGE.read_text("utf-8"))[1:]:
        title = section.partition("\n")[0].strip("# ")
        chapter = title if section.startswith("## ") else chapter
        found = MESSAGE.findall(section)
        assert section.count("```text") == len(found), title
        results += [Message(chapter, title, text, shipped_yaml.load(case)) for text, case in found]
    return results


def shown(case: dict[str, Any]) -> str:
    """Return the text that p4 shows by the gate's answer to a case: a refusal, or a form."""
    event = case["event"]
    if event["event"] == "form-out":
        form: str = _answer(case)["form"]
        return form
    return wrapped(event, without_id(_answer(case)["text"]))


def wrapped(event: dict[str, Any], text: str) -> str:
    words = {"type": event.get("type"), "change": event.get("change"), "text": text}
    return WRAPPED[event["event"]].format(failed="validation failed", **words)


def _answer(case: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        server = case.get("server")
        index = str(small_index(Path(folder), **server)) if server else None
        return _last_answer(case, index)


def _last_answer(case: dict[str, Any], index: str | None) -> dict[str, Any]:
    event = {"time": 1_800_000_000, **case["event"], "facts": case.get("facts", {})}
    policy = compile_policy(FRAME | {"rules": [case["rule"]]}, "0" * 64)
    with judging_by(policy, index=index, flags=["texts"]) as judge:
        return judge.ask(event | {"repeat": case.get("times", 1)})
