"""Tests of the decision records that a worker passes to the gate: counted, and logged when due."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from gate.program import GateReply, Home
from gate.workers import put, save

REFUSED = {"event": "form-save", "user": "ann", "verdict": "refuse", "rule": "no-whole-depot"}
HAND_OVER = 'os.write(int(os.environ["P4WARDEN_RECORD"]), {!r})\n'
REFUSE = "print('refused'); sys.exit(1)"
QUIET_S = 10


def telling(content: bytes, answer_code: str = REFUSE) -> str:
    """Return the script of a worker that passes the given bytes to the gate."""
    return HAND_OVER.format(content) + answer_code


def line(**more: object) -> bytes:
    return json.dumps(REFUSED | more).encode() + b"\n"


def unwritten(home: Home) -> list[tuple[str, int]]:
    return [(entry["user"], entry["count"]) for entry in home.counts()["owed"]]


REFUSES_FAST = """\
#!/bin/sh
for word; do case $word in --user=*) user=${word#--user=} ;; esac; done
record='{"event": "form-save", "user": "%s", "verdict": "refuse", "rule": "r"}\\n'
printf "$record" "$user" >"/proc/self/fd/$P4WARDEN_RECORD"
echo refused
exit 1
"""


def test_concurrent_equal_refusals_are_logged_at_intervals_and_all_are_counted(
    beside: Home,
) -> None:
    put(beside, "")
    python = Path(beside.program).with_name("python3")
    python.unlink()
    python.write_text(REFUSES_FAST)
    python.chmod(0o755)
    start_s = time.monotonic()
    loop = 'i=0; while [ $i -lt 25 ]; do "$@"; echo $?; i=$((i + 1)); done'
    gate = beside.line("form-save", "--type=client", "--user=ann")
    loops = [
        subprocess.Popen(["sh", "-c", loop, "sh", *gate], stdout=subprocess.PIPE) for _ in range(8)
    ]
    outputs = [process.communicate()[0] for process in loops]
    beside.run("form-save", "--type=client", "--user=bob")
    assert [output.count(b"refused\n1\n") for output in outputs] == [25] * 8
    lines = [record["user"] for record in beside.log()]
    assert lines[0] == "ann"
    assert lines[-1] == "bob"
    assert lines.count("ann") <= 1 + (time.monotonic() - start_s) / QUIET_S
    report = sum(record.get("count", 1) for record in beside.log() if record["user"] == "ann")
    assert report + sum(count for _, count in unwritten(beside)) == 200
    counts = beside.counts()
    assert (counts["refused"], counts["faults"]) == (201, 0)


def test_every_allowed_form_is_counted_and_a_plain_allow_is_not_logged(beside: Home) -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({"verdict": "allow", "rule": None}, "allowed"),
        ({"verdict": "observe"}, "observed"),
        ({"verdict": "unknown"}, "unknown"),
        ({"verdict": "allow", "exemption": "builds"}, "allowed"),
        ({"verdict": "allow", "fault": "a bad file"}, "faults"),
    ]
    for more, counter in cases:
        put(beside, telling(line(**more), answer_code=""))
        before = beside.counts()[counter]
        assert save(beside) == GateReply(0, "")
        assert beside.counts()[counter] == before + 1
    verdicts = ["observe", "unknown", "allow", "allow"]
    assert [record["verdict"] for record in beside.log()] == verdicts
    assert beside.log()[-1]["fault"] == "a bad file"


def test_repeated_observed_forms_are_counted_by_their_enforced_verdict(beside: Home) -> None:
    for outcome, times in (("refuse", 4), ("allow", 3)):
        put(beside, telling(line(verdict="observe", would=outcome), answer_code=""))
        for _ in range(times):
            assert save(beside) == GateReply(0, "")
    assert [record["would"] for record in beside.log()] == ["refuse", "allow"]
    unwritten_counts = {entry["would"]: entry["count"] for entry in beside.counts()["owed"]}
    assert unwritten_counts == {"refuse": 3, "allow": 2}


def test_every_trial_decision_is_logged_and_none_is_counted(beside: Home) -> None:
    put(beside, telling(line(verdict="allow", trial=True), answer_code=""))
    assert [save(beside) for _ in range(3)] == [GateReply(0, "")] * 3
    assert [record["trial"] for record in beside.log()] == [True] * 3
    assert beside.counts()["allowed"] == 0


RUBBISH = {
    "nothing": b"",
    "noise": bytes(range(256)),
    "half a line": line()[:-9],
    "no end of line": line()[:-1],
    "two lines": line() * 2,
    "a list": b"[]\n",
    "another verdict": line(verdict="perhaps"),
    "no verdict": b'{"event": "form-save"}\n',
    "a line that goes on": line() + b" " * 70_000,
}


@pytest.mark.parametrize("content", RUBBISH.values(), ids=RUBBISH)
def test_an_invalid_worker_record_is_neither_logged_nor_counted(
    beside: Home, content: bytes
) -> None:
    put(beside, telling(content), on_error="deny")
    assert save(beside) == GateReply(1, "refused\n")
    assert beside.log() == []
    counts = beside.counts()
    assert (counts["refused"], counts["faults"]) == (0, 0)


def test_an_endless_worker_record_is_dropped_and_the_refusal_stands(beside: Home) -> None:
    flood = "\ntry:\n    while True: os.write(int(os.environ['P4WARDEN_RECORD']), b'x' * 9999)"
    put(beside, f"{flood}\nexcept BrokenPipeError: {REFUSE}", on_error="deny")
    assert save(beside) == GateReply(1, "refused\n")
    assert beside.log() == []


def test_a_record_of_200_kb_is_logged_in_full(beside: Home) -> None:
    put(beside, telling(line(detail="x" * 200_000)))
    assert save(beside).code == 1
    assert len(beside.log()[0]["detail"]) == 200_000


def test_a_worker_killed_after_its_record_is_a_fault_and_no_refusal_is_counted(
    beside: Home,
) -> None:
    put(beside, telling(line(), answer_code="os.kill(os.getpid(), 9)"), on_error="deny")
    assert "has failed" in save(beside).text
    [record] = beside.log()
    assert record["fault"] == "the worker was ended by signal 9"
    assert beside.counts()["refused"] == 0


def test_an_unusable_state_file_changes_no_form_verdict_and_loses_no_record(beside: Home) -> None:
    put(beside, telling(line()), on_error="allow")
    (beside.folder / "state").mkdir()
    assert [save(beside) for _ in range(2)] == [GateReply(1, "refused\n")] * 2
    records = beside.log()
    assert [record["verdict"] for record in records if "rule" in record] == ["refuse"] * 2
    [fault] = [record for record in records if "fault" in record]
    assert "Is a directory" in fault["fault"]


def test_an_unusable_decision_log_changes_no_form_verdict(beside: Home) -> None:
    put(beside, telling(line()), on_error="allow")
    (beside.folder / "decisions.jsonl").mkdir()
    assert save(beside) == GateReply(1, "refused\n")
    assert beside.counts()["refused"] == 1
