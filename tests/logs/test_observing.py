"""Tests that `evaluate` and `replay` report an observing rule's verdict as if it were enforced.

Also of the estimate for processes that send their next command later because they were delayed.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from logs.blocks import start
from p4warden.commands.replay import replay
from p4warden.policy.compiled import Policy, compile_policy
from p4warden.policy.judged import judging_by
from support.examples import examples

X = "polling"


def limit_rule(
    name: str, mode: str, allow: str, burst: int, max_delay: str | None
) -> dict[str, Any]:
    delay = {"action": "delay", "max_delay": max_delay} if max_delay else {}
    limits = [{"per": ["user"], "allow": allow, "burst": burst}]
    kind = {"name": name, "rule": "limit_command_rate", "mode": mode, "commands": ["fstat"]}
    return {**kind, "limits": limits, **delay}


SCOPE = {"name": "wide", "rule": "limit_command_scope", "mode": "enforce", "commands": ["fstat"]}


def language(rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {"version": 1, "contact": "admins", "rules": rules}


def replayed(rules: list[dict[str, Any]], log: str, *options: str) -> dict[str, dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "p.yaml").write_text(json.dumps(language(rules)))
        (folder / "log").write_text(log)
        words = [str(folder / "log"), "--policy", str(folder / "p.yaml"), "--json", *options]
        result = CliRunner().invoke(replay, words, standalone_mode=False, catch_exceptions=False)
        assert result.return_value == 0
        return {rule["name"]: rule for rule in json.loads(result.stdout)["rules"]}


def evaluated(policy: Policy, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    with judging_by(policy) as judge:
        return list(judge.answers(events))


def own(answer: dict[str, Any], mode: str, *, wide: bool) -> tuple[str, float | None]:
    """Return the verdict of rule `X`, and its delay or time until a retry in seconds.

    For a rule that observes, these are the values it would have if it were enforced. The time is
    None for a command that is too wide, and for an allowed one.
    """
    if mode == "observe":
        output = [would for would in answer["would"] if would["rule"] == X]
    else:
        output = [
            finding | _waits(answer) for finding in answer["findings"] if finding["rule"] == X
        ]
    if not output:
        return "allow", None
    wait = (
        output[0]["delay_s"] if output[0]["retry_after_s"] is None else output[0]["retry_after_s"]
    )
    return output[0]["verdict"], None if wide else wait


def _waits(answer: dict[str, Any]) -> dict[str, float | None]:
    return {name: answer[name] for name in ("delay_s", "retry_after_s")}


delays = st.one_of(st.none(), st.integers(1, 20).map("{}s".format))
streams = st.lists(
    st.tuples(
        st.sampled_from(["ann", "ann", "ann", "bob"]),
        st.sampled_from(["//depot/a", "//depot/..."]),
        st.sampled_from([0, 0, 0, 1, 1, 5]),
    ),
    min_size=20,
    max_size=70,
)


@given(streams, st.integers(1, 3), st.integers(1, 4), delays, delays)
@settings(deadline=None, max_examples=examples(15))
def test_an_observing_rule_has_the_same_verdicts_and_delays_as_if_enforced(
    stream: list[tuple[str, str, int]], per: int, burst: int, wait: str | None, other: str | None
) -> None:
    neighbour = limit_rule("other", "observe", "1 per 2s", 1, other)
    second, events, log = 0, [], ""
    for pid, (user, args, after) in enumerate(stream):
        second += after
        time = f"12:{second // 60:02}:{second % 60:02}"
        log += start(time, pid, f"user-fstat {args}", f"{user}@{user}-ws 10.0.0.1 [p4/v93]")
        event = {"event": "command", "command": "fstat", "user": user, "args": [args]}
        events.append({**event, "time": 1_700_000_000 + second})
    answers_by_mode, reports = {}, {}
    for mode in ("observe", "enforce"):
        rules = [limit_rule(X, mode, f"1 per {per}s", burst, wait), neighbour, SCOPE]
        answers = evaluated(compile_policy(language(rules), ""), events)
        reports[mode] = replayed(rules, log)[X]
        answers_by_mode[mode] = [
            own(answer, mode, wide=args == "//depot/...")
            for answer, (_, args, _) in zip(answers, stream, strict=True)
        ]
    assert answers_by_mode["observe"] == answers_by_mode["enforce"]
    would, verdicts = reports["observe"]["would"], reports["enforce"]["verdicts"]
    assert (would["delay"], would["refuse"]) == (verdicts["delay"], verdicts["refuse"])
    assert reports["observe"]["verdicts"]["observe"] == verdicts["delay"] + verdicts["refuse"]


def script(seconds: int, each: int = 100, sender: str = "bot@bot-ws 10.0.0.9 [job/v93]") -> str:
    """Return p4d log text of a script that sends `each` commands per second for some seconds."""
    times = [f"12:{second // 60:02}:{second % 60:02}" for second in range(seconds)]
    blocks = [
        start(time, pid * each + n, "user-fstat //depot/a", sender)
        for pid, time in enumerate(times)
        for n in range(each)
    ]
    return "".join(blocks)


@pytest.mark.parametrize("mode", ["observe", "enforce"])
def test_a_script_that_waits_for_its_delays_is_never_refused_in_the_estimate(mode: str) -> None:
    rule = limit_rule(X, mode, "20 per 1s", 20, "2s")
    results = replayed([rule], script(30))[X]
    refusals = results["would"]["refuse"] if mode == "observe" else results["verdicts"]["refuse"]
    # Of the 3,000 commands in 30 s, 20 pass immediately (the burst), 580 more pass at 20 per
    # second in the remaining 29 s, and at most 40 are waiting at the end; all others are refused.
    assert refusals > 2300
    waiting_results = results["if_processes_wait"]
    assert waiting_results["verdicts"]["refuse"] == 0
    # Times in the log are whole seconds: of the 100 commands with the same time, 20 pass and 80
    # are delayed.
    assert waiting_results["verdicts"]["delay"] == 2400
    assert waiting_results["delayed_s"] == pytest.approx(2400 / 20)
    assert waiting_results["left_out"] == 0


@pytest.mark.parametrize("canary", ["bot", "ann"])
def test_the_estimate_of_a_rule_with_a_canary_counts_all_users(canary: str) -> None:
    rule = {**limit_rule(X, "enforce", "20 per 1s", 20, "2s"), "canary": [{"users": [canary]}]}
    waiting = replayed([rule], script(30))[X]["if_processes_wait"]
    assert waiting["verdicts"] == {"observe": 0, "delay": 2400, "refuse": 0}


@pytest.mark.parametrize(
    ("settings_of_rule", "verdict", "would_refuse"),
    [
        ({"unusual": "allow"}, "observe", 0),
        ({"unusual": "allow", "mode": "observe"}, "observe", 0),
        ({"mode": "observe"}, "observe", 1),
        ({}, "refuse", 0),
    ],
)
def test_an_unusual_command_that_a_rule_would_allow_is_no_refusal_if_enforced(
    settings_of_rule: dict[str, str], verdict: str, would_refuse: int
) -> None:
    log = start("12:00:00", 7, "user-fstat  -Ro //depot/...")
    results = replayed([{**SCOPE, **settings_of_rule}], log)["wide"]
    assert results["verdicts"][verdict] == 1
    assert results["would"]["refuse"] == would_refuse


def test_the_printed_report_shows_verdicts_if_enforced_and_the_estimate(tmp_path: Path) -> None:
    rule = limit_rule(X, "observe", "20 per 1s", 20, "2s")
    (tmp_path / "p.yaml").write_text(json.dumps(language([rule])))
    (tmp_path / "log").write_text(script(30))
    words = [str(tmp_path / "log"), "--policy", str(tmp_path / "p.yaml")]
    output = (
        CliRunner().invoke(replay, words, standalone_mode=False, catch_exceptions=False).stdout
    )
    lines = [" ".join(line.split()) for line in output.splitlines()]
    alone = lines.index("If each of these rules alone were enforced, for the same commands:")
    assert lines[alone + 1] == "rule that observes would delay for would refuse"
    assert lines[alone + 2].startswith("polling ")
    estimate = lines.index("Estimate: a process that is delayed sends its next command later:")
    assert lines[estimate + 2] == "polling 2,400 120.0 s 0"


def test_two_scripts_of_one_user_are_delayed_but_not_refused_in_the_estimate() -> None:
    rule = limit_rule(X, "observe", "20 per 1s", 20, "2s")
    log = script(5) + script(5, sender="bot@other-ws 10.0.0.8 [job/v93]")
    blocks = sorted(log.split("Perforce server info:\n")[1:], key=lambda block: block[:21])
    results = replayed([rule], "".join("Perforce server info:\n" + block for block in blocks))[X]
    assert results["if_processes_wait"]["verdicts"]["refuse"] == 0
    assert results["if_processes_wait"]["verdicts"]["delay"] == 980


def test_delays_before_a_long_pause_do_not_add_to_later_delays_in_the_estimate() -> None:
    rule = limit_rule(X, "observe", "1 per 10s", 1, "60s")
    sender = "bot@bot-ws 10.0.0.9 [job/v93]"
    times = ["12:00:00", "12:00:00", "12:00:00", "12:05:00", "12:05:00"]
    log = "".join(start(t, n, "user-fstat //depot/a", sender) for n, t in enumerate(times))
    waiting_results = replayed([rule], log)[X]["if_processes_wait"]
    assert waiting_results["verdicts"]["delay"] == 3
    assert waiting_results["delayed_s"] == 30


def test_rules_that_never_delay_have_no_estimate() -> None:
    results = replayed([limit_rule(X, "enforce", "1 per 10s", 1, None)], script(1, 3))[X]
    assert results["if_processes_wait"] is None


def test_a_rule_for_flush_also_applies_to_sync_with_option_k_in_replay() -> None:
    sender = "bot@bot-ws 10.0.0.9 [job/v93]"
    query = ["sync -k //a", "flush //a", "sync //a", "update //a", "user-flush //a"]
    log = "".join(
        start("12:00:00", n, f"user-{command}", sender) for n, command in enumerate(query)
    )
    rule = {**limit_rule(X, "enforce", "1 per 1h", 1, None), "commands": ["flush"]}
    results = replayed([rule], log)[X]
    assert (results["judged"], results["verdicts"]["refuse"]) == (2, 1)
