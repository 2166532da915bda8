"""Tests of the questions that rates count by `args` and `shape`, in long lists.

`cargo test` runs the cases, `fuzz/rate_spellings.py` random ones; `fuzz/word_lists.py` bounds the
CPU time of long arguments.
"""

from __future__ import annotations

import pytest

from gate.program import judge, policy, rate, rule

BYTES, TIMES = 128 * 1024, 4
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
def test_a_question_of_128_kib_counts_as_the_same_question(name: str) -> None:
    word, directory = CASES[name]
    args = " ".join([word] * (BYTES // (len(word) + 1) + 1))[:BYTES]
    event = {"event": "command", "command": "fstat", "user": "ann", "time": 1000}
    event |= {"args": [args], "clientcwd": directory}
    limits = [rate("user", "args"), rate("user", "shape"), rate("ip", "args")]
    answers, _ = judge(policy(rule(*limits)), [event] * TIMES)
    assert [answer["verdict"] for answer in answers] == ["allow", *["refuse"] * (TIMES - 1)]
