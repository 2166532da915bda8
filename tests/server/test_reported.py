"""Tests of `p4warden report` on the refusals that a running server produced."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from P4 import P4

from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server

POLICY = """\
version: 1
contact: "admins@example.com"
exemptions:
  - {users: [bob], rules: [no-whole-depot], reason: builds, owner: ci, until: 2099-12-31}
rules:
  - {name: no-whole-depot, rule: limit_view_scope, mode: enforce, forms: [client]}
  - name: polling
    rule: limit_command_rate
    mode: enforce
    commands: [fstat]
    limits: [{per: [user], allow: 1 per 1h, burst: 2}]
"""


@pytest.fixture
def warden(server: Server, tmp_path: Path, connect: ClientFactory) -> Warden:
    """Fixture: an installation after ann and bob tried to save wide clients and ran `p4 fstat`."""
    warden = Warden(server, tmp_path)
    warden.install(POLICY)
    for user in ("ann", "bob"):
        p4 = connect(server, user=user, client=f"{user}-ws")
        with p4.at_exception_level(P4.RAISE_NONE):
            p4.save_client(
                {
                    "Client": f"{user}-ws",
                    "Owner": user,
                    "Root": "/tmp/ws",  # noqa: S108
                    "View": [f"//depot/... //{user}-ws/..."],
                }
            )
            for _ in range(6 if user == "ann" else 1):
                p4.run("fstat", "//depot/main/...")
    return warden


def test_report_counts_decisions_not_yet_written_to_the_log(warden: Warden) -> None:
    results = json.loads(warden.must("report", "--json"))
    refusals = {(d["rule"], d["user"]): d["count"] for d in results["decisions"]}
    assert refusals == {("polling", "ann"): 4, ("no-whole-depot", "ann"): 1}
    assert results["read"]["owed"] == 3
    assert [(e["name"], e["users"]) for e in results["exemptions"]] == [
        ("no-whole-depot: builds (owner: ci)", ["bob"])
    ]
    assert results["read"]["bad_lines"] == results["trials"] == 0
    assert [(cost["event"], cost["decisions"]) for cost in results["costs"]] == [
        ("command", 1),
        ("form-save", 2),
    ]


def test_report_with_a_world_writable_state_file_notes_missing_decisions(warden: Warden) -> None:
    (warden.home / "state").chmod(0o666)
    output = warden.must("report")
    assert "Decisions not yet written to the log are left out: " in output
    assert "no-whole-depot" in output


def test_report_shows_the_counts_of_a_rule_and_of_a_user(warden: Warden) -> None:
    output = warden.must("report", "--since", "1d")
    assert "Includes 3 decisions not yet written to the log" in output
    [rule] = [line for line in output.splitlines() if line.startswith("polling")]
    assert rule.split() == ["polling", "enforce", "4", "1", "ann"]
    assert ["ann", "polling", "4"] in [line.split()[:3] for line in output.splitlines()]


def test_metrics_count_decisions_and_events_for_prometheus(
    warden: Warden, connect: ClientFactory, server: Server
) -> None:
    polling = 'p4_warden_decisions_total{rule="polling",mode="enforce",verdict="refuse"} '
    first = warden.must("metrics").splitlines()
    assert f"{polling}4" in first
    assert 'p4_warden_events_total{verdict="refuse"} 5' in first
    assert 'p4_warden_events_total{verdict="fault"} 0' in first
    p4 = connect(server)
    with p4.at_exception_level(P4.RAISE_NONE):
        p4.run("fstat", "//depot/main/...")
    later_lines = warden.must("metrics").splitlines()
    assert f"{polling}5" in later_lines
