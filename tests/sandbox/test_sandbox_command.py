"""`p4warden sandbox`: a server to try things on, and how to go on with it."""

import subprocess
import sys

import pytest
from P4 import P4

PROGRAM = [sys.executable, "-m", "p4warden", "sandbox"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "Any other P4USER is let in without a password. Ctrl-C ends it."),
        (["--like", "2026.1"], "who gives other users their passwords (p4 passwd USER)."),
    ],
)
def test_what_it_prints_gets_one_in(options: list[str], said: str) -> None:
    command = [*PROGRAM, *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            lines = [process.stdout.readline().rstrip() for _ in range(3)]
            settings = dict(line.split("=", 1) for line in lines)
            port, tickets = settings["P4PORT"], settings["P4TICKETS"]
            for user in (settings["P4USER"], "ann"):
                with P4(port=port, user=user, ticket_file=tickets).connect() as p4:
                    assert p4.run("clients") == []
        finally:
            process.terminate()
        assert said in process.stderr.read()
        assert process.wait() == 0
