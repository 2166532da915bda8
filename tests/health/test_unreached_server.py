"""Tests of what doctor says of a server that this command cannot use, by its error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from p4warden.core.errors import P4WardenError
from p4warden.health import CheckedInstallation, server_reachable
from p4warden.health.asking_account import checks as account_checks
from p4warden.home import active_policy
from p4warden.policy import compiled
from support.home_files import account_file

if TYPE_CHECKING:
    from pathlib import Path

KEY = "3A:B7:DC:7F:95:A3:BF:C0:96:99:2E:6B:69:7A:09:FC:8C:1B:B5:76"
NOT_TRUSTED = P4WardenError(
    f"ssl:host:1666: the server's key {KEY} is not trusted yet",
    "compare it with what p4d -Gf prints on the server's host, then run p4 -p ssl:host:1666 -u "
    "bob trust",
)
ON_PURPOSE = "if the key was changed on purpose, run p4 -p ssl:1666 -u bob trust -f"
CHANGED = P4WardenError(
    f"ssl:1666: the server's key {KEY} differs from the trusted one, so a man-in-the-middle is "
    "possible",
    ON_PURPOSE,
)
OTHER_ADDRESS = (
    "ask ssl:1666, the server of the last refresh:\n"
    "  p4warden doctor --home {home} --port ssl:1666 --user bob"
)
SUBMITS = {"name": "few", "rule": "limit_files", "mode": "enforce", "max": 5}


def place(home: Path, port: str, problem: P4WardenError) -> CheckedInstallation:
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "server.json").write_bytes(account_file(port))
    (home / "server.json").chmod(0o600)
    return CheckedInstallation(str(home), 0, unconnected=problem)


@pytest.mark.parametrize(
    ("port", "problem", "remedy"),
    [
        (
            "ssl:1666",
            NOT_TRUSTED,
            OTHER_ADDRESS,
        ),
        ("ssl:1666", CHANGED, ON_PURPOSE),
        (
            "1666",
            P4WardenError("1666: the server requires TLS", "write ssl: before the port"),
            "write ssl: before the port",
        ),
    ],
)
def test_only_of_a_silent_server_is_said_that_p4warden_is_not_the_cause(
    tmp_path: Path, port: str, problem: P4WardenError, remedy: str
) -> None:
    home = tmp_path / "home"
    [check] = server_reachable.checks(place(home, port, problem))
    assert check.remedy == remedy.format(home=home)


@pytest.mark.parametrize("unjudged", ["", "start"])
def test_a_dead_server_of_triggers_is_not_that_of_this_command(
    tmp_path: Path, unjudged: str
) -> None:
    home = tmp_path / "home"
    here = P4WardenError("bob@live:1666: not logged in", "run p4 -p live:1666 -u bob login")
    installation = place(home, "127.0.0.1:1", here)._replace(unjudged=unjudged)
    policy = {"contact": "admins", "on_error": "deny", "rules": [SUBMITS]}
    active_policy.replace(str(home), compiled.compile_policy(policy, "0" * 64))
    *answer, account = account_checks(installation)
    assert account.message == "127.0.0.1:1: the server cannot be reached"
    lines = [one.message.partition(": ")[0] for one in answer]
    assert lines == ([] if unjudged else ["triggers cannot ask the server"])
