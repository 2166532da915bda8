"""Tests of `p4warden-gate judge`: for rates, verdicts and delays are those of `rate_reference`.

Also of cases such as refusal texts, clocks that step back, and lines without events.
"""

from __future__ import annotations

import json
import subprocess
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.program import PROGRAM, judge, policy, rate, rule
from gate.rate_reference import UNITS_NS, Reference, wait_ns, would
from support.examples import examples
from support.refusal_text import without_id

if TYPE_CHECKING:
    from pathlib import Path


def test_judge_returns_refusal_texts_only_with_the_option_texts() -> None:
    event = {"event": "command", "command": "fstat", "user": "ann", "args": [], "time": 1}
    polling = policy(rule(rate("user", allow="50 per 1h")))
    [first, second], _ = judge(polling, [event, event], "--texts")
    assert first["text"] is None
    assert without_id(second["text"]) == (
        "Your command p4 fstat was sent too often: the limit for each user is 50 per hour, "
        "evenly spread. Try again in 72 seconds.\n"
        "Run this command less often; a program that polls can ask at longer intervals, "
        "or once for all its jobs.\n"
        "Questions: admins@example.com\n"
        "p4warden: rule=polling limit=50/h value=2 retry-after=72.0\n"
    )
    [answer], _ = judge(polling, [event])
    assert "text" not in answer


parts = st.lists(st.sampled_from(["user", "client", "ip", "args"]), max_size=3, unique=True)
amounts = st.builds(
    "{} per {}{}".format,
    st.integers(1, 60),
    st.integers(1, 90),
    st.sampled_from(sorted(UNITS_NS)),
)
limits = st.builds(
    lambda per, allow, burst: rate(*per, allow=allow, burst=burst),
    parts,
    amounts,
    st.integers(1, 5),
)
actions = st.one_of(
    st.just({"action": "refuse", "max_delay": None}),
    st.integers(1, 60_000).map(lambda ms: {"action": "delay", "max_delay": f"{ms}ms"}),
)
rules = st.lists(
    st.tuples(
        st.lists(limits, min_size=1, max_size=3), st.sampled_from(["observe", "enforce"]), actions
    ),
    min_size=1,
    max_size=3,
).map(
    lambda parts: [
        rule(*limits, name=f"rule{number}", mode=mode, **action)
        for number, (limits, mode, action) in enumerate(parts)
    ]
)
steps_ns = st.one_of(
    st.just(0), st.integers(0, 10**9), st.integers(0, 10**12), st.integers(-(10**9), 0)
)
events = st.lists(
    st.tuples(
        st.fixed_dictionaries(
            {
                "user": st.sampled_from(["ann", "bob"]),
                "client": st.sampled_from(["ws1", "ws2"]),
                "ip": st.sampled_from(["10.0.0.1", "10.0.0.2"]),
                "args": st.lists(st.sampled_from(["//depot/b", "//depot/a"]), max_size=2),
            }
        ),
        steps_ns,
    ),
    # With more events, more than 16 commands of a user could be delayed at the same time, the most
    # that the gate allows.
    max_size=17,
)


@given(rules, events)
@settings(deadline=None, max_examples=examples(150))
def test_verdicts_and_waits_equal_those_of_the_reference_implementation(
    policy_rules: list[dict[str, Any]], stream: list[tuple[dict[str, Any], int]]
) -> None:
    now_ns, lines, reference, expected = 10**18, [], Reference(policy_rules), []
    for event, step_ns in stream:
        now_ns += step_ns
        seconds = Decimal(now_ns) / 10**9
        body = json.dumps({"event": "command", "command": "fstat", **event})
        lines.append(f'{body[:-1]}, "time": {seconds}}}')
        # The reference implementation lacks the gate's limit on waiting commands and its handling
        # of a clock that is set back far; the generated events reach neither.
        expected.append(reference.judge(event, now_ns))
    answers, _ = judge(policy(*policy_rules), lines)
    assert [
        ((answer["verdict"], wait_ns(answer)), would(answer)) for answer in answers
    ] == expected


def test_a_clock_set_back_an_hour_causes_no_refusals() -> None:
    hour = [{"per": ["user"], "allow": "100 per 1h", "burst": 100}]
    fstat = {"event": "command", "command": "fstat", "user": "ann"}
    before = [{**fstat, "time": 100_000 + second} for second in range(100)]
    after = [{**fstat, "time": 96_500 + second} for second in range(100)]
    answers, _ = judge(policy(rule(*hour)), [*before, *after])
    assert {answer["verdict"] for answer in answers} == {"allow"}


def test_an_invalid_event_line_is_reported_and_the_other_lines_are_judged() -> None:
    good = {"id": {"any": ["JSON"]}, "event": "command", "command": "fstat", "time": 1.5}
    wrong: list[object] = [
        "no JSON",
        "[]",
        {"event": "form-in"},
        {"event": "command"},
        {"event": "command", "command": "fstat", "time": -1},
        {"event": "command", "command": "fstat", "time": "1"},
        {"event": "command", "command": "fstat", "args": "text"},
        {"event": "command", "command": "fstat", "pressure": "extreme"},
        {"event": "command", "command": "fstat", "user": 7},
        '{"event": "command", "command": "fstat"' + " " * (33 << 20) + "}",
    ]
    answers, code = judge(policy(rule(rate("user"))), [good, *wrong, "", good])
    assert code == 1
    assert answers[0]["id"] == good["id"]
    assert answers[0]["verdict"] == "allow"
    assert [answer.get("line") for answer in answers[1:-1]] == list(range(2, len(wrong) + 2))
    assert all(answer["error"] for answer in answers[1:-1])
    assert answers[-1]["verdict"] == "refuse"


def test_each_event_line_is_answered_before_the_next_line_is_sent(tmp_path: Path) -> None:
    source = tmp_path / "policy.json"
    source.write_text(json.dumps(policy(rule(rate("user", burst=2)))))
    command = [str(PROGRAM), "judge", "--policy", str(source)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin
        assert child.stdout
        verdicts = []
        for _ in range(3):
            child.stdin.write(b'{"event": "command", "command": "fstat"}\n')
            child.stdin.flush()
            verdicts.append(json.loads(child.stdout.readline())["verdict"])
        child.stdin.close()
    assert verdicts == ["allow", "allow", "refuse"]


def test_a_finding_has_the_fields_of_a_worker_finding() -> None:
    event = {"event": "command", "command": "user-fstat", "user": "ann"}
    document = policy(rule(rate("user"), mode="observe"))
    [_, answer], _ = judge(document, [event, event])
    [finding] = answer["findings"]
    assert set(finding) == {"rule", "verdict", "item", "place", "problem", "value", "limit", "fix"}
    assert finding["value"] == 2
    assert finding["limit"] == "1/h"
    assert finding["fix"] == [answer["fix"]]
    assert answer["detail"] == f"fstat {finding['problem']}"
    assert answer["summary"] == "a command is sent more often than the policy allows"
