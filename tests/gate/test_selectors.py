"""Tests of each part of a selector on every path on which events are judged: one file of cases."""

from __future__ import annotations

import datetime
import json
import subprocess
import time
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

from gate.program import PROGRAM, Home
from logs.blocks import start
from p4warden.policy.compiled import Policy, compile_policy, dumps, loads
from p4warden.policy.hours import zones_in
from p4warden.policy.judged import judging_by
from p4warden.policy.selectors import FIELDS
from support.home_files import facts_file, policy_file

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = Path(__file__).parents[1] / "cases" / "selectors" / "selectors.yaml"
DOCUMENT = yaml.safe_load(FILE.read_text("utf-8"))
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
VERDICTS = {
    "for": {"yes": "refuse", "no": "allow", "unknown": "unknown"},
    "exemption": {"yes": "allow", "no": "refuse", "unknown": "refuse"},
    "canary": {"yes": "refuse", "no": "observe", "unknown": "observe"},
}
OPTIONS = {"groups": "groups", "user": "user", "client": "client", "ip": "ip", "prog": "prog"}
OPTIONS |= {"server": "server", "services": "services"}
MATCHES: dict[Any, str] = {True: "yes", False: "no", "unknown": "unknown"}
FEWEST = 40
"""Cases of each part, on each path."""


class Case(NamedTuple):
    """`event` is a whole event; without a value a fact is unknown. `time` is since the epoch."""

    event: dict[str, Any]
    matches: str


class Row(NamedTuple):
    part: str
    selector: dict[str, Any]
    folds: bool
    cases: list[Case]

    def policy(self, use: str, *names: str) -> Policy:
        fields = {"for": self.selector, "canary": [self.selector]}
        more = {use: fields[use]} if use in fields else {}
        rules = [{"name": name, "mode": "enforce", **RULES[name], **more} for name in names]
        document = {"contact": "admins", "classes": DOCUMENT["classes"], "rules": rules}
        if use == "exemption":
            document["exemptions"] = [{"reason": "r", "owner": "o", **self.selector}]
        compiled = compile_policy(document, "0" * 64)
        assert loads(dumps(compiled)) == compiled
        return compiled

    @property
    def facts(self) -> dict[str, Any]:
        return {"case_sensitive": not self.folds}


def _event(row: dict[str, Any], value: Any) -> dict[str, Any]:
    own = {row["of"]: value} if "of" in row else value
    event = {name: one for name, one in (DOCUMENT["event"] | own).items() if one is not None}
    if isinstance(event.get("time"), datetime.datetime):
        event["time"] = int(event["time"].timestamp())
    return event


def _row(part: str, row: dict[str, Any]) -> Row:
    cases = [
        Case(_event(row, value), MATCHES[matches])
        for matches in MATCHES
        for value in row.get(matches, ())
    ]
    return Row(part, row["for"], row.get("folds", False), cases)


ROWS = [_row(part, row) for part, rows in DOCUMENT["parts"].items() for row in rows]
by_part = pytest.mark.parametrize("part", DOCUMENT["parts"])


def rows_of(part: str) -> list[Row]:
    return [row for row in ROWS if row.part == part]


def test_there_are_enough_cases_for_each_part_on_each_path() -> None:
    everywhere = Counter(row.part for row in ROWS for case in row.cases)
    in_logs = Counter(row.part for row in ROWS for case in row.cases if replayable(case))
    assert {*everywhere} == {*FIELDS}
    assert min(everywhere.values()) >= FEWEST, everywhere
    assert min(in_logs.values()) >= FEWEST, in_logs


@by_part
@pytest.mark.parametrize("use", VERDICTS)
def test_a_part_decides_in_evaluate_about_commands_forms_and_submits(part: str, use: str) -> None:
    wrong = []
    for row in rows_of(part):
        with judging_by(row.policy(use, *RULES), row.facts) as judge:
            for case in row.cases:
                for name, event in EVENTS.items():
                    answer = judge.verdict_on({**event, **case.event})
                    is_exempt = use == "exemption" and case.matches == "yes"
                    if (
                        answer["verdict"] != VERDICTS[use][case.matches]
                        or (answer["exemption"] is not None) != is_exempt
                        or bool(answer["unknown"]) != (answer["verdict"] == "unknown")
                    ):
                        wrong.append((row.selector, case, name, answer["verdict"]))
    assert wrong == []


def at_the_present(document: dict[str, Any], time_s: int, now_s: int) -> dict[str, Any]:
    """Return a `policy.json` whose clocks show now what they show at a time."""
    later_s = now_s - time_s
    zones: Iterator[Any] = zones_in(document)
    for zone in zones:
        zone["changes"] = [[at + later_s, ahead - later_s] for at, ahead in zone["changes"]]
        zone["until_s"] += later_s
    return document


def options(event: dict[str, Any], *, literal: bool) -> Iterator[str]:
    """Yield the options of the trigger line; an unknown variable is empty or left as it is."""
    for option, name in OPTIONS.items():
        value = event.get(name)
        if isinstance(value, list):
            value = " ".join(value)
        elif value is None:
            may_be_left = literal and name not in {"user", "client"}
            value = f"%{name}%" if may_be_left or name == "groups" else ""
        yield f"--{option}={value}"


def exit_codes(home: Home, policy: str, event: dict[str, Any]) -> set[int]:
    """Judge an event by each of its lines."""
    lines = {tuple(options(event, literal=literal)) for literal in (True, False)}
    return {exit_code(home, policy, event, line) for line in lines}


def exit_code(home: Home, policy: str, event: dict[str, Any], line: tuple[str, ...]) -> int:
    """Judge an event at its time, which may be the last second of some hours."""
    words = [*line, "--command=user-fstat", "--args=//depot/... "]
    while True:
        now_s = int(time.time())
        if "time" in event:
            home.activate(at_the_present(json.loads(policy), event["time"], now_s))
        code = home.run("command", *words).code
        if "time" not in event or int(time.time()) == now_s:
            return code


@by_part
def test_a_part_decides_in_the_gate(part: str, tmp_path: Path) -> None:
    home, wrong = Home(tmp_path / "home"), []
    for row in rows_of(part):
        home.know(row.facts)
        text = dumps(row.policy("for", "wide-command"))
        home.activate(json.loads(text))
        wrong += [
            (row.selector, case)
            for case in row.cases
            if exit_codes(home, text, case.event) != {case.matches == "yes"}
        ]
    assert wrong == []


@pytest.mark.parametrize(
    "fields",
    [{"users": ["*"]}, {"not": {"programs": ["P4V*"]}}, {"not": {"clients": ["build-*"]}}],
)
def test_a_line_that_a_name_broke_apart_leaves_no_rule(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    home = Home(tmp_path / "home")
    policy = Row("", fields, folds=False, cases=[]).policy("for", "wide-command")
    home.activate(json.loads(dumps(policy)))
    names = ("--user=ann", '--client=build-1" --prog=P4V', "--prog=P4V")
    assert home.run("command", *names, "--command=user-fstat", "--args=a.c ").code == 1


def replayable(case: Case) -> bool:
    """A log states user, client, address and program of every command, none through a proxy."""
    has_all = {"user", "client", "ip", "prog"} <= case.event.keys()
    return has_all and not {"/", "["} & {*case.event["ip"]}


def _of_one_replay(case: Case) -> str:
    """The key of cases that one replay can judge, by its options."""
    return repr([case.event.get(name) for name in ("groups", "server", "services")])


@by_part
@pytest.mark.parametrize("use", VERDICTS)
def test_a_part_decides_in_a_replay(part: str, use: str, tmp_path: Path) -> None:
    wrong = []
    for row in rows_of(part):
        (tmp_path / "policy.json").write_bytes(policy_file(dumps(row.policy(use, "wide-command"))))
        (tmp_path / "facts.json").write_bytes(facts_file(row.facts))
        cases = sorted(filter(replayable, row.cases), key=_of_one_replay)
        for _, some in groupby(cases, _of_one_replay):
            batch = sorted(some, key=lambda case: case.event.get("time", 0))
            wrong += [
                (row.selector, case, verdict)
                for case, verdict in zip(batch, replayed(batch, tmp_path), strict=True)
                if verdict != VERDICTS[use][case.matches]
            ]
    assert wrong == []


def replayed(cases: list[Case], folder: Path) -> list[str]:
    """Return a replay's verdicts on cases with the same groups and server, in order of time."""
    log, groups, verdicts = (folder / name for name in ("log", "groups.json", "verdicts"))
    event = cases[0].event
    users = sorted({case.event["user"] for case in cases})
    groups.write_text(json.dumps(dict.fromkeys(event.get("groups", ()), users)))
    log.write_text("".join(block(number, case) for number, case in enumerate(cases)))
    words = [str(PROGRAM.with_name("p4warden-log")), "replay", f"--policy={folder}/policy.json"]
    words += [f"--facts={folder}/facts.json", f"--each={verdicts}"]
    words += [f"--groups={groups}"] if "groups" in event else []
    words += [f"--{name}={event[name]}" for name in ("server", "services") if name in event]
    subprocess.run([*words, str(log)], capture_output=True, check=True, env={"TZ": "UTC0"})
    rows = map(json.loads, verdicts.read_text("utf-8").splitlines())
    return [row["verdict"] for row in rows]


def block(number: int, case: Case) -> str:
    event = case.event
    moment = datetime.datetime.fromtimestamp(
        event.get("time", 1_783_321_200), datetime.timezone.utc
    )
    who = f"{event['user']}@{event['client']} {event['ip']} [{event['prog']}]"
    day, clock = f"{moment:%Y/%m/%d}", f"{moment:%H:%M:%S}"
    return start(clock, 100 + number, "user-fstat //depot/...", who, day)
