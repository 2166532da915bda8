"""Tests of forms that are hostile, and of a gate without memory, descriptors or disk."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from itertools import dropwhile
from typing import TYPE_CHECKING, Any

import pytest

from gate.forms import NARROW, VIEWS, WIDE, save
from gate.program import GO_ON, policy, rate, rule

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gate.program import GateReply, Home

STRICT: list[dict[str, Any]] = [
    VIEWS | {"max_lines": 100, "max_share": 0.5, "min_depth": 2},
    {"name": "paths", "rule": "limit_path_length", "mode": "enforce", "max_leading": 60},
    {"name": "rows", "rule": "limit_view_scope", "mode": "enforce", "max_embedded": 2},
]
LONG_NAME = "x" * 60
HOSTILE = {
    "many lines": "".join(f"\t//depot/{n:060}/... //ws/{n}/...\n" for n in range(39_000)),
    "many wildcards": "".join(f"\t//depot/...a{n}b...c... //ws/...{n}\n" for n in range(49_000)),
    "one long line": f"\t//depot/{'%%1*' * 700_000}/... //ws/...\n",
    "long names": "".join(f"\t//{LONG_NAME}{n}/... //ws/{n}/...\n" for n in range(39_000)),
    "no view": "\t\n" * 49_000,
    "quotes": '"' * 3_000_000,
    "deep": "\t//depot" + "/d" * 1_400_000 + "/... //ws/...\n",
    "not UTF-8": "\t//depot/\udcff... //ws/...\n" * 49_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_form_of_3_mb_gets_a_verdict(gate_home: Home, name: str) -> None:
    gate_home.activate(policy(*STRICT, on_error="allow"))
    code, text = save(gate_home, "Client:\tws\n\nView:\n" + HOSTILE[name])
    assert code == 1
    assert "p4warden: rule=" in text
    [record] = gate_home.log()
    assert record["verdict"] == "refuse"


def test_a_form_over_4_mib_is_refused_and_an_unread_one_is_a_fault(gate_home: Home) -> None:
    gate_home.activate(policy(VIEWS, on_error="deny"))
    assert "is over 4 MiB" in save(gate_home, "x" * (4 << 20) + "y").text
    for spoil, fault in FORM_FAULTS.items():
        form = gate_home.folder.with_name("form")
        for file in (form, gate_home.folder / "state", gate_home.folder / "decisions.jsonl"):
            file.unlink(missing_ok=True)
        words = [f"--form={form}", "--type=client"]
        spoil(form)
        code, text = gate_home.run("form-save", *words, f"--user={fault}")
        assert (code, "has failed" in text) == (1, True)
        assert fault in gate_home.log()[-1]["fault"]
        if form.is_dir():
            form.rmdir()


FORM_FAULTS: dict[Callable[[Path], object], str] = {
    lambda _: None: "No such file",
    lambda form: form.mkdir(): "is not a regular file",
    lambda form: form.symlink_to("/etc/passwd"): "is a symbolic link",
    os.mkfifo: "is not a regular file",
}


def test_a_shown_form_that_cannot_be_written_is_a_fault_and_stays(gate_home: Home) -> None:
    suggest = {"name": "s", "rule": "suggest_client_options", "mode": "enforce"}
    gate_home.activate(policy(suggest | {"wishes": [{"options": ["rmdir"]}]}, on_error="deny"))
    form = gate_home.folder.with_name("form")
    text = "Client:\tws\n\nOptions:\tnoallwrite normdir\n"
    form.write_text(text)
    words = ("form-out", "--type=client", f"--form={form}", "--name=ws")

    shown = text.replace("normdir", "rmdir")

    def run_with(most_bytes: int) -> GateReply:
        limits = (resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
        return gate_home.run(*words, preexec_fn=lambda: resource.setrlimit(*limits))

    code, answer = run_with(len(shown) - 1)
    assert (code, "has failed" in answer) == (1, True)
    assert form.read_text() == text
    assert run_with(len(shown)) == GO_ON
    assert form.read_text() == shown


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_a_gate_without_memory_ends_with_the_declared_code(gate_home: Home, on_error: str) -> None:
    gate_home.activate(policy(*STRICT, on_error=on_error))
    form = "Client:\tws\n\nView:\n" + HOSTILE["many lines"]
    save(gate_home, NARROW)
    codes = set()
    for mib in (4, 6, 8, 12, 16, 24):
        size = mib << 20

        def limited(size: int = size) -> None:
            resource.setrlimit(resource.RLIMIT_DATA, (size, size))

        codes.add(save(gate_home, form, f"--on-error={on_error}", preexec_fn=limited).code)
    assert codes <= ({0, 1} if on_error == "allow" else {1})
    assert (0 in codes) == (on_error == "allow")


# In a small process, because each start copies the tables of its memory.
OF_ANY_MEMORY = """\
import os, resource, sys
for kib in range(8, 1040, 12):
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        resource.setrlimit(resource.RLIMIT_DATA, (kib << 10, kib << 10))
        os.execv(sys.argv[1], sys.argv[1:])
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


@pytest.mark.parametrize("triggers_io", ["0", "1"])
@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_a_gate_of_any_little_memory_ends_with_the_declared_code(
    gate_home: Home, on_error: str, triggers_io: str
) -> None:
    gate_home.activate(policy(rule(rate("user")), on_error=on_error))
    gate_home.fstat()
    words = (f"--on-error={on_error}", f"--triggers-io={triggers_io}", "--command=user-fstat")
    line = gate_home.line("command", *words, "--user=ann", "--args=" + "//depot/a " * 9000)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", OF_ANY_MEMORY, *line],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    # With less memory than the program's own data the kernel ends it before it starts.
    codes = [*dropwhile(lambda code: code == -signal.SIGSEGV, map(int, done.stdout.split()))]
    assert len(codes) > 60
    assert set(codes) == ({1} if on_error == "deny" else {0, 1})
    assert codes[-1] == 1


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_a_gate_without_descriptors_gives_the_verdict_or_the_declared_answer(
    gate_home: Home, on_error: str
) -> None:
    gate_home.activate(policy(VIEWS, on_error=on_error))
    for number in range(3, 8):

        def limited(number: int = number) -> None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))

        code, text = save(gate_home, WIDE, f"--on-error={on_error}", preexec_fn=limited)
        is_judged = "rule=no-whole-depot" in text
        assert is_judged or code == (on_error == "deny")
    assert is_judged


def test_a_full_disk_changes_no_verdict(gate_home: Home) -> None:
    gate_home.activate(policy(VIEWS))

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    assert save(gate_home, NARROW, preexec_fn=limited) == GO_ON
    assert save(gate_home, WIDE, preexec_fn=limited).code == 1
