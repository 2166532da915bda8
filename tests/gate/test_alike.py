"""Tests that the four subjects of events are treated alike where they are alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from gate.forms import answer_by
from gate.program import judge
from p4warden.commands.allow import allow
from p4warden.home import allowances
from p4warden.policy.compiled import compile_policy, dumps

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.program import Home

DOCUMENT = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "alike" / "subjects.yaml").read_text("utf-8")
)
NOON_S = 1_795_694_400  # 2026-11-26, UTC
TWO_FILES = 'json.load(sys.stdin)\nprint(json.dumps({"listed": 2}))'


def document(subject: str, rule: dict[str, Any], **exemption: Any) -> dict[str, Any]:
    """Return a policy with the subject's rule, as in policy.json."""
    own = {"name": "r", "mode": "enforce", **DOCUMENT["subjects"][subject]["rule"], **rule}
    whole = {"contact": "c", "classes": DOCUMENT["classes"], "rules": [own]}
    if exemption:
        whole["exemptions"] = [{"reason": "r", "owner": "o", **exemption}]
    compiled: dict[str, Any] = json.loads(dumps(compile_policy(whole, "0" * 64), 2026))
    return compiled


def judged(subject: str, whole: dict[str, Any], **fields: Any) -> dict[str, Any]:
    own = DOCUMENT["subjects"][subject]["event"]
    [answer], _ = judge(whole, [DOCUMENT["sender"] | own | {"time": NOON_S} | fields])
    return answer


def expected(case: dict[str, Any], subject: str, what: str) -> str:
    value, _ = case.get("but", {}).get(subject, (case[what], None))
    assert isinstance(value, str)
    return value


@pytest.mark.parametrize("subject", DOCUMENT["subjects"])
@pytest.mark.parametrize("case", DOCUMENT["cases"], ids=lambda case: case["name"])
def test_each_subject_is_judged_alike(case: dict[str, Any], subject: str) -> None:
    whole = document(subject, case.get("rule", {}), **case.get("exemption", {}))
    answer = judged(subject, whole, **case.get("event", {}))
    assert answer["verdict"] == expected(case, subject, "verdict"), answer


class Subject:
    """What happens to one event of a subject: at a trigger, or as `p4warden running` judges it."""

    def __init__(self, name: str, home: Home) -> None:
        self.name, self._home = name, home
        self._event = DOCUMENT["sender"] | DOCUMENT["subjects"][name]["event"]
        answer_by(home, TWO_FILES)

    @property
    def is_running(self) -> bool:
        return self.name == "running"

    @property
    def home(self) -> str:
        return str(self._home.folder)

    @property
    def refusals(self) -> int:
        return int(self._home.counts()["refused"])

    def logged(
        self, whole: dict[str, Any], dictionary: str = "", **fields: str
    ) -> tuple[str, dict[str, Any] | None]:
        """Return whether the event is refused, and its line in the log."""
        if self.is_running:
            answer = judged(self.name, whole, **fields)
            return answer["verdict"], json.loads(answer["record"] or "null")
        self._home.activate(whole)
        before = len(self._home.log())
        words = (f"--triggers-io={int(bool(dictionary))}", *self._words(self._event | fields))
        reply = self._home.run(self._event["event"], *words, input=dictionary)
        verdict = "refuse" if reply.code or "action:fail" in reply.text else "allow"
        return verdict, next(iter(self._home.log()[before:]), None)

    def _words(self, event: dict[str, Any]) -> list[str]:
        known = {**event, "groups": " ".join(event["groups"])}
        if "form" in event:
            known["form"] = self._home.folder.with_name("form")
            known["form"].write_text(event["form"])
        if "command" in event:
            known |= {"command": f"user-{event['command']}", "args": " "}
        left_out = ("event", "files")
        return [f"--{name}={value}" for name, value in known.items() if name not in left_out]


def twice(subject: Subject) -> str:
    entries = "user:ann\nclient:ann-ws\nclientprog:p4\n"
    verdict, record = subject.logged(document(subject.name, {}), f"{entries}user:ann\n")
    return verdict + (", tampered" if record and record.get("tampered") else "")


def allowed(subject: Subject) -> str:
    whole = document(subject.name, {})
    _, record = subject.logged(whole)
    assert record is not None
    if subject.is_running:
        Path(subject.home, "decisions.jsonl").write_text(f"{json.dumps(record)}\n")
        words = (record["id"], "--for", "1d", "--reason", "r", "--home", subject.home)
        result = CliRunner().invoke(allow, words)
        return "refused to be given" if "no allowance keeps" in str(result.exception) else "given"
    about = {name: record[name] for name in allowances.SUBJECT_FIELDS if name in record}
    one = allowances.Allowance(record["id"], 2**33, "ann", None, about, "r", "demo", "eve")
    allowances.replace(subject.home, [one])
    return subject.logged(whole)[0]


def borrowed(subject: Subject) -> str:
    verdict, record = subject.logged(document(subject.name, {}, clients=["ann-*"]), user="bob")
    is_there = record is not None and record.get("exemption") == "r (owner: o)"
    return f"{verdict}, {'logged with the exemption' if is_there else 'not logged'}"


def own_program(subject: Subject) -> str:
    before = subject.refusals
    verdict, record = subject.logged(document(subject.name, {}), prog="p4warden")
    counted = ["counted and"] * (subject.refusals - before)
    return " ".join([f"{verdict},", *counted, "logged" if record else "not logged"])


def fields(subject: Subject) -> str:
    """Return those of its line in the log that no one subject and no one rule brings."""
    _, record = subject.logged(document(subject.name, {}))
    assert record is not None
    own = {"findings", "args_id", "limit", "value", *DOCUMENT["subjects"][subject.name]["event"]}
    return " ".join(sorted(record.keys() - own | {"event"}))


HAPPENS: dict[str, Callable[[Subject], str]] = {
    "an entry of the dictionary twice": twice,
    "an allowance": allowed,
    "an exemption by client that another user borrows": borrowed,
    "a program that calls itself p4warden": own_program,
    "the fields of its line in the log": fields,
}


HAPPENING = [
    pytest.param(case, subject, id=f"{case['name']}-{subject}")
    for case in DOCUMENT["happens"]
    for subject in DOCUMENT["subjects"]
    if subject not in case.get("without", {})
]


@pytest.mark.parametrize(("case", "subject"), HAPPENING)
def test_the_same_happens_to_each_subject(
    case: dict[str, Any], subject: str, beside: Home
) -> None:
    assert HAPPENS[case["name"]](Subject(subject, beside)) == expected(case, subject, "value")
