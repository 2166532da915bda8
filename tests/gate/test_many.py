"""Tests of many gate processes that run simultaneously, as p4d starts them.

`cargo test` has further such tests, of the gate's library.
"""

from __future__ import annotations

import json
import subprocess

from gate.program import Home, policy, rate, rule

EACH = 25
PROCESSES = 16


def start(home: Home, user: str) -> subprocess.Popen[bytes]:
    """Start a shell that runs the gate many times in sequence and prints the exit codes."""
    loop = 'i=0; while [ $i -lt "$0" ]; do "$@"; echo $?; i=$((i + 1)); done'
    words = ["sh", "-c", loop, str(EACH)]
    words += home.line("command", f"--user={user}", "--command=user-fstat")
    return subprocess.Popen(words, stdout=subprocess.PIPE)


def test_concurrent_gates_allow_exactly_the_burst_and_lose_no_refusal(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user", burst=100))))
    children = [start(gate_home, "ann") for _ in range(PROCESSES)]
    lines = [line for child in children for line in child.communicate()[0].splitlines()]
    assert lines.count(b"0") == 100
    assert lines.count(b"1") == EACH * PROCESSES - 100
    counts = gate_home.counts()
    assert (counts["allowed"], counts["refused"]) == (100, EACH * PROCESSES - 100)
    assert counts["faults"] == 0
    report = sum(record.get("count", 1) for record in gate_home.log())
    unwritten_count = sum(entry["count"] for entry in counts["owed"])
    assert report + unwritten_count == counts["refused"]


def test_log_lines_of_concurrent_gates_are_not_mixed(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate())))
    children = [start(gate_home, f"user{number}" + "x" * 150) for number in range(PROCESSES)]
    for child in children:
        child.communicate()
    text = (gate_home.folder / "decisions.jsonl").read_text()
    assert len({json.loads(line)["user"] for line in text.splitlines()}) == PROCESSES
