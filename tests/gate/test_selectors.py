"""Tests of selectors, on every path on which events are judged: each case of one file on each."""

from __future__ import annotations

import datetime
import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gate.program import PROGRAM, Home
from logs.blocks import start
from p4warden.core import shipped_yaml
from p4warden.policy.compiled import Policy, compile_policy, dumps, loads
from p4warden.policy.judged import judging_by

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES_FILE = Path(__file__).parents[1] / "cases" / "selectors" / "selectors.yaml"
DOCUMENT = shipped_yaml.load(CASES_FILE.read_text("utf-8"))
CASES: list[dict[str, Any]] = DOCUMENT["cases"]
VIEW = "Client:\tx\n\nView:\n\t//depot/... //x/...\n"
EVENTS: dict[str, dict[str, Any]] = {
    "wide-command": {"event": "command", "command": "fstat", "args": ["//depot/..."]},
    "wide-view": {"event": "form-save", "type": "label", "name": "x", "form": VIEW},
    "long-path": {
        "event": "change-submit",
        "files": [{"path": f"//{'d' * 300}", "action": "add"}],
    },
}
RULES = {
    "wide-command": {"rule": "limit_command_scope", "commands": ["fstat"], "min_depth": 1},
    "wide-view": {"rule": "limit_view_scope", "forms": ["label"], "min_depth": 1},
    "long-path": {"rule": "limit_path_length", "max_leading": 99, "submits": True},
}
EXEMPTION = {"reason": "r", "owner": "o"}
MATCHES = {True: "yes", False: "no", "unknown": "unknown"}
VERDICTS = {
    "for": {"yes": "refuse", "no": "allow", "unknown": "unknown"},
    "exemption": {"yes": "allow", "no": "refuse", "unknown": "refuse"},
    "canary": {"yes": "refuse", "no": "observe", "unknown": "observe"},
}


def policy(case: dict[str, Any], use: str, *names: str) -> Policy:
    """Return a policy, as read from its file, with a case's selector in one use."""
    more = {"for": {"for": case["for"]}, "canary": {"canary": [case["for"]]}}.get(use, {})
    rules = [{"name": name, "mode": "enforce", **RULES[name], **more} for name in names]
    document = {"contact": "admins", "classes": DOCUMENT["classes"], "rules": rules}
    if use == "exemption":
        document["exemptions"] = [{**EXEMPTION, **case["for"]}]
    compiled = compile_policy(document, "0" * 64)
    assert loads(dumps(compiled)) == compiled
    return compiled


def sender(case: dict[str, Any]) -> dict[str, Any]:
    fields = DOCUMENT["event"] | case.get("event", {})
    return {name: value for name, value in fields.items() if value is not None}


def expected(case: dict[str, Any], use: str) -> str:
    return VERDICTS[use][MATCHES[case["matches"]]]


@pytest.mark.parametrize("use", VERDICTS)
def test_a_selector_decides_in_evaluate_about_commands_forms_and_submits(use: str) -> None:
    assert len(CASES) >= 60
    for case in CASES:
        with judging_by(policy(case, use, *RULES)) as judge:
            for name, event in EVENTS.items():
                answer = judge.verdict_on({**event, **sender(case)})
                assert answer["verdict"] == expected(case, use), (case["name"], name, answer)
                is_exempt = answer["exemption"] is not None
                assert is_exempt is (use == "exemption" and case["matches"] is True)
                assert bool(answer["unknown"]) is (answer["verdict"] == "unknown"), case["name"]


OPTIONS = {"groups": "groups", "user": "user", "client": "client", "ip": "ip", "prog": "prog"}
OPTIONS |= {"server": "server", "services": "services"}


def options(case: dict[str, Any], *, literal: bool) -> Iterator[str]:
    """Yield the options of the trigger line; an unknown variable is empty or left as it is."""
    fields = sender(case)
    for option, name in OPTIONS.items():
        value = fields.get(name)
        if isinstance(value, list):
            value = " ".join(value)
        elif value is None:
            may_be_left = literal and name not in {"user", "client"}
            value = f"%{name}%" if may_be_left or name == "groups" else ""
        yield f"--{option}={value}"


@pytest.mark.parametrize("literal", [True, False], ids=["unexpanded", "empty"])
def test_a_selector_decides_in_the_gate(tmp_path: Path, *, literal: bool) -> None:
    home = Home(tmp_path / "home")
    for case in CASES:
        if "time" in sender(case):
            continue
        home.activate(json.loads(dumps(policy(case, "for", "wide-command"))))
        words = [*options(case, literal=literal), "--command=user-fstat", "--args=//depot/... "]
        code = home.run("command", *words).code
        assert code == (case["matches"] is True), case["name"]


@pytest.mark.parametrize(
    "fields",
    [{"users": ["*"]}, {"not": {"programs": ["P4V*"]}}, {"not": {"clients": ["build-*"]}}],
)
def test_a_line_that_a_name_broke_apart_leaves_no_rule(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    home = Home(tmp_path / "home")
    home.activate(json.loads(dumps(policy({"for": fields}, "for", "wide-command"))))
    names = ("--user=ann", '--client=build-1" --prog=P4V', "--prog=P4V")
    assert home.run("command", *names, "--command=user-fstat", "--args=a.c ").code == 1


def replayable(case: dict[str, Any]) -> bool:
    """A log tells the user, the client, the address and the program; options tell the server."""
    fields = sender(case)
    has_all = {"user", "client", "ip", "prog"} <= fields.keys()
    # In a log the client's address is the last, and the reader takes that alone.
    is_before_proxy = str(fields.get("ip")).startswith("10.1.2.3/")
    return has_all and not is_before_proxy


@pytest.mark.parametrize("use", VERDICTS)
def test_a_selector_decides_in_a_replay(tmp_path: Path, use: str) -> None:
    cases = [case for case in CASES if replayable(case)]
    assert len(cases) >= 50
    for case in cases:
        fields = sender(case)
        names = (tmp_path / "policy.json", tmp_path / "groups.json", tmp_path / "log")
        own, groups, log = names
        own.write_text(dumps(policy(case, use, "wide-command")))
        groups.write_text(
            json.dumps({name: [fields["user"]] for name in fields.get("groups", ())})
        )
        moment = datetime.datetime.fromtimestamp(
            fields.get("time", 1_783_321_200), datetime.timezone.utc
        )
        who = f"{fields['user']}@{fields['client']} {fields['ip']} [{fields['prog']}]"
        day, clock = f"{moment:%Y/%m/%d}", f"{moment:%H:%M:%S}"
        log.write_text(start(clock, 1, "user-fstat //depot/...", who, day))
        words = [str(PROGRAM.with_name("p4warden-log")), "replay", f"--policy={own}"]
        words += [f"--groups={groups}"] if "groups" in fields else []
        words += [f"--{name}={fields[name]}" for name in ("server", "services") if name in fields]
        output = subprocess.run(
            [*words, str(log)], capture_output=True, check=True, env={"TZ": "UTC0"}
        ).stdout
        [rule] = json.loads(output)["rules"]
        counted = {verdict for verdict, count in rule["verdicts"].items() if count}
        # A command that the rule is not about is not counted by it.
        assert (counted or {"allow"}) == {expected(case, use)}, (case["name"], rule)
