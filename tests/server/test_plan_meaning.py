"""Tests that `deploy plan` shows changed values and the users that the new policy affects."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from support.policies import OBSERVED, POLICY
from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server

RULE = "rule=no-whole-depot"


@pytest.fixture
def observing_warden(server: Server, tmp_path: Path) -> Warden:
    """Fixture: a policy that observes, and decisions about three users in the decision log."""
    warden = Warden(server, tmp_path)
    warden.prepare(OBSERVED)
    log(warden, [("ann", 2), ("build", 1), ("carol", 1)])
    return warden


def log(warden: Warden, users: list[tuple[str, int]], verdict: str = "observe") -> None:
    report = [
        {
            "time": round(time.time(), 3),
            "event": "form-save",
            "type": "client",
            "name": f"{user}-ws",
            "user": user,
            "verdict": verdict,
            "rule": "no-whole-depot",
            "count": times,
        }
        for user, times in users
    ]
    with (warden.home / "decisions.jsonl").open("a") as file:
        file.writelines(json.dumps(record) + "\n" for record in report)


def planned(warden: Warden, folder: Path, policy: str, *options: str) -> str:
    file = folder / "then.yaml"
    file.write_text(policy)
    return warden.must("deploy", "plan", "--policy", str(file), *options, code=1)


def test_a_plan_warns_of_a_contact_that_reaches_nobody(
    observing_warden: Warden, tmp_path: Path
) -> None:
    policy = POLICY.replace("contact: admins", "contact: p4@example.com")
    text = "contact: example.com is an example that reaches nobody (write your own)\n"
    assert f":2:10: warning: {text}" in planned(observing_warden, tmp_path, policy)
    observing_warden.activate(policy)
    assert f"Warning: {text}" in observing_warden.must("deploy", "plan", code=1)


def test_a_plan_names_the_users_that_a_rule_newly_stops(
    observing_warden: Warden, tmp_path: Path
) -> None:
    output = planned(observing_warden, tmp_path, POLICY)
    assert "  no-whole-depot: mode: observe -> enforce\n" in output
    assert "According to 3 logged decisions of the last 30 days:\n" in output
    read = r"\n  \(by the users' groups read on \d{4}-\d\d-\d\d \d\d:\d\d; "
    assert re.search(read + r"if they changed since, run p4warden refresh first\)\n", output)
    people = "3 users: ann (2), build (1), carol (1)"
    assert f"  newly stopped by no-whole-depot: {people}\n" in output
    assert (
        "  no-whole-depot: no census with these settings; run p4warden census --policy POLICY"
        in output
    )


def test_a_plan_counts_only_users_in_the_canary_and_not_exempt_as_newly_stopped(
    observing_warden: Warden, tmp_path: Path
) -> None:
    exempt = "exemptions:\n  - {groups: [build-farm], reason: builds, owner: ci}\nrules:"
    output = planned(observing_warden, tmp_path, POLICY.replace("rules:", exempt))
    assert '  exemption "builds" of ci: new, groups: [build-farm]\n' in output
    assert "  newly stopped by no-whole-depot: 2 users: ann (2), carol (1)\n" in output
    canary = POLICY.replace("forms: [client]", "forms: [client], canary: [{users: [carol]}]")
    output = planned(observing_warden, tmp_path, canary)
    assert "  no-whole-depot: canary: none -> [{users: [carol]}]\n" in output
    assert "  newly stopped by no-whole-depot: 1 user: carol (1)\n" in output


def test_a_plan_names_the_users_that_a_rule_newly_allows(
    observing_warden: Warden, tmp_path: Path
) -> None:
    observing_warden.activate(POLICY)
    log(observing_warden, [("bob", 1)], "refuse")
    output = planned(observing_warden, tmp_path, OBSERVED)
    report = "4 users: ann (2), bob (1), build (1), carol (1)"
    assert f"  newly allowed by no-whole-depot: {report}\n" in output
    deeper = planned(observing_warden, tmp_path, POLICY.replace("forms", "min_depth: 2, forms"))
    assert "  no-whole-depot: min_depth: 1 -> 2\n" in deeper
    assert "  nobody is newly stopped or newly allowed\n" in deeper


def test_a_renamed_rule_allows_nobody_and_needs_no_census(server: Server, tmp_path: Path) -> None:
    warden = Warden(server, tmp_path)
    warden.prepare(POLICY)
    log(warden, [("ann", 2)], verdict="refuse")
    renamed = POLICY.replace("no-whole-depot", "whole-depots")
    assert renamed != POLICY
    output = planned(warden, tmp_path, renamed)
    assert "  nobody is newly stopped or newly allowed\n" in output
    assert "census" not in output
    gone = planned(warden, tmp_path, POLICY.replace("mode: enforce", "mode: off", 1))
    assert "newly allowed by no-whole-depot: 1 user: ann (2)" in gone


SUGGESTS = """\
  - name: better
    rule: suggest_client_options
    mode: observe
    wishes: [{options: [compress]}]
"""


def test_a_rule_that_proposes_values_stops_nobody(server: Server, tmp_path: Path) -> None:
    warden = Warden(server, tmp_path)
    warden.prepare(POLICY + SUGGESTS)
    form = {"time": time.time(), "event": "form-out", "type": "client", "name": "a-ws"}
    record = {**form, "user": "ann", "verdict": "observe", "rule": "better"}
    with (warden.home / "decisions.jsonl").open("a") as file:
        file.write(f"{json.dumps(record)}\n")
    output = planned(warden, tmp_path, POLICY + SUGGESTS.replace("observe", "enforce"))
    assert "  nobody is newly stopped or newly allowed\n" in output


def test_a_plan_lists_only_users_with_a_removed_exemption_as_no_longer_exempt(
    observing_warden: Warden, tmp_path: Path
) -> None:
    exempt = "exemptions:\n  - {users: [dora], reason: builds, owner: ci}\n"
    exempt += "  - {groups: [unknown-to-refresh], reason: tests, owner: qa}\nrules:"
    observing_warden.activate(OBSERVED.replace("rules:", exempt))
    log(observing_warden, [("dora", 2), ("erin", 1)], "allow")
    log(observing_warden, [("fred", 1)], "unknown")
    output = planned(observing_warden, tmp_path, POLICY)
    assert "  no longer exempt from no-whole-depot: 1 user: dora (2)\n" in output


def test_a_plan_shows_the_clients_that_enforce_would_refuse_by_the_last_census(
    observing_warden: Warden, tmp_path: Path, server: Server, connect: ClientFactory
) -> None:
    for user in ("ann", "bob"):
        p4 = connect(server, user=user)
        view = f"View:\n\t//depot/... //{user}-wide/...\n"
        p4.input = f"Client: {user}-wide\nOwner: {user}\nRoot: /r\n{view}"
        p4.run("client", "-i")
    observing_warden.must("census")
    output = planned(observing_warden, tmp_path, POLICY)
    assert "  no-whole-depot: would refuse 2 clients of 2 owners (census of 20" in output
    assert ": ann (1), bob (1)\n" in output
    assert "Any change to such a spec, even to its description, would be refused." in output
    census_output = observing_warden.must("census", "--write-baseline")
    assert "  no-whole-depot: 2 clients of 2 owners\n" in census_output
    policy_text = POLICY.replace("forms", "baseline: true, baseline_until: 2099-01-01, forms")
    assert "new description" not in planned(observing_warden, tmp_path, policy_text)
    (tmp_path / "then.yaml").write_text(POLICY)
    file = str(tmp_path / "then.yaml")
    check_output = observing_warden.must("check", file)
    assert f"{file}:4:58: note: rules[0].mode: enforce refuses 2 clients" in check_output
    (tmp_path / "then.yaml").write_text(POLICY.replace("forms", "min_depth: 2, forms"))
    assert "2 clients" not in observing_warden.must("check", file)
    observing_warden.activate(POLICY)
    output = planned(observing_warden, tmp_path, OBSERVED)
    assert "  no-whole-depot: 2 clients of 2 owners can be saved again (census of 20" in output


BASELINE = POLICY.replace("forms", "baseline: true, baseline_until: 2099-01-01, forms")
CANARY = POLICY.replace("forms: [client]", "forms: [client], canary: [{groups: [build-farm]}]")


def saved(server: Server, connect: ClientFactory, **clients: str) -> None:
    """Save a client of the whole depot for each user; `clients` has client names by user name."""
    for user, name in clients.items():
        p4 = connect(server, user=user)
        view = f"View:\n\t//depot/... //{name}/...\n"
        p4.input = f"Client: {name}\nOwner: {user}\nRoot: /r\n{view}"
        p4.run("client", "-i")


def checked(warden: Warden, folder: Path, policy: str) -> str:
    (folder / "then.yaml").write_text(policy)
    return warden.must("check", str(folder / "then.yaml"))


def test_a_plan_counts_clients_in_the_baseline_as_allowed_until_its_end(
    observing_warden: Warden, tmp_path: Path, server: Server, connect: ClientFactory
) -> None:
    saved(server, connect, ann="ann-ws", build="build-ws", bob="carol-ws")
    observing_warden.must("census", "--write-baseline")
    census_result = "0 of 3 clients with findings; 3 allowed by the baseline until 2099-01-01"
    assert f"mode: enforce refuses {census_result} (census of 20" in checked(
        observing_warden, tmp_path, BASELINE
    )
    output = planned(observing_warden, tmp_path, BASELINE)
    assert f"  no-whole-depot: would refuse {census_result} (census of 20" in output
    assert "  nobody is newly stopped or newly allowed\n" in output
    assert "enforce refuses 3 clients of 3" in checked(observing_warden, tmp_path, POLICY)
    past = BASELINE.replace("2099", "2020")
    assert "enforce refuses 3 clients of 3" in checked(observing_warden, tmp_path, past)
    assert "newly stopped by no-whole-depot: 3 users" in planned(observing_warden, tmp_path, past)


def test_a_plan_counts_clients_created_after_the_baseline_as_refused(
    observing_warden: Warden, tmp_path: Path, server: Server, connect: ClientFactory
) -> None:
    saved(server, connect, ann="ann-ws", build="build-ws")
    observing_warden.must("census", "--write-baseline")
    saved(server, connect, bob="carol-ws")
    observing_warden.must("census")
    output = checked(observing_warden, tmp_path, BASELINE)
    part = "1 of 3 clients with findings of 1 owner; 2 allowed by the baseline until 2099-01-01"
    assert f"enforce refuses {part}" in output
    output = planned(observing_warden, tmp_path, BASELINE)
    assert f"would refuse {part} (census of 20" in output
    assert "  newly stopped by no-whole-depot: 1 user: carol (1)\n" in output


def test_a_plan_counts_only_clients_of_users_in_the_canary_as_refused(
    observing_warden: Warden, tmp_path: Path, server: Server, connect: ClientFactory
) -> None:
    saved(server, connect, ann="ann-ws", build="build-ws")
    observing_warden.must("census")
    observing_warden.must("refresh")
    output = planned(observing_warden, tmp_path, CANARY)
    assert "would refuse 1 client of 1 owner (census of 20" in output
    assert ", users in the canary only): build (1)\n" in output
    assert "  newly stopped by no-whole-depot: 1 user: build (1)\n" in output
    output = checked(observing_warden, tmp_path, CANARY)
    assert "enforce refuses, for its canary, 1 client of 1 owner" in output


def test_apply_writes_the_names_of_users_and_groups(
    observing_warden: Warden, tmp_path: Path
) -> None:
    names = observing_warden.home / "names.json"
    names.unlink(missing_ok=True)
    planned(observing_warden, tmp_path, CANARY)
    observing_warden.must(
        "deploy", "apply", "--policy", str(tmp_path / "then.yaml"), "--no-verify"
    )
    assert json.loads(names.read_text("ascii"))["groups"]["build-farm"] == ["build"]


def test_a_plan_as_json_has_the_differences_consequences_and_trigger_lines(
    observing_warden: Warden, tmp_path: Path
) -> None:
    plan: dict[str, Any] = json.loads(planned(observing_warden, tmp_path, POLICY, "--json"))
    [difference] = plan["differences"]
    assert difference == {
        "kind": "rule",
        "name": "no-whole-depot",
        "field": "mode",
        "old": "observe",
        "new": "enforce",
    }
    [people] = plan["consequences"]["people"]
    assert people["how"] == "newly stopped"
    assert people["users"] == {"ann": 2, "build": 1, "carol": 1}
    assert plan["trigger_lines"]["added"] == ["p4warden.form-save.client"]
