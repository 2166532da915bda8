"""Tests of checking a policy against a server's facts: its users, groups and depots."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.policies import POLICY
from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import Server

ENDED = "  - {groups: [build-farm], reason: builds, owner: ci, until: 2026-01-01}\n"


@pytest.fixture
def refreshed_warden(server: Server, tmp_path: Path) -> Warden:
    warden = Warden(server, tmp_path)
    warden.must("refresh")
    return warden


LAST = "at the last p4warden refresh"


def checked(warden: Warden, folder: Path, policy: str, *options: str, code: int = 0) -> list[str]:
    file = folder / "checked.yaml"
    file.write_text(policy)
    output = warden.must("check", str(file), *options, code=code)
    return [line.removeprefix(f"{file}:") for line in output.splitlines()]


def with_exemption(exemption: str) -> str:
    return POLICY.replace(
        "rules:", f"exemptions:\n  - {{{exemption}, reason: r, owner: o}}\nrules:"
    )


def test_refresh_stores_the_names_of_users_and_groups_in_a_private_file(
    refreshed_warden: Warden,
) -> None:
    file = refreshed_warden.home / "names.json"
    names: dict[str, Any] = json.loads(file.read_text("ascii"))
    assert {"ann", "build", "p4admin"} <= {*names["users"]}
    assert names["groups"]["build-farm"] == ["build"]
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("exemption", "warning"),
    [
        ("groups: [bild-farm]", f"had no group bild-farm {LAST} (did you mean build-farm?)"),
        ("groups: [Build-Farm]", f"had no group Build-Farm {LAST} (did you mean build-farm?)"),
        ("groups: ['qa-*']", f"no group matched qa-* {LAST}"),
        ("groups: [build-farm], users: [zoe]", f"the server had no user zoe {LAST}"),
    ],
)
def test_an_exemption_of_an_unknown_user_or_group_is_a_warning(
    refreshed_warden: Warden, tmp_path: Path, exemption: str, warning: str
) -> None:
    output = checked(refreshed_warden, tmp_path, with_exemption(exemption))
    assert any(
        line.endswith(warning) and ": warning: exemptions[0]." in line for line in output
    ), output
    assert output[-1] == " 1 rule, 1 exemption: 1 warning"


def test_a_rule_about_an_unknown_depot_is_a_warning_with_a_suggested_name(
    refreshed_warden: Warden, tmp_path: Path
) -> None:
    depots = POLICY.replace("forms: [client]", "forms: [client], depots: {thirdpary: 2, depot: 1}")
    output = checked(refreshed_warden, tmp_path, depots)
    where = "4:93: warning: rules[0].depots.thirdpary: "
    problem = f"the server had no depot thirdpary {LAST} (did you mean thirdparty?)"
    assert output[0] == f"{where}{problem}"


def test_an_exemption_of_all_users_and_a_canary_of_no_user_are_reported(
    refreshed_warden: Warden, tmp_path: Path
) -> None:
    output = checked(refreshed_warden, tmp_path, with_exemption("users: ['*']"))
    assert any(
        "users of the server is exempt by exemptions[0], r (owner: o)" in line for line in output
    ), output
    canary = POLICY.replace("forms: [client]", "forms: [client], canary: [{users: [zoe]}]")
    output = checked(refreshed_warden, tmp_path, canary)
    assert "no user of the server is in its canary" in output[0]


def test_a_policy_with_names_known_to_the_server_passes_the_strict_check(
    refreshed_warden: Warden, tmp_path: Path
) -> None:
    output = checked(
        refreshed_warden, tmp_path, with_exemption("groups: [build-farm]"), "--strict"
    )
    assert output == [" 1 rule, 1 exemption: no mistakes"]


def test_missing_user_and_group_names_are_reported_by_strict_check_and_doctor(
    refreshed_warden: Warden, tmp_path: Path
) -> None:
    (refreshed_warden.home / "names.json").unlink()
    policy = with_exemption("groups: [bild-farm]")
    assert checked(refreshed_warden, tmp_path, policy) == [" 1 rule, 1 exemption: no mistakes"]
    unknown = "users and groups unknown: run p4warden refresh"
    output = checked(refreshed_warden, tmp_path, policy, "--strict", code=1)
    assert output[0].endswith(f": exemptions[0].groups: {unknown}")
    assert checked(refreshed_warden, tmp_path, POLICY, "--strict") == [
        " 1 rule, 0 exemptions: no mistakes"
    ]
    refreshed_warden.must("activate", str(tmp_path / "checked.yaml"))
    refreshed_warden.activate(policy)
    report = json.loads(refreshed_warden.run("doctor", "--json").output)
    [rule] = [one for one in report if one["name"] == "rules" and one["state"] == "warning"]
    assert rule["message"] == "exemptions[0].groups: users and groups unknown"
    assert rule["remedy"].startswith("p4warden refresh --home ")


def test_check_strict_reports_warnings_as_errors(refreshed_warden: Warden, tmp_path: Path) -> None:
    policy_text = POLICY.replace("rules:", f"exemptions:\n{ENDED}rules:")
    output = checked(refreshed_warden, tmp_path, policy_text)
    assert "warning: exemptions[0].until: this exemption has expired" in output[0]
    assert output[-1] == " 1 rule, 1 exemption: 1 warning"
    strict = checked(refreshed_warden, tmp_path, policy_text, "--strict", code=1)
    assert "warning" not in strict[0]
    assert strict[-1] == " 1 rule, 1 exemption: 1 error"


def test_activate_plan_and_doctor_warn_of_a_rule_that_refuses_no_test_event(
    refreshed_warden: Warden, tmp_path: Path
) -> None:
    file = tmp_path / "idle.yaml"
    file.write_text(POLICY.replace("forms: [client]", "forms: [client], min_depth: 0"))
    doubt = "no-whole-depot stops none of the test events: min_depth: 0 allows whole depots"
    place = f"{file}:4:5: warning: rules[0]: {doubt}"
    assert place in refreshed_warden.must("activate", str(file))
    assert place in refreshed_warden.must("deploy", "plan", "--policy", str(file), code=1)
    assert f"Warning: rules[0]: {doubt}" in refreshed_warden.must("deploy", "plan", code=1)
    wrong = json.loads(refreshed_warden.run("doctor", "--json").output)
    assert [one["message"] for one in wrong if one["name"] == "rules"] == [
        f"rules[0]: {doubt} (write min_depth: 1)"
    ]


def test_deploy_tests_a_client_options_rule_with_a_client_that_lacks_the_option(
    refreshed_warden: Warden, tmp_path: Path
) -> None:
    file = tmp_path / "demands.yaml"
    file.write_text(
        "version: 1\ncontact: admins\nrules:\n  - name: compressed\n"
        "    rule: require_client_options\n    mode: observe\n"
        "    demands: [{options: [compress]}]\n"
    )
    refreshed_warden.must("activate", str(file))
    refreshed_warden.must("deploy", "plan", code=1)
    output = refreshed_warden.must("deploy", "apply")
    assert "a new client without compress is refused: yes\n" in output
