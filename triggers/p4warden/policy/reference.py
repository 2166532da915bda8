"""The reference of the policy language: a page of Markdown, made of the schema and the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from p4warden.policy.compiled import compile_policy
from p4warden.policy.schema import schema
from p4warden.policy.schema_words import entries, example, resolved, table
from p4warden.rescue import RESCUE
from p4warden.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

_START = """\
# Policy reference

<!-- Written by `make docs` from the schema and the rules; edit those. -->

A policy is one YAML file. `p4warden check POLICY` names everything that is wrong in it, with line
and column; `p4warden test POLICY` runs its cases; `p4warden explain` tells what it makes of one
event; `p4warden activate POLICY` makes it the running one. Until then an edit changes nothing.

An editor that knows YAML schemas completes and checks as you type. Write the schema of the release
you run to a file with `p4warden schema > policy.schema.json`, and name it in the first line of the
policy:

    # yaml-language-server: $schema=policy.schema.json

It tells the shape. What a policy means (a rate that no request can pass, an exemption for a rule
that does not exist) only `p4warden check` tells. `policy.schema.json` beside this page is the same
file.

A setting that is neither *needed* nor has a default asks for nothing until it is written.

"""

_MATCHING = """\
An entry lets an event pass when all the fields that are written match; within a field, any value
will do. `*` stands for any text and `?` for one character. On a server that does not tell `A` from
`a`, neither do the patterns. Exemptions are judged before any rule, so that no rule can stop an
exempt account.

"""

_CASES = """\
## The cases of a policy

`POLICY.cases.yaml` beside a policy holds events and the verdict that each must get; `p4warden test
POLICY` judges them. A case tells of its event in one of four ways: `view`, the lines of a client's
view; `form`, a whole form of some `type`; `command` with its `args`; `files`, those of a submit.
With `shows` the form is one that is shown and not saved, and those fields must have those values
then (`shows: null`: it is shown as it is). The cases of a file are one stream: rates carry over,
and `at` is a case's time in seconds after the first.

```yaml
facts:                                # what is known of the server; a case may have its own
  depots:
    depot: {type: local, directories: [main, rel]}
cases:
  - name: a whole depot
    view: ["//depot/... //ws/..."]
    user: ann
    groups: [dev]
    verdict: refuse                   # allow, observe, unknown, delay or refuse
    rule: no-whole-depot              # where it matters, whose verdict it is
  - name: a stream that imports a whole depot
    type: stream
    form: "Stream:\\t//streams/main\\n\\nPaths:\\n\\timport all/... //depot/...\\n"
    verdict: refuse
  - name: a new client
    form: "Client:\\tws\\n\\nView:\\n\\t//depot/... //ws/...\\n"
    shows: {View: ["//depot/main/... //ws/main/..."]}
    verdict: allow
  - name: an old P4V that polls
    command: fstat
    args: ["//depot/main/..."]        # unknown: a log does not tell them
    program: P4V
    version: "2015.1"
    pressure: high                    # low, medium, high or unknown
    at: 2.5
    verdict: delay
  - name: a new file on a long path
    files: ["add //depot/a/long/path/to/a/file.c", "edit //depot/main/a.c"]
    verdict: refuse
```
"""


def text() -> str:
    """Return the page."""
    return "".join(_parts())


def example_policy(rule: str) -> dict[str, Any]:
    """Return a small policy of that rule alone."""
    settings = example(schema()["$defs"][rule])
    fixed = {"name": rule.replace("_", "-"), "rule": rule, "mode": "observe"}
    return {"version": 1, "contact": "p4-admins@example.com", "rules": [fixed | settings]}


def _parts() -> Iterator[str]:
    whole = schema()
    yield _START
    yield "".join(f"- [`{name}`](#{name}): {_first(name)}\n" for name in sorted(RULES))
    yield f"\n## The file\n\n{table(whole)}\n"
    exemption = resolved(whole["properties"]["exemptions"]["items"])
    yield f"## exemptions\n\n{_MATCHING}{table(exemption)}\n"
    pressure = whole["properties"]["pressure"]
    yield f"## pressure\n\n{pressure['description']}\n\n{table(pressure)}\n"
    rule = whole["$defs"]["rule"]
    never = ", ".join(f"`{command}`" for command in sorted(RESCUE))
    yield f"## rules\n\nWhat every rule has, beside its own settings:\n\n{table(rule)}\n"
    yield f"Commands that no rule limits, for a server is mended with them: {never}.\n\n"
    for name in sorted(RULES):
        yield from _rule(name, whole["$defs"][name], frozenset(rule["properties"]))
    yield _CASES


def _rule(name: str, part: dict[str, Any], common: frozenset[str]) -> Iterator[str]:
    yield f"## {name}\n\n{part['description']} {_judges(name, part)}\n\n{_why(name)}\n\n"
    yield f"{table(part, common)}\n"
    for setting, inner in entries(part):
        yield f"Each entry of `{setting}`: {inner['description']}\n\n{table(inner)}\n"
    dumped = yaml.safe_dump(
        example_policy(name), sort_keys=False, default_flow_style=None, width=100
    )
    yield f"```yaml\n{dumped}```\n\n"


def _why(name: str) -> str:
    """Return the paragraph of the rule's module that gives its reason."""
    paragraphs = (RULES[name].__doc__ or "").split("\n\n")
    [reason] = [paragraph for paragraph in paragraphs if paragraph.startswith("Why: ")]
    return reason


def _judges(name: str, part: dict[str, Any]) -> str:
    """Say which events a rule judges."""
    settings = compile_policy(example_policy(name), "").rules[0].settings
    subjects: dict[str, list[str]] = {}
    for event, subject in RULES[name].events(settings):
        subjects.setdefault(event, []).extend([subject] if subject else [])
    words = [_event(event, of, part["properties"]) for event, of in subjects.items()]
    return f"It judges {'; '.join(words)}."


def _event(event: str, subjects: list[str], settings: dict[str, Any]) -> str:
    if event == "command":
        return "commands, those that `commands` lists"
    if event == "change-submit":
        return "submits"
    does = {"form-save": "forms that are saved", "form-out": "forms that are shown"}[event]
    chosen = ", or those that `forms` lists" if "forms" in settings else ""
    return f"{does}: {', '.join(subjects)}{chosen}"


def _first(rule: str) -> str:
    """Return the first sentence of a rule's description, as the rest of a line."""
    words: str = schema()["$defs"][rule]["description"]
    first = words.partition(". ")[0].rstrip(".")
    return f"{first[0].lower()}{first[1:]}"
