"""Write the generated files of docs/: `PYTHONPATH=docs:tests python -m pages.write`.

The refusal on a rule's page is the gate's answer to its first case on docs/messages.md.
"""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from p4warden.policy import schema
from pages import programs, reference, rule_page
from support.messages_page import Message, messages, shown

DOCS = Path(__file__).parents[1]
RULES = DOCS / "rules"


def main() -> None:
    """Write all generated files; pages of rules that are no more go."""
    texts = {DOCS / name: text for name, text in single_files().items()}
    texts |= {RULES / f"{kind}.md": text for kind, text in rule_pages().items()}
    for file in RULES.glob("*.md"):
        file.unlink()
    for file, text in texts.items():
        file.write_text(text, "utf-8")


def single_files() -> dict[str, str]:
    """Return the text of each generated file except the pages of rules, by its name."""
    return {
        "policy-reference.md": reference.text(),
        "programs.md": programs.page(),
    }


def rule_pages() -> dict[str, str]:
    """Return the page of each kind of rule.

    Raises:
        ValueError: a rule lacks a part of its page; the text names it.
    """
    examples = {
        one.case["rule"]["rule"]: one for one in reversed(messages()) if "rule" in one.case
    }
    return {kind: rule_page.text(kind, _refusal(kind, examples)) for kind in schema.kinds()}


def _refusal(kind: str, examples: dict[str, Message]) -> str:
    if kind not in examples:
        raise ValueError(f"docs/messages.md lacks a message of {kind}")
    case, chapter = examples[kind].case, examples[kind].chapter
    intro = "This rule refuses nothing; it changes the form of a new client, here to:\n\n"
    return (
        f"## A refusal\n\n{intro if case['event']['event'] == 'form-out' else ''}"
        f"```text\n{shown(case)}```\n\nby this rule:\n\n```yaml\n{_yaml(case['rule'])}```\n\n"
        f"[Its other messages](../messages.md#{_anchor(chapter)}), with the event of each.\n\n"
    )


def _yaml(rule: dict[str, object]) -> str:
    text: str = yaml.safe_dump([rule], sort_keys=False, default_flow_style=None, width=100)
    return text


def _anchor(head: str) -> str:
    return re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-")


if __name__ == "__main__":
    main()
