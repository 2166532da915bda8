"""Tests of the gate's verdicts on the temporary client by which a deployment tests triggers."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from gate.program import GO_ON, Home, policy, rate, rule
from p4warden.home import trial_client

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TRIAL_CLIENT = f"{trial_client.PREFIX}0123456789abcdef"
OTHER = f"{trial_client.PREFIX}fedcba9876543210"
EVERYONE = {"reason": "a reason", "owner": "an owner", "for": {"users": ["*"]}}


@pytest.fixture
def home(gate_home: Home) -> Home:
    trial_client.announce(str(gate_home.folder), TRIAL_CLIENT, int(time.time()))
    return gate_home


def codes(home: Home, client: str | None, times: int = 3) -> list[int]:
    words = [f"--client={client}"] if client else []
    return [home.fstat(*words).code for _ in range(times)]


@pytest.mark.parametrize(
    "more",
    [
        {"mode": "observe"},
        {"canary": [{"users": ["nobody"]}]},
        {"mode": "observe", "canary": [{"users": ["nobody"]}]},
    ],
    ids=str,
)
def test_observe_and_canary_rules_are_enforced_for_the_trial_client_only(
    home: Home, more: dict[str, Any]
) -> None:
    home.activate(policy(rule(rate("user", "client"), **more)))
    assert codes(home, TRIAL_CLIENT) == [0, 1, 1]
    assert [codes(home, client) for client in ("ws", OTHER, None)] == [[0, 0, 0]] * 3


def test_exemptions_apply_to_all_clients_except_the_trial_client(home: Home) -> None:
    home.activate(policy(rule(rate("user", "client")), exemptions=[EVERYONE]))
    assert codes(home, TRIAL_CLIENT) == [0, 1, 1]
    assert [codes(home, client) for client in ("ws", OTHER, None)] == [[0, 0, 0]] * 3


def test_a_rule_in_mode_off_stays_off_for_the_trial_client(home: Home) -> None:
    home.activate(policy(rule(rate("user"), mode="off"), rule(rate("user"), commands=["files"])))
    assert codes(home, TRIAL_CLIENT) == [0, 0, 0]


def test_each_decision_on_the_trial_client_is_logged_and_not_counted(home: Home) -> None:
    home.activate(policy(rule(rate("user"), mode="observe"), exemptions=[EVERYONE]))
    codes(home, TRIAL_CLIENT)
    home.run("command", "--user=ann", "--command=user-files", f"--client={TRIAL_CLIENT}")
    codes(home, "ws")
    fields = ("event", "client", "command", "verdict", "trial")
    records = home.log()
    assert [tuple(record[name] for name in fields) for record in records] == [
        ("command", TRIAL_CLIENT, "fstat", "allow", True),
        ("command", TRIAL_CLIENT, "fstat", "refuse", True),
        ("command", TRIAL_CLIENT, "fstat", "refuse", True),
        ("command", TRIAL_CLIENT, "files", "allow", True),
    ]
    assert not any("count" in record for record in records)
    assert [record.get("rule") for record in records] == [None, "polling", "polling", None]
    counts = home.counts()
    assert (counts["allowed"], counts["refused"], counts["owed"]) == (3, 0, [])


def test_the_verdict_unknown_on_the_trial_client_is_logged(home: Home) -> None:
    home.activate(policy(rule(rate("args"))))
    codes(home, TRIAL_CLIENT, 1)
    [record] = home.log()
    assert (record["verdict"], record["rule"]) == ("unknown", "polling")


def test_rescue_commands_and_the_file_off_log_nothing_for_the_trial_client(home: Home) -> None:
    home.activate(policy(rule(rate("user"))))
    home.run("command", "--user=ann", "--command=user-info", f"--client={TRIAL_CLIENT}")
    (home.folder / "off").touch()
    assert codes(home, TRIAL_CLIENT) == [0, 0, 0]
    assert home.log() == []


def expired(file: Path) -> None:
    file.write_text(f"{TRIAL_CLIENT} {int(time.time()) - 1}\n")


def damaged(file: Path) -> None:
    file.write_bytes(f"{TRIAL_CLIENT} \xff9999999999\n".encode("latin-1"))


def linked(file: Path) -> None:
    file.rename(file.with_name("elsewhere"))
    file.symlink_to("elsewhere")


def open_to_all(file: Path) -> None:
    file.chmod(0o666)


def no_file(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("spoil", [expired, damaged, linked, open_to_all, no_file])
def test_an_expired_damaged_or_untrusted_trial_announcement_is_ignored(
    home: Home, spoil: Callable[[Path], None]
) -> None:
    home.activate(policy(rule(rate("user"), mode="observe")))
    spoil(home.folder / trial_client.FILE_NAME)
    assert [home.fstat(f"--client={TRIAL_CLIENT}") for _ in range(3)] == [GO_ON] * 3
    assert [record["verdict"] for record in home.log()] == ["observe"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_trial_announcement_owned_by_another_account_is_ignored(home: Home) -> None:
    home.activate(policy(rule(rate("user"), mode="observe")))
    os.chown(home.folder / trial_client.FILE_NAME, 12345, -1)
    assert codes(home, TRIAL_CLIENT) == [0, 0, 0]
