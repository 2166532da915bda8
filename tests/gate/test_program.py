"""Tests of the gate as a program: static linking, messages, long arguments, and lack of memory."""

from __future__ import annotations

import functools
import resource
import signal
import struct
import subprocess
from pathlib import Path

import pytest

from gate.program import PROGRAM, Home, policy, rate, rule

INTERPRETER = 3
PROGRAM_HEADERS = 32


def test_the_gate_is_linked_statically() -> None:
    """Check that the gate is linked statically: the file has no interpreter segment (elf(5))."""
    if "target/release" in str(PROGRAM):
        pytest.skip("a plain cargo build is for the machine it is made on")
    content = PROGRAM.read_bytes()
    [start] = struct.unpack_from("<Q", content, PROGRAM_HEADERS)
    size, count = struct.unpack_from("<HH", content, 54)
    kinds = [struct.unpack_from("<I", content, start + n * size)[0] for n in range(count)]
    assert kinds
    assert INTERPRETER not in kinds


def ask(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(PROGRAM), *words], capture_output=True, text=True, check=False)


def test_version_prints_the_program_name() -> None:
    assert ask("--version").stdout.startswith("p4warden-gate ")


@pytest.mark.parametrize("program", ["p4warden-gate", "p4warden-index", "p4warden-log"])
def test_a_version_that_cannot_be_written_is_an_error_of_one_line(program: str) -> None:
    words = [str(PROGRAM.with_name(program)), "--version"]
    with Path("/dev/full").open("w", encoding="ascii") as full:
        process = subprocess.run(
            words, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    problem = f"{program}: the standard output: No space left on device\n"
    assert (process.returncode, process.stderr) == (1, problem)


def test_a_missing_or_unknown_first_word_prints_the_whole_usage() -> None:
    for words in ([], ["nonsense"], ["--nonsense"], ["help"]):
        process = ask(*words)
        assert (process.returncode, process.stdout) == (2, "")
        problem, usage = process.stderr.splitlines()[:2]
        assert problem == (
            "p4warden-gate: the first word must be the name of an event or a subcommand"
        )
        assert usage.startswith("usage: p4warden-gate EVENT ")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["judge", "--policy"], "missing argument for option '--policy'"),
        (["judge", "--x=1"], "invalid option '--x'"),
        (["judge", "x"], "x is not an option"),
    ],
)
def test_a_wrong_option_prints_the_usage_of_the_subcommand(words: list[str], problem: str) -> None:
    process = ask(*words)
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.startswith(
        f"p4warden-gate: {problem}\nusage: p4warden-gate judge [--policy FILE] "
    )


@pytest.mark.parametrize("event", ["command", "form-save", "change-submit"])
def test_help_options_on_a_trigger_line_print_no_usage(gate_home: Home, event: str) -> None:
    gate_home.activate(policy(rule(rate())))
    words = [event, f"--home={gate_home.folder}", "--on-error=allow"]
    for more in (["--command=fstat", "--args=--help"], ["--user=--help"], ["--help"], ["-h"]):
        process = ask(*words, *more)
        assert "usage" not in process.stdout + process.stderr


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 2}', "\udcff"])
def test_an_invalid_policy_is_reported_in_one_line(tmp_path: Path, text: str) -> None:
    source = tmp_path / "policy.json"
    source.write_bytes(text.encode("utf-8", "surrogateescape"))
    for command in ("check", "judge"):
        process = ask(command, "--policy", str(source))
        assert (process.returncode, process.stdout) == (1, "")
        assert process.stderr.startswith(f"p4warden-gate: {source}: ")
        assert process.stderr.count("\n") == 1


def test_lack_of_memory_ends_the_gate_with_exit_code_0_or_1(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("args", "shape", burst=100))))
    words = [gate_home.program, "command", f"--home={gate_home.folder}", "--on-error=deny"]
    long = "--args=" + "//depot/main/file.c#12 " * 5_000
    codes = set()
    for kib in range(1_000, 2_000, 50):
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_AS, (kib << 10, kib << 10))
        process = subprocess.run(
            [*words, "--command=fstat", long], preexec_fn=limit, capture_output=True, check=False
        )
        # Skip a run that the kernel killed at its start, because even the arguments exceed the
        # limited memory (execve(2)).
        if process.returncode != -signal.SIGSEGV:
            assert process.stderr == b""
            codes.add(process.returncode)
    assert codes <= {0, 1}


def test_arguments_of_over_100_kib_get_a_verdict(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("args")), rule(rate("shape", burst=2), name="shapes")))
    # An argument below the limit of Linux, 128 KiB (MAX_ARG_STRLEN, binfmts.h).
    long = "--args=" + "//depot/main/file.c#12 " * 5_000
    assert [gate_home.fstat(long).code for _ in range(2)] == [0, 1]
