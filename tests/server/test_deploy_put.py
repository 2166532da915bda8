"""Tests of `deploy put`, which shows what a policy changes, asks once and activates it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.policies import OBSERVED
from support.servers import list_servers
from support.triggers import table

if TYPE_CHECKING:
    from support.servers import ClientFactory, Server
    from support.warden import Warden

PROGRAM = Path(sys.executable).with_name("p4warden")
EDITED = """\
version: 1
contact: admins  # whom to ask
exemptions:
  - {users: [build], reason: builds, owner: ci}
rules:
  - {name: no-whole-depot, rule: limit_view_scope, mode: enforce, min_depth: 2,
     forms: [client, label], canary: [{groups: [team]}]}
  - {name: short-paths, rule: limit_path_length, mode: observe, max_leading: 100}
"""


@pytest.fixture
def policy_path(tmp_path: Path) -> str:
    file = tmp_path / "edited.yaml"
    file.write_text(EDITED)
    return str(file)


def digest(warden: Warden) -> str:
    """Return the first 12 digits of the active policy's digest, printed by `p4warden activate`."""
    return warden.must("activate").split(": policy ")[1][:12]


def command(*arguments: str) -> list[str]:
    return [str(PROGRAM), "deploy", "put", *arguments]


def environment(warden: Warden) -> dict[str, str]:
    return {**os.environ, **warden.settings}


def test_apply_of_a_plan_for_an_inactive_policy_requires_activation_of_the_policy(
    warden: Warden, policy_path: str
) -> None:
    warden.install(OBSERVED)
    old = digest(warden)
    output = warden.must("deploy", "plan", "--policy", policy_path, code=1)
    for part in (
        "rules: 1 enforce for a canary, 1 observe\n",
        f"Changes from the active policy {old}:\n",
        "  no-whole-depot: mode: observe -> enforce\n",
        "  no-whole-depot: canary: none -> [{groups: [team]}]\n",
        "  no-whole-depot: min_depth: 1 -> 2\n",
        "  no-whole-depot: forms: [client] -> [client, label] (+label)\n",
        "  short-paths: new, mode: observe, rule: limit_path_length, max_leading: 100, ",
        '  exemption "builds" of ci: new, users: [build]\n',
        f"Next:\n  p4warden deploy apply --policy {policy_path} --home {warden.home}\n",
    ):
        assert part in output, output
    assert digest(warden) == old

    output = warden.must("deploy", "apply", code=1)
    assert f", but {old} is active; activate the planned policy with p4warden" in output
    warden.must("activate", policy_path)
    warden.must("deploy", "apply", "--no-verify")
    assert "0 added" in warden.must("deploy", "plan", "--policy", policy_path)


def test_a_plan_for_a_policy_with_only_changed_comments_shows_the_same_settings(
    warden: Warden, tmp_path: Path
) -> None:
    warden.install(OBSERVED)
    file = tmp_path / "commented.yaml"
    file.write_text(f"# nothing else\n{OBSERVED}")
    output = warden.must("deploy", "plan", "--policy", str(file), code=1)
    assert f"Same settings as the active policy {digest(warden)}.\n" in output


def test_a_plan_for_an_invalid_policy_is_an_error(warden: Warden, tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text("version: 1\n")
    assert f"{file}:1:1: " in warden.must("deploy", "plan", "--policy", str(file), code=2)
    assert not warden.home.exists()


def test_deploy_put_asks_once_before_any_change(
    server: Server, warden: Warden, policy_path: str, connect: ClientFactory
) -> None:
    admin = connect(server, user=server.super_user)
    before = table(admin)
    home = str(warden.home)
    output = warden.must("deploy", "put", policy_path, answer="n\n")
    assert f"No policy is active in {home} yet." in output
    assert "Next:" not in output
    assert output.endswith("[y/N]: Nothing was changed.\n")
    assert table(admin) == before
    assert not (warden.home / "policy.json").exists()

    output = warden.must("deploy", "put", policy_path, answer="y\n")
    assert output.count("[y/N]") == 1
    assert "read back." in output
    assert "p4warden.form-save.label" in table(admin)

    output = warden.must("deploy", "put", policy_path)
    assert "[y/N]" not in output


def test_deploy_put_prints_each_warning_once_and_lines_by_what_they_are_about(
    warden: Warden, tmp_path: Path
) -> None:
    file = tmp_path / "warned.yaml"
    file.write_text(EDITED.replace("admins ", "admins@example.com "))
    output = warden.must("deploy", "put", "--yes", str(file))
    assert output.count("example.com is an example that reaches nobody") == 1
    assert "\n+   p4warden.form-save.label: each label form that is saved\n" in output
    assert "%quote%" not in output


def test_deploy_put_does_not_ask_with_the_option_yes(warden: Warden, policy_path: str) -> None:
    output = warden.must("deploy", "put", "--yes", "-m", "the new rules", policy_path)
    assert "[y/N]" not in output
    output = warden.must("history")
    assert " deploy " in output
    assert "the new rules" in output


@pytest.mark.long
def test_deploy_put_writes_nothing_until_each_other_server_is_named(
    server: Server, warden: Warden, policy_path: str, connect: ClientFactory
) -> None:
    admin = connect(server, user=server.super_user)
    before = table(admin)
    list_servers(admin, "edge-1", "old$edge", "proxy-1")
    output = warden.must("deploy", "put", "--yes", "--ready-on", "edge-1", policy_path, code=1)
    assert "Nothing was written" in output
    assert table(admin) == before
    assert not (warden.home / "policy.json").exists()

    reason = "off * since 2019"
    names = "--ready-on", "edge-1", "--exclude", "old$edge", "--reason", reason
    output = warden.must("deploy", "put", "--yes", *names, policy_path)
    assert "p4warden.form-save.label" in table(admin)
    assert f"without old$edge: {reason}" in warden.must("history")
    output = warden.must("deploy", "put", "--yes", "--ready-on", "old$edge", policy_path)
    assert "Nothing to write." in output
    assert "ready on old$edge" in warden.must("history")


def test_deploy_put_refuses_a_policy_file_edited_after_the_plan(
    warden: Warden, policy_path: str
) -> None:
    warden.install(OBSERVED)
    old = digest(warden)
    with subprocess.Popen(
        command(policy_path, f"--home={warden.home}"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(warden),
    ) as process:
        assert process.stdout
        shown = ""
        while not shown.endswith("[y/N]: "):
            shown += process.stdout.read(1)
        with Path(policy_path).open("a") as file:
            file.write("# more\n")
        output, _ = process.communicate("y\n")
    assert process.returncode == 1, output
    assert (
        ": the file was edited, or someone else made a plan meanwhile; nothing was changed"
        in output
    )
    assert digest(warden) == old

    warden.must("deploy", "plan", "--policy", policy_path, code=1)
    warden.must("deploy", "plan")
    assert "run p4warden deploy plan again" in warden.must(
        "activate", policy_path, "--planned", code=1
    )
    assert digest(warden) == old


def test_deploy_put_changes_nothing_if_standard_input_is_closed(
    warden: Warden, policy_path: str
) -> None:
    warden.install(OBSERVED)
    old = digest(warden)
    result = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *command(policy_path, f"--home={warden.home}")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env=environment(warden),
    )
    assert result.returncode == 1, result.stdout
    assert "Nothing was changed: nobody answered." in result.stdout
    assert digest(warden) == old


def test_the_next_command_shown_by_a_plan_is_quoted_for_the_shell(
    warden: Warden, tmp_path: Path
) -> None:
    warden.install(OBSERVED)
    file = tmp_path / "it's $(id).yaml"
    file.write_text(EDITED)
    output = warden.must("deploy", "plan", "--policy", str(file), code=1)
    step = output.split("Next:\n")[1].splitlines()[0]
    assert shlex.split(step) == [
        *("p4warden", "deploy", "apply"),
        *("--policy", str(file), "--home", str(warden.home)),
    ]


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        ((), "Missing argument 'POLICY'"),
        (("--ready-on",), "Option '--ready-on' requires an argument"),
        (("--force", "p.yaml"), "No such option '--force'"),
        (("no-such.yaml",), "no-such.yaml:1:1: cannot be read: No such file or directory\n"),
    ],
)
def test_deploy_put_reports_wrong_arguments_and_a_missing_policy_file(
    warden: Warden, arguments: tuple[str, ...], output: str
) -> None:
    assert output in warden.must("deploy", "put", *arguments, home=False, code=2)
