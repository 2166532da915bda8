"""Tests of the processor time for questions in arguments of 128 KiB, the most that p4d passes."""

from __future__ import annotations

import resource

import pytest

from gate.judge import judge
from gate.program import policy, rate, rule

BYTES, TIMES = 128 * 1024, 20
LONG = "/" + "/".join(["d" * 40] * 1600)
BLANKS = "/" + " /x" * 20_000
CASES = {
    "short paths": ("/a", "/w"),
    "paths of many names": ("a/" * 60_000, "/w"),
    "options": ("-a -b", "/w"),
    "lists of fields": ("-T type", "/w"),
    "relative names in a deep directory": ("b", LONG),
    "names above a deep directory": ("../" * 900 + "b", LONG),
    "one path that returns": ("a/../" * 20_000, "/w"),
    "blanks as in the directory": ("/x", BLANKS),
    "a directory without its last name": (BLANKS[:-2], BLANKS),
    "shares": ("\\\\h\\s", "\\\\h\\s"),
    "codes": ("%2a%2a%2a", "/%2a"),
    "numbers of revisions": ("//d@1,0000", "/w"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_question_of_128_kib_takes_less_than_50_ms(name: str) -> None:
    word, directory = CASES[name]
    args = " ".join([word] * (BYTES // (len(word) + 1) + 1))[:BYTES]
    event = {"event": "command", "command": "fstat", "user": "ann", "time": 1000}
    event |= {"args": [args], "clientcwd": directory}
    limits = [rate("user", "args"), rate("user", "shape"), rate("ip", "args")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answers, _ = judge(policy(rule(*limits)), [event] * TIMES)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert [answer["verdict"] for answer in answers] == ["allow", *["refuse"] * (TIMES - 1)]
    assert spent_s / TIMES < 0.05
